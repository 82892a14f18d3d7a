import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageSVG
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Images and SVG documents that are embedded in an SVG document, in every way that librsvg supports. The limits apply
/// to each embedded image and document.
@Suite(.timeLimit(minutes: 2))
struct SVGNestingTests {
    private static let limit = 10_000
    private static let names =
        #"xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink""#

    private static func svg(_ content: String, _ attributes: String = #"width="8" height="8""#) -> String {
        "<svg \(names) \(attributes)>\(content)</svg>"
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    private static func image(_ reference: String) -> String {
        #"<image width="8" height="8" xlink:href="\#(reference)"/>"#
    }

    /// An image with 40,000 pixels, which is four times the limit.
    private static let picture: Data = {
        let image = try? Samples.picture(width: 200, height: 200)
        return image.flatMap { try? ImagePNGCoder.shared.encode($0, format: .png, options: .init()) } ?? Data()
    }()
    private static let pictureURL = "data:image/png;base64," + picture.base64EncodedString()
    private static func documentURL(_ document: String) -> String { "data:image/svg+xml;base64," + base64(document) }
    private static let large = svg("<rect/>", #"width="200" height="200""#)
    private static let pattern = svg(
        #"<pattern id="p" width="1" height="1">\#(image(pictureURL))</pattern>"#, "")

    /// A document, and the name of the way in which the document embeds or repeats its content.
    struct Way: CustomTestStringConvertible, Sendable {
        let name: String
        let document: String
        var testDescription: String { name }
    }

    static let overTheLimit: [Way] = [
        Way(name: "a picture", document: svg(image(pictureURL))),
        Way(
            name: "escaped bytes",
            document: svg(image("data:image/png," + picture.map { "%" + String(format: "%02x", $0) }.joined()))),
        Way(
            name: "no padding",
            document: svg(image(pictureURL.trimmingCharacters(in: ["="])))),
        Way(
            name: "blanks in front of the parameter",
            document: svg(image(pictureURL.replacingOccurrences(of: ";base64", with: "; BASE64 ")))),
        Way(
            name: "a tab in the scheme",
            document: svg(image(pictureURL.replacingOccurrences(of: "data:", with: "da&#9;ta:")))),
        Way(
            name: "characters by number",
            document: svg(image(pictureURL.replacingOccurrences(of: "data:", with: "&#100;ata:")))),
        Way(
            name: "an entity",
            document: #"<!DOCTYPE svg [<!ENTITY e "image/png">]>"#
                + svg(image(pictureURL.replacingOccurrences(of: "image/png", with: "&e;")))),
        Way(name: "a document", document: svg(image(documentURL(svg(image(pictureURL)))))),
        Way(
            name: "a document in a document",
            document: svg(image(documentURL(svg(image(documentURL(svg(image(pictureURL))))))))),
        Way(name: "a document's own size", document: svg(image(documentURL(large)))),
        Way(name: "a document called a picture", document: svg(image("data:image/png;base64," + base64(large)))),
        Way(
            name: "a box of its own",
            document: svg(image(documentURL(svg("<rect/>", #"viewBox="0 0 200 200""#))))),
        Way(
            name: "several under the limit each",
            document: svg(String(repeating: image(documentURL(svg("<rect/>", #"width="60" height="60""#))), count: 3))),
        Way(name: "use", document: svg(##"<use xlink:href="\##(documentURL(pattern))#p"/>"##)),
        Way(
            name: "a filter",
            document: svg(#"<filter id="f"><feImage xlink:href="\#(pictureURL)"/></filter><rect filter="url(#f)"/>"#)),
        Way(
            name: "a pattern",
            document: svg(#"<pattern id="p">\#(image(pictureURL))</pattern><rect fill="url(#p)"/>"#)),
        Way(
            name: "any prefix",
            document: svg(#"<image x:href="\#(pictureURL)"/>"#, #"xmlns:x="http://www.w3.org/1999/xlink""#)),
        Way(name: "no prefix", document: svg(#"<image href="\#(pictureURL)"/>"#)),
    ]

    static let refused: [Way] = [
        Way(
            name: "XInclude",
            document: svg(
                #"<xi:include href="\#(documentURL(pattern))"/>"#,
                #"xmlns:xi="http://www.w3.org/2001/XInclude""#)),
        Way(
            name: "XInclude, its name hidden",
            document: svg(
                #"<i:include href="\#(documentURL(pattern))"/>"#,
                #"xmlns:i="http://www.w3.org/2001/XIncl&#117;de""#)),
        Way(
            name: "an attribute by default",
            document: #"<!DOCTYPE svg [<!ATTLIST image xlink:href CDATA "\#(pictureURL)">]>"# + svg("<image/>")),
        Way(
            name: "an element in an entity",
            document: #"<!DOCTYPE svg [<!ENTITY e '\#(image(pictureURL))'>]>"# + svg("&e;")),
        Way(
            name: "an entity in an entity",
            document: #"<!DOCTYPE svg [<!ENTITY a "x"><!ENTITY b "&a;">]>"# + svg(image("data:&b;"))),
        Way(
            name: "a parameter entity",
            document: #"<!DOCTYPE svg [<!ENTITY % p "<!ENTITY e 'x'>"> %p;]>"# + svg(image("data:&e;"))),
        Way(name: "a fill", document: svg(##"<rect fill="url(\##(documentURL(pattern))#p)"/>"##)),
        Way(name: "a style attribute", document: svg(##"<rect style="fill:url('\##(documentURL(pattern))#p')"/>"##)),
        Way(
            name: "a style attribute, escaped",
            document: svg(
                ##"<rect style="fill:u\72l('d\61 ta:image/svg+xml;base64,\##(base64(pattern))#p')"/>"##)),
        Way(
            name: "a style sheet",
            document: svg(##"<style>rect{fill:url("\##(documentURL(pattern))#p")}</style><rect/>"##)),
        Way(
            name: "a style sheet in pieces",
            document: svg(
                "<style>rect{fill:url(\"da<!-- -->ta:image/svg+xml<![CDATA[;base64,\(base64(pattern))]]>#p\")}</style>")
        ),
        Way(
            name: "a style sheet that is packed",
            document: svg(##"<style>rect{fill:url("data:image/svg+xml;base64,H4sIAAAA#p")}</style>"##)),
        Way(
            name: "an import",
            document: svg("<style>@import url(\"data:text/css;base64,\(base64("rect{fill:lime}"))\");</style>")),
        Way(
            name: "an import behind a comment",
            document: svg("<style>@import /* ; */ 'data:text/css,rect{fill:lime}';</style>")),
        Way(
            name: "an instruction",
            document: #"<?xml-stylesheet type="text/css" href="data:text/css,rect{fill:lime}"?>"# + svg("<rect/>")),
        Way(name: "a header of two readings", document: svg(image("data:image/pngbase64,AAAA"))),
        Way(
            name: "another encoding",
            document: #"<?xml version="1.0" \#(String(repeating: " ", count: 300))encoding="UTF-7"?>"# + svg("<rect/>")),
        Way(
            name: "too many levels",
            document: (0..<5).reduce(svg("<rect/>")) { inner, _ in svg(image(documentURL(inner))) }),
        Way(name: "a picture of no coder", document: svg(image("data:image/png;base64,AAAA"))),
        Way(
            name: "an icon",
            document: svg(image("data:image/x-icon;base64," + Data([0, 0, 1, 0, 1, 0, 16, 16]).base64EncodedString()))),
    ]

    static let accepted: [Way] = [
        Way(name: "a small picture", document: svg(image(smallURL))),
        Way(name: "a small document", document: svg(image(documentURL(svg(image(smallURL)))))),
        Way(name: "nothing", document: svg(image("data:,") + image("data:image/png;base64,") + image(""))),
        Way(
            name: "namespaces by entities",
            document: """
                <?xml version="1.0" encoding="utf-8"?>
                <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd" [
                    <!ENTITY ns_extend "http://ns.adobe.com/Extensibility/1.0/"> <!-- ' -->
                ]>
                """ + svg("<rect/>", #"xmlns:x="&ns_extend;" width="8" height="8""#)),
        Way(
            name: "a namespace by default",
            document: ##"<!DOCTYPE svg [<!ATTLIST svg xmlns:xlink CDATA #FIXED "http://www.w3.org/1999/xlink">]>"##
                + svg("<rect/>")),
        Way(
            name: "a font in a style sheet",
            document: svg(
                "<style>@font-face{src:url(data:font/woff2;base64,d09GMgABAAAAAA)} rect{fill:url(#p)}</style><rect/>")),
        Way(
            name: "a style sheet elsewhere",
            document: svg("<style>@import url(https://fonts.example/css?family=A); a{b:c}</style>")),
        Way(name: "a link", document: svg(#"<a href="data:text/plain,hello"><rect/></a>"#)),
        Way(name: "a font's name in escapes", document: svg(#"<text style="font-family:'\5B8B\4F53'">a</text>"#)),
        Way(name: "text", document: svg("<!-- < & > --><text>a &amp; b &#x263A; data:url(x)</text>")),
    ]

    private static let smallURL: String = {
        let image = try? Samples.picture(width: 50, height: 50)
        let file = image.flatMap { try? ImagePNGCoder.shared.encode($0, format: .png, options: .init()) } ?? Data()
        return "data:image/png;base64," + file.base64EncodedString()
    }()

    /// Decodes without the default limit of time, which counts the time of the wall clock: on a machine that builds at
    /// the same time, an allowed document could exceed it.
    private func decode(_ way: Way) throws(WebImageError) -> Image {
        var options = DecodingOptions()
        options.limits.maxPixels = Self.limit
        options.limits.maxDecodeTime = .seconds(600)
        return try ImageSVGCoder.shared.decode(Data(way.document.utf8), options: options)
    }

    @Test(arguments: overTheLimit)
    func aPictureOverTheLimitIsRefused(_ way: Way) {
        #expect(ImageCodersManager.shared.canDecode(from: Self.picture))
        let error = #expect(throws: WebImageError.self) { try decode(way) }
        guard case .limit(.pixels, _, let allowed) = error?.underlying else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(allowed == Self.limit)
        #expect(throws: WebImageError.self) {
            try ImageSVGCoder.shared.imageInfo(of: Data(way.document.utf8), limits: DecodingLimits(maxPixels: 10_000))
        }
    }

    @Test(arguments: refused)
    func uncheckableReferenceIsRefused(_ way: Way) {
        let error = #expect(throws: WebImageError.self) { try decode(way) }
        #expect(error?.code == .badImageData)
    }

    /// Returns nested groups and a reference to the last group. Each group draws the previous group ten times.
    private static func groups(
        _ count: Int, _ tag: String = "g", around content: String = "<rect width='1' height='1'/>",
        reference: (String) -> String
    ) -> String {
        (0...count).reduce("") { text, level in
            let content = level == 0 ? content : String(repeating: reference("e\(level - 1)"), count: 10)
            return text + "<\(tag) id=\"e\(level)\">\(content)</\(tag)>"
        } + reference("e\(count)")
    }

    private static func use(_ id: String) -> String { ##"<use xlink:href="#\##(id)"/>"## }

    /// Documents of a few kilobytes that draw their elements many thousands of times.
    static let repeating: [Way] = [
        Way(name: "use", document: svg(groups(5, reference: use))),
        Way(name: "use without a prefix", document: svg(groups(5) { ##"<use href=" #\##($0)"/>"## })),
        Way(name: "a reference before the id", document: svg(groups(5) { ##"<g><use href="#\##($0)" id="x"/></g>"## })),
        Way(name: "patterns", document: svg(groups(5, "pattern") { "<rect fill='url(#\($0))'/>" })),
        Way(name: "masks in styles", document: svg(groups(5, "mask") { #"<rect style="mask: url( '#\#($0)' )"/>"# })),
        Way(
            name: "documents in documents",
            document: (0..<3).reduce(svg("<rect/>")) { inner, _ in
                svg(groups(3, around: image(documentURL(inner)), reference: use))
            }),
        Way(
            name: "a picture of 2,500 pixels",
            document: svg(groups(4, around: image(smallURL) + image(smallURL), reference: use))),
    ]

    /// Documents whose references draw few elements or no element.
    static let seldomRepeating: [Way] = [
        Way(name: "seven thousand times", document: svg(groups(3, reference: use))),
        Way(name: "references in circles", document: svg("<g id='a'>\(use("b"))</g><g id='b'>\(use("a"))</g>")),
        Way(name: "an element that refers to itself", document: svg("<g id='a'>\(use("a"))\(use("a"))</g>")),
        Way(name: "links", document: svg(groups(6) { ##"<a href="#\##($0)"/>"## })),
        Way(
            name: "the first of two equal ids",
            document: svg("<rect id='e3'/>" + groups(5, reference: use))),
        Way(
            name: "as many elements as references",
            document: svg("<g id='a'/>" + String(repeating: use("a"), count: 60_000))),
    ]

    @Test(arguments: repeating)
    func aDocumentThatDrawsItsElementsTooOftenIsRefused(_ way: Way) {
        let error = #expect(throws: WebImageError.self) { try decode(way) }
        #expect(error?.code == .badImageData && error?.localizedDescription.contains("by reference") == true)
    }

    @Test(arguments: seldomRepeating)
    func referencesThatDrawFewElementsAreAllowed(_ way: Way) throws {
        let start = ProcessorTime.seconds
        #expect(try decode(way).pixelSize == PixelSize(width: 8, height: 8))
        // The default limit of time, as time of the processor.
        let limit = DecodingOptions().limits.maxDecodeTime.components.seconds
        #expect(ProcessorTime.seconds - start < Sanitizer.seconds(Double(limit)))
    }

    @Test(arguments: accepted)
    func ordinaryDocumentsAreDrawn(_ way: Way) throws {
        #expect(try decode(way).pixelSize == PixelSize(width: 8, height: 8))
    }

    @Test func nestedCompressedDocumentsShareTheByteLimit() throws {
        // Each embedded document has 0.4 MB after decompression. Two documents are within the limit of 1 MB. Three
        // documents exceed the limit.
        let inner = Self.svg(String(repeating: " ", count: 400_000))
        let packed = try gzipped(Data(inner.utf8)).base64EncodedString()
        for (count, isRefused) in [(2, false), (3, true)] {
            let document = Self.svg(
                String(repeating: Self.image("data:image/svg+xml;base64," + packed), count: count))
            var options = DecodingOptions()
            options.limits.maxEncodedBytes = 1_000_000
            let result = Result { try ImageSVGCoder.shared.decode(Data(document.utf8), options: options) }
            #expect(((try? result.get()) == nil) == isRefused, "\(count)")
        }
    }

    @Test func entitiesInReferencesShareABudget() {
        let value = String(repeating: "a", count: 100_000)
        let document =
            #"<!DOCTYPE svg [<!ENTITY e "\#(value)">]>"#
            + Self.svg(String(repeating: #"<rect id="&e;"/>"#, count: 100))
        let error = #expect(throws: WebImageError.self) { try decode(Way(name: "", document: document)) }
        #expect(error?.code == .badImageData)
    }

    @Test func baseURLOpensNothing() throws {
        let scratch = try ScratchFolder()
        let folder = scratch.url
        let blue = Self.svg(#"<rect id="r" width="8" height="8" fill="blue"/>"#)
        try Data(blue.utf8).write(to: folder.appendingPathComponent("blue.svg"))
        let base = #"xml:base="\#(folder.absoluteString)" width="8" height="8""#
        for content in [
            Self.image("blue.svg"), #"<use xlink:href="blue.svg#r"/>"#,
            #"<style>@import "\#(folder.absoluteString)blue.css"; rect{fill:url(blue.svg#r)}</style>"#,
        ] {
            let image = try decode(Way(name: "", document: Self.svg(content, base)))
            #expect(image.pixels.withUnsafeBytes { $0[0..<4].allSatisfy { $0 == 0 } }, "\(content)")
        }
    }

    private func gzipped(_ data: Data) throws -> Data {
        let input = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-c", input.path]
        process.standardOutput = output
        try process.run()
        let packed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return packed
    }
}
