import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Files that the coders must refuse, and damaged files that may decode or fail but must not crash or take long.
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

    /// The decompression bombs that must be refused. The omitted PNG has a small image and may be decoded; only its
    /// compressed text is a bomb.
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
