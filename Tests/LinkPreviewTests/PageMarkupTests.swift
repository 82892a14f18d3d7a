import Foundation
import Testing

@testable import WebImagePages

/// What is overwritten in a page before libxml2 reads it.
struct PageMarkupTests {
    private func tamed(_ text: String) -> String {
        var data = Data(text.utf8)
        PageMarkup.tame(&data)
        return String(decoding: data, as: UTF8.self)
    }

    /// libxml2 compares each attribute of an element with all before it. Those beyond 256 become a part of the last one.
    @Test func furtherAttributesAreOverwritten() {
        let attributes = (0..<300).map { "a\($0)=\"v w\"" }
        let result = tamed("<meta \(attributes.joined(separator: " "))>x <p b=c>")
        let kept = attributes.prefix(256).joined(separator: " ")
        #expect(result.hasPrefix("<meta \(kept) "))
        let rest = result.dropFirst("<meta \(kept) ".count)
        let filled = rest.prefix { $0 == "_" }
        #expect(filled.count == attributes.dropFirst(256).joined(separator: " ").count)
        #expect(rest.dropFirst(filled.count) == ">x <p b=c>")
        let few = "<meta \(attributes.prefix(256).joined(separator: " "))>"
        #expect(tamed(few) == few)
    }

    /// libxml2 looks for the end of each instruction of a page without one.
    @Test func instructionsAreBlank() {
        #expect(tamed("<?xml version='1.0'?><p>") == String(repeating: " ", count: 21) + "<p>")
        #expect(tamed("a<?b") == "a   ")
        // In comments, scripts and values they are no instructions.
        for text in ["<!-- <?b> -->", "<script>'<?b>'</script>", "<p a='<?b>'>"] { #expect(tamed(text) == text) }
    }
}
