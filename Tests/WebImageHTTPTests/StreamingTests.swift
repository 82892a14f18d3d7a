import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// A download delivers bytes while they arrive. Between two progress reports, at least the part
/// `minimumProgressInterval` (0 to 1) of the body must arrive.
@Suite(.timeLimit(minutes: 1))
struct StreamingTests {
    private let body = Data((0..<20_000).map { UInt8(truncatingIfNeeded: $0 &* 13 &+ $0 >> 8) })

    @Test func bytesAreDeliveredInOrderAndLateSubscribersReceiveTheFirstBytes() async throws {
        try await withDownloader { server, downloader in
            var response = FaultResponse(.data(body))
            response.piece = 10_000
            response.interval = .seconds(2)
            server.route("/a", .respond(response))
            let (early, late) = (Collected<Data>(), Collected<Data>())
            func load(_ pieces: Collected<Data>) -> ImageDataLoad {
                var load = ImageDataLoad(url: server.url("/a"))
                load.receivedData = { bytes, head in
                    #expect(head.statusCode == 200)
                    pieces.append(bytes)
                }
                return load
            }
            let first = Task { try await downloader.loadData(for: load(early), progress: nil) }
            try await eventually("the first bytes arrived") { !early.values.isEmpty }
            let second = Task { try await downloader.loadData(for: load(late), progress: nil) }
            try await #expect(first.value.data == body)
            try await #expect(second.value.data == body)
            #expect(early.values.reduce(Data(), +) == body)
            #expect(late.values.reduce(Data(), +) == body)
            #expect(early.values.count >= 2)
            #expect(server.requestCount("/a") == 1)
        }
    }

    @Test func decryptedBodiesAreNotStreamed() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("aGk=".utf8)))
            let pieces = Collected<Data>()
            var load = ImageDataLoad(
                url: server.url("/a"), context: [.downloadDecryptor: WebImageDownloaderDecryptor.base64])
            load.receivedData = { bytes, _ in pieces.append(bytes) }
            try await #expect(downloader.loadData(for: load, progress: nil).data == Data("hi".utf8))
            #expect(pieces.values.isEmpty)
        }
    }

    @Test  // SDWebImageDownloaderTests.test17ThatMinimumProgressIntervalWorks
    func progressKeepsItsMinimumInterval() async throws {
        var config = WebImageDownloaderConfig.default
        config.minimumProgressInterval = 0.51
        try await withDownloader(config) { server, downloader in
            var response = FaultResponse(.data(body))
            response.piece = 1000
            response.interval = .milliseconds(2)
            server.route("/a", .respond(response))
            let seen = Collected<Int>()
            _ = try await downloader.fetch(server.url("/a")) { received, _, _ in seen.append(received) }
            #expect((1...4).contains(seen.values.count), "\(seen.values)")
            #expect(seen.values.last == body.count)
        }
    }
}
