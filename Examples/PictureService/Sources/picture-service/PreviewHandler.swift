import Foundation
import WebImage
import WebImageHTTP

/// The part of a request that a web framework passes in.
struct Request {
    var query: [String: String]
    var ifNoneMatch: String?
}

/// The response that a web framework sends.
struct Response {
    var status: Int
    var headers: [String: String] = [:]
    var body = Data()
}

/// Responds to `?url=…&width=…` with a WebP image of that width. For an animation, the image is the first frame.
/// Clients choose the URLs, so the handler fetches only from public addresses and sets limits.
struct PreviewHandler: Sendable {
    private let previews: ImageEncodedCache

    /// - Parameter policy: The rules that decide which URLs are fetched. A nil policy allows every URL, which tests on
    ///   the loopback interface need.
    init(cacheFolder: String, policy: DownloadPolicy? = .server) {
        var config = WebImageDownloaderConfig()
        config.policy = policy
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        let manager = WebImageManager(
            cache: ImageCache(namespace: "originals", diskCacheDirectory: cacheFolder),
            loader: WebImageDownloader(config: config))
        manager.failedURLLifetime = .seconds(60)
        previews = ImageEncodedCache(
            manager: manager, storage: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder))
    }

    func answer(_ request: Request) async -> Response {
        guard let url = request.query["url"].flatMap({ URL(string: $0) }),
            let width = request.query["width"].flatMap({ Int($0) }), (1...2000).contains(width)
        else { return Response(status: 400, body: Data("url and width, please\n".utf8)) }
        var wanted = ImageRequest(url: url, width: width, options: .decodeFirstFrameOnly)
        wanted.limits = DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000)
        var options = EncodingOptions()
        options.quality = 0.8
        do throws(WebImageError) {
            let image = try await previews.encodedImage(for: wanted, format: .webP, options: options)
            var headers = ["Content-Type": image.contentType, "ETag": image.etag, "Cache-Control": "max-age=3600"]
            headers["Last-Modified"] = image.lastModified
            if image.matches(ifNoneMatch: request.ifNoneMatch) { return Response(status: 304, headers: headers) }
            return Response(status: 200, headers: headers, body: image.data)
        } catch {
            return Response(status: status(for: error), body: Data("\(error.code.words)\n".utf8))
        }
    }

    private func status(for error: WebImageError) -> Int {
        switch error.code {
        case .invalidURL, .invalidDownloadOperation: 400
        case .limitExceeded: 413
        case .badImageData, .unsupportedFormat: 415
        default: 502
        }
    }

    /// Waits until all stored images are on the disk.
    func shutdown() async {
        _ = await previews.manager.shutdown()
        await previews.flush()
    }
}
