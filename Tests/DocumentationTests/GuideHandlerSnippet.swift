// snippet: guide-handler
import Foundation
public import WebImage
public import WebImageService

/// Answers `?url=…&width=…` with a WebP of that width, which shows the first frame of an animation.
public struct PreviewHandler: Sendable {
    /// The previews that were made.
    public let previews: ImageEncodedCache

    /// - Parameter loader: Fetches the pictures. Tests pass a `FakeDataLoader`.
    public init(cacheFolder: String, loader: any ImageLoader = PreviewHandler.downloader()) {
        let manager = WebImageManager(
            cache: ImageCache(namespace: "originals", diskCacheDirectory: cacheFolder), loader: loader)
        manager.failedURLLifetime = .seconds(60)
        previews = ImageEncodedCache(
            manager: manager, storage: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder))
    }

    /// A downloader for URLs of strangers.
    public static func downloader() -> WebImageDownloader {
        var config = WebImageDownloaderConfig()
        config.policy = .server
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        return WebImageDownloader(config: config)
    }

    /// Answers one request.
    public func answer(_ request: ServiceRequest) async -> ServiceResponse {
        guard ["GET", "HEAD"].contains(request.method) else { return text(405, "only GET and HEAD") }
        let query = URLComponents(string: request.target)?.queryItems ?? []
        func value(_ name: String) -> String? { query.first { $0.name == name }?.value }
        guard let url = value("url").flatMap({ URL(string: $0) }),
            let width = value("width").flatMap({ Int($0) }), (1...2000).contains(width)
        else { return text(400, "url and width are required; width is 1 to 2000") }
        var wanted = ImageRequest(url: url, width: width, options: .decodeFirstFrameOnly)
        wanted.limits = DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000)
        var options = EncodingOptions()
        options.quality = 0.8
        do throws(WebImageError) {
            let image = try await previews.encodedImage(for: wanted, format: .webP, options: options)
            var headers: ServiceHeaders = [
                "Content-Type": image.contentType, "ETag": image.etag, "Cache-Control": "max-age=3600",
            ]
            headers["Last-Modified"] = image.lastModified
            if image.matches(ifNoneMatch: request.headers["If-None-Match"]) {
                return ServiceResponse(status: 304, headers: headers)
            }
            return ServiceResponse(status: 200, headers: headers, body: .bytes(image.data))
        } catch {
            return text(status(for: error), error.description)
        }
    }

    private func status(for error: WebImageError) -> Int {
        switch error.code {
        case .invalidURL, .invalidDownloadOperation: 400  // No URL, or one that the policy refuses.
        case .limitExceeded: 413
        case .badImageData, .unsupportedFormat: 415
        default: 502
        }
    }

    private func text(_ status: Int, _ words: String) -> ServiceResponse {
        ServiceResponse(
            status: status, headers: ["Content-Type": "text/plain; charset=utf-8"],
            body: .bytes(Data((words + "\n").utf8)))
    }
}
// end
