import Foundation
import WebImage
import WebImageHTTP

// snippet: guide-framework
/// These types stand for the request and response types of your web framework.
struct WebRequest {
    var query: [String: String]
    var ifNoneMatch: String?
}

struct WebResponse {
    var status: Int
    var headers: [String: String] = [:]
    var body = Data()
}
// end

// snippet: guide-handler
/// Answers `?url=…&width=…` with a WebP of that width, which shows the first frame of an animation.
struct PreviewHandler: Sendable {
    let previews: ImageEncodedCache

    init(cacheFolder: String) {
        var config = WebImageDownloaderConfig()
        config.policy = .server
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        let manager = WebImageManager(
            cache: ImageCache(namespace: "originals", diskCacheDirectory: cacheFolder),
            loader: WebImageDownloader(config: config))
        manager.failedURLLifetime = .seconds(60)
        previews = ImageEncodedCache(
            manager: manager, storage: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder))
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        guard let url = request.query["url"].flatMap({ URL(string: $0) }),
            let width = request.query["width"].flatMap({ Int($0) }), (1...2000).contains(width)
        else { return WebResponse(status: 400) }
        var wanted = ImageRequest(url: url, width: width, options: .decodeFirstFrameOnly)
        wanted.limits = DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000)
        var options = EncodingOptions()
        options.quality = 0.8
        do throws(WebImageError) {
            let image = try await previews.encodedImage(for: wanted, format: .webP, options: options)
            var headers = ["Content-Type": image.contentType, "ETag": image.etag, "Cache-Control": "max-age=3600"]
            headers["Last-Modified"] = image.lastModified
            if image.matches(ifNoneMatch: request.ifNoneMatch) { return WebResponse(status: 304, headers: headers) }
            return WebResponse(status: 200, headers: headers, body: image.data)
        } catch {
            return WebResponse(status: status(for: error), body: Data(error.code.words.utf8))
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
}
// end

// snippet: guide-policy
/// A downloader for untrusted URLs. It connects only to public addresses and to your image servers (`10.1.2.0/28`).
func makeGuardedDownloader(ownServers: AddressRange) -> WebImageDownloader {
    var policy = DownloadPolicy.server
    policy.allowedAddresses = [ownServers]
    var config = WebImageDownloaderConfig()
    config.policy = policy
    config.maxBodyBytes = 10_000_000
    config.maxRedirects = 3
    return WebImageDownloader(config: config)
}

/// A policy for a program that needs only a few hosts. It refuses all others.
func makeHostPolicy() -> DownloadPolicy {
    var policy = DownloadPolicy.server
    policy.allowedHosts = [".example.org"]  // example.org and every host below it
    return policy
}
// end

// snippet: guide-limits
/// Loads with stricter limits: 16 megapixels, 300 frames and 2 s of decoding.
func loadCarefully(_ url: URL) async throws(WebImageError) -> Image {
    var limits = DecodingLimits.default
    limits.maxPixels = 16_000_000
    limits.maxFrameCount = 300
    limits.maxDecodeTime = .seconds(2)
    return try await WebImageManager.shared.image(for: url, context: [.decodingLimits: limits])
}
// end
