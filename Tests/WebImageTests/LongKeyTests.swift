import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tables that remember keys do not store long keys, such as `data:` URLs.
@Suite(.serialized, .enabled(if: ProcessMemory.isMeasurable), .timeLimit(minutes: 2))
struct LongKeyTests {
    private static let megabyte = 1 << 20

    /// A `data:` URL of about 1 MB. Its picture has 40 x 30 pixels: the decoder ignores the bytes after the picture.
    private static func url(_ number: Int) throws -> URL {
        var file = try Journey.file()
        file.append(Data("\(number)".utf8))
        file.append(Data(count: megabyte * 3 / 4))
        return try #require(URL(string: "data:image/png;base64," + file.base64EncodedString()))
    }

    @Test func dataURLsLeaveNothingBehindAfterClearMemory() async throws {
        let journey = try Journey()
        _ = try await journey.manager.image(for: try Self.url(-1))
        let before = try #require(ProcessMemory.allocatedBytes)
        for number in 0..<60 {
            let url = try Self.url(number)
            _ = try await journey.manager.image(for: url)
            _ = try await journey.manager.image(
                for: url, context: [.imageThumbnailPixelSize: CGSize(width: 10, height: 10)])
        }
        journey.cache.clearMemory()
        await journey.cache.flush()
        try await eventually("the loads have ended") { !journey.manager.isRunning }
        let left = try #require(ProcessMemory.allocatedBytes) - before
        #expect(left < 8 * Self.megabyte, "\(left / Self.megabyte) MB are left")
    }

    /// The cost of an image in memory contains its long key. Therefore the limit of the cache also limits the keys.
    @Test func longKeysCountInTheMemoryCache() async throws {
        let journey = try Journey()
        var config = journey.cache.config
        config.maxMemoryCost = 8 * Self.megabyte
        config.shouldUseWeakMemoryCache = true
        journey.cache.config = config
        let before = try #require(ProcessMemory.allocatedBytes)
        for number in 0..<60 { _ = try await journey.manager.image(for: try Self.url(number)) }
        try await eventually("the loads have ended") { !journey.manager.isRunning }
        let used = try #require(ProcessMemory.allocatedBytes) - before
        #expect(used < 24 * Self.megabyte, "\(used / Self.megabyte) MB are used")
    }

    /// Failures are remembered without the URL's text and without the response.
    @Test func failuresOfLongURLsAreBounded() async throws {
        let journey = try Journey()
        let path = "/" + String(repeating: "a", count: 6000)
        let heads = Dictionary(uniqueKeysWithValues: (0..<20).map { ("X-\($0)", String(repeating: "x", count: 4000)) })
        let answer = FaultBehaviour.body(Data("none".utf8), status: 404, headers: heads)
        for number in 0..<150 { journey.server.route(path + "\(number)", answer) }
        let before = try #require(ProcessMemory.allocatedBytes)
        for number in 0..<150 { _ = try? await journey.manager.image(for: journey.server.url(path + "\(number)")) }
        #expect(journey.manager.failure(of: journey.server.url(path + "7"))?.underlying == .http(status: 404))
        let used = try #require(ProcessMemory.allocatedBytes) - before
        // The server stores the heads of its requests: 150 paths of 6 KB, twice.
        #expect(used < 6 * Self.megabyte, "\(used / Self.megabyte) MB are used")
    }
}
