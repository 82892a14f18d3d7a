import Foundation
import Testing
import WebImage
import WebImageHTTP
import WebImageTestTraits
import WebImageTesting

/// A load without a progress block reports no progress while it runs. A load that joins it receives its own progress
/// nevertheless.
@Suite(.timeLimit(minutes: 1))
struct ProgressDemandTests {
    private let journey: Journey
    private var server: FaultServer { journey.server }
    private var manager: WebImageManager { journey.manager }

    init() throws { journey = try Journey() }

    enum Kind: CaseIterable {
        case plain
        case thumbnail
        case transformed

        var context: WebImageContext {
            switch self {
            case .plain: [:]
            case .thumbnail: [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)]
            case .transformed: [.imageTransformer: ImageFlippingTransformer(horizontal: true, vertical: false)]
            }
        }
    }

    @Test(arguments: Kind.allCases, ["/a.png", "/moved.png"])
    func aLoadThatJoinsReceivesTheProgressSoFar(kind: Kind, path: String) async throws {
        var response = FaultResponse(.zeros(1000), headers: ["Content-Type": "image/png"])
        (response.piece, response.interval) = (600, .seconds(60))
        server.route("/a.png", .respond(response))
        server.route("/moved.png", .redirect(to: "/a.png"))
        let url = server.url(path)
        let first = Task { try await manager.image(for: url, context: kind.context) }
        // This download shares the transfer of the load, and shows when the bytes have arrived.
        let arrived = Locked(0)
        let probe = Task {
            try await journey.downloader.loadData(for: ImageDataLoad(url: url)) { received, _, _ in
                arrived.withLock { $0 = received }
            }
        }
        try await eventually("600 bytes arrived") { arrived.withLock { $0 } == 600 }
        let seen = Locked<[Int]>([])
        let second = Task {
            try await manager.image(for: url, context: kind.context) { received, _, _ in
                seen.withLock { $0.append(received) }
            }
        }
        try await eventually("the load that joined received its progress") { seen.withLock { $0.last } == 600 }
        #expect(server.requestCount("/a.png") == 1)
        first.cancel()
        probe.cancel()
        second.cancel()
        _ = await (first.result, probe.result, second.result)
    }

    /// Waits until the test opens its gate.
    private struct Waiting: ImageTransformer {
        let gate = DispatchSemaphore(value: 0)
        let isRunning = Locked(false)
        var transformerKey: String { "waiting" }

        func transformedImage(with image: Image, forKey key: String) -> Image? {
            isRunning.withLock { $0 = true }
            gate.wait()
            return image
        }
    }

    /// The download has ended, but the load still transforms the picture.
    @Test func aLoadThatJoinsAfterTheDownloadReceivesItsLastProgress() async throws {
        let file = try Journey.file()
        server.route("/a.png", .body(file))
        let url = server.url("/a.png")
        let transformer = Waiting()
        let first = Task { try await manager.image(for: url, context: [.imageTransformer: transformer]) }
        try await eventually("the transformer runs") { transformer.isRunning.withLock { $0 } }
        let seen = Locked<[[Int]]>([])
        let second = Task {
            try await manager.image(for: url, context: [.imageTransformer: transformer]) { received, expected, _ in
                seen.withLock { $0.append([received, expected]) }
            }
        }
        try await eventually("the load that joined received its progress") { !seen.withLock { $0 }.isEmpty }
        #expect(seen.withLock { $0 } == [[file.count, file.count]])
        transformer.gate.signal()
        _ = try await (first.value, second.value)
    }
}
