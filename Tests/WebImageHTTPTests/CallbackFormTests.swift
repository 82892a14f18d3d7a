import Foundation
import Testing
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Tests downloads with SDWebImage's callback API. A call returns a token, and one completion receives a decoded
/// image.
@Suite(.timeLimit(minutes: 1))
struct CallbackFormTests {
    /// A coder that refuses the bytes "bad" and decodes all other bytes to an image of one pixel.
    private struct OnePixelCoder: ImageCoder {
        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            guard data != Data("bad".utf8) else { throw .badData("fake", "bad") }
            return Image(pixels: try PixelBuffer(width: 1, height: 1, format: .bgra8Premultiplied))
        }
    }

    private struct Completion {
        let image: Image?
        let data: Data?
        let error: WebImageError?
    }

    private func load(_ url: URL?, _ downloader: WebImageDownloader) async -> (Completion, WebImageDownloadToken?) {
        let tokens = Collected<WebImageDownloadToken?>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageCoder: OnePixelCoder()]
        let completion = await withCheckedContinuation { continuation in
            tokens.append(
                downloader.downloadImage(with: url, context: context) { image, data, error, finished in
                    #expect(finished)
                    continuation.resume(returning: Completion(image: image, data: data, error: error))
                })
        }
        _ = await eventually { !tokens.values.isEmpty }
        return (completion, tokens.values[0])
    }

    @Test func callbackReceivesImageAndBytesAndTheTokenTheResponse() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("good".utf8)))
            let (completion, token) = await load(server.url("/a"), downloader)
            #expect(completion.image?.pixelSize == PixelSize(width: 1, height: 1))
            #expect(completion.data == Data("good".utf8))
            #expect(completion.error == nil)
            #expect(token?.url == server.url("/a"))
            #expect(token?.request.value(forHTTPHeaderField: "accept") == "image/*,*/*;q=0.8")
            #expect(token?.response?.statusCode == 200)
            #expect(token?.metrics?.networkProtocol == "HTTP/1.1")
            #expect(token?.metrics?.bodyBytesReceived == 4)
            #expect(token?.isCancelled == false)
        }
    }

    @Test func downloaderThatTheCallerDoesNotKeepCompletes() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let gate = FaultGate()
        server.route("/a", .gated(gate, .body(Data("good".utf8))))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-\(UUID().uuidString)")
        try Data("good".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let ends = Collected<String>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageCoder: OnePixelCoder()]
        weak var kept: WebImageDownloader?
        func start() {
            let downloader = WebImageDownloader()
            kept = downloader
            downloader.downloadImage(with: server.url("/a"), context: context) { image, _, error, _ in
                ends.append(image == nil ? "\(error.debugDescription)" : "image")
            }
            WebImageDownloader().downloadImage(with: file, context: context) { image, _, error, _ in
                ends.append(image == nil ? "\(error.debugDescription)" : "image")
            }
        }
        start()
        try await eventually("the request has arrived") { server.requests.count == 1 }
        gate.open()
        try await eventually("both have ended") { ends.values.count == 2 }
        #expect(ends.values == ["image", "image"])
        try await eventually("the downloader is released") { kept == nil }
    }

    @Test func undecodableBytesFailWithBadImageDataAndTheURL() async throws {
        try await withDownloader { server, downloader in
            server.route("/a", .body(Data("bad".utf8)))
            let (completion, _) = await load(server.url("/a"), downloader)
            #expect(completion.image == nil)
            #expect(completion.error?.code == .badImageData)
            #expect(completion.error?.url == server.url("/a"))
        }
    }

    @Test func nilURLCompletesInlineWithoutAToken() async throws {
        try await withDownloader { _, downloader in
            let (completion, token) = await load(nil, downloader)
            #expect(completion.error?.code == .invalidURL)
            #expect(token == nil)
        }
    }

    @Test func defaultRequestImageOfALocalLoaderDecodesAndCompletesOnce() async throws {
        let completions = Collected<WebImageError?>()
        let context: WebImageContext = [.callbackQueue: CallbackQueue.invoking, .imageCoder: OnePixelCoder()]
        let url = URL(string: "data:,hello")
        let operation = DataURLImageLoader().requestImage(with: url, options: [], context: context, progress: nil) {
            image, _, error, _ in
            #expect(image != nil)
            completions.append(error)
        }
        try await eventually("completed") { !completions.values.isEmpty }
        operation?.cancel()
        #expect(completions.values.count == 1)
        #expect(operation?.isCancelled == false)
    }
}
