import Foundation
import WebImage
import WebImageHTTP

/// The request that a web framework passes in.
struct Request {
    var query: [String: String]
}

/// The response that a web framework sends.
struct Response {
    var status: Int
    var headers: [String: String] = [:]
    var body = Data()
}

/// Answers `?url=…&width=…` with a WebP of that width, of an animation with its first frame: other people's URLs, so public addresses only and limits on.
struct PreviewHandler: Sendable {
    private let manager: WebImageManager

    /// - Parameter policy: The allowed hosts and addresses; nil allows everything, for tests on the loopback.
    init(cacheFolder: String, policy: DownloadPolicy? = .server) {
        var config = WebImageDownloaderConfig()
        config.policy = policy
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        manager = WebImageManager(
            cache: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder),
            loader: WebImageDownloader(config: config))
    }

    func answer(_ request: Request) async -> Response {
        guard let url = request.query["url"].flatMap({ URL(string: $0) }),
            let width = request.query["width"].flatMap({ Int($0) }), (1...2000).contains(width)
        else { return Response(status: 400, body: Data("url and width, please\n".utf8)) }
        do throws(WebImageError) {
            let image = try await manager.image(
                for: url, options: .decodeFirstFrameOnly,
                context: [
                    .imageThumbnailPixelSize: CGSize(width: width, height: width),
                    .decodingLimits: DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000),
                    .callbackQueue: CallbackQueue.invoking,
                ])
            var options = EncodingOptions()
            options.quality = 0.8
            let body = try ImageCodersManager.shared.encode(image, format: .webP, options: options)
            return Response(status: 200, headers: ["Content-Type": "image/webp"], body: body)
        } catch {
            return Response(status: status(for: error), body: Data("\(error.code.words)\n".utf8))
        }
    }

    private func status(for error: WebImageError) -> Int {
        switch error.code {
        case .invalidURL, .invalidDownloadOperation, .blackListed: 400
        case .limitExceeded: 413
        case .badImageData, .unsupportedFormat: 415
        default: 502
        }
    }

    /// Waits until stored data is on disk.
    func shutdown() async { _ = await manager.shutdown() }
}
