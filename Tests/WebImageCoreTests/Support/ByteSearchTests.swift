import Foundation
import Testing

@testable import WebImageCore

struct ByteSearchTests {
    @Test(
        arguments: [
            ("<svg", "<svg", 0), ("x<svg<svg", "<svg", 1), ("<sv", "<svg", nil), ("", "<svg", nil),
            ("ab\u{0}c", "\u{0}", 2),
        ] as [(String, StaticString, Int?)])
    func firstOccurrenceIsFound(text: String, wanted: StaticString, offset: Int?) {
        // The indices of a slice start at its offset, not at 0.
        let data = Data("<svg".utf8 + Array(text.utf8))[4...]
        #expect(data.firstRange(of: wanted).map { $0.lowerBound - data.startIndex } == offset)
        #expect(data.firstRange(of: wanted)?.count == offset.map { _ in wanted.utf8CodeUnitCount })
        #expect(data.contains(wanted) == (offset != nil))
    }
}
