import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits

/// Checks that the coders refuse invalid files. A damaged file may decode or fail, but decoding must not crash or take
/// long.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 10))
struct HostileConformanceTests {
    static let coders = OptionalConformanceTests.coders

    @Test(arguments: Conformance.entries.filter { $0.verdict == "reject" })
    func dataThatIsNoPictureIsRefused(_ entry: ConformanceEntry) throws {
        let data = try Conformance.data(entry.path)
        #expect(throws: WebImageError.self) { try Self.coders.decode(data, options: DecodingOptions()) }
    }

    @Test(arguments: Conformance.entries.filter { $0.verdict == "survive" })
    func damagedFileDecodesOrThrowsATypedError(_ entry: ConformanceEntry) throws {
        let data = try Conformance.data(entry.path)
        let units = ProcessorTime.units {
            _ = try? Self.coders.imageInfo(of: data, limits: .default)
            _ = try? Self.coders.decode(data, options: DecodingOptions())
        }
        #expect(units < 10_000)
    }

    /// The decompression bombs that the coders must refuse. The list omits one PNG, whose image is small and may be
    /// decoded. Only the compressed text in this PNG is a bomb.
    static let bombs = Conformance.entries.filter {
        $0.path.hasPrefix("hostile/bombs/") && !$0.path.hasSuffix("bomb-png-ztxt-200mb.png")
    }

    @Test(arguments: bombs)
    func bombIsRefusedByItsHeader(_ entry: ConformanceEntry) throws {
        let data = try Conformance.data(entry.path)
        let units = ProcessorTime.units {
            #expect(throws: WebImageError.self) { try Self.coders.decode(data, options: DecodingOptions()) }
        }
        #expect(units < 150)
    }
}
