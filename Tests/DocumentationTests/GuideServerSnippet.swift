import Foundation
import WebImage
import WebImageHTTP

// snippet: guide-framework
/// What your framework hands in and sends: ten lines that stand for its types.
struct WebRequest {
    var query: [String: String]
}

struct WebResponse {
    var status: Int
    var contentType = "text/plain"
    var body = Data()
}
// end

// snippet: guide-handler
/// Answers `?url=…&width=…` with a WebP of that width, of an animation with its first frame.
struct PreviewHandler: Sendable {
    let manager: WebImageManager

    init(cacheFolder: String) {
        var config = WebImageDownloaderConfig()
        config.policy = .server
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        manager = WebImageManager(
            cache: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder),
            loader: WebImageDownloader(config: config))
    }

    func answer(_ request: WebRequest) async -> WebResponse {
        guard let url = request.query["url"].flatMap({ URL(string: $0) }),
            let width = request.query["width"].flatMap({ Int($0) }), (1...2000).contains(width)
        else { return WebResponse(status: 400) }
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
            return WebResponse(status: 200, contentType: "image/webp", body: body)
        } catch {
            return WebResponse(status: error.code == .limitExceeded ? 413 : 502, body: Data(error.code.words.utf8))
        }
    }
}
// end

// snippet: guide-policy
/// A downloader for URLs that strangers give: public addresses, and those of your own image servers (`10.1.2.0/28`).
func makeGuardedDownloader(ownServers: AddressRange) -> WebImageDownloader {
    var policy = DownloadPolicy.server
    policy.allowedAddresses = [ownServers]
    var config = WebImageDownloaderConfig()
    config.policy = policy
    config.maxBodyBytes = 10_000_000
    config.maxRedirects = 3
    return WebImageDownloader(config: config)
}

/// A policy for a program that needs pictures of few hosts alone: every other host is refused.
func makeHostPolicy() -> DownloadPolicy {
    var policy = DownloadPolicy.server
    policy.allowedHosts = [".example.org"]  // example.org and every host below it
    return policy
}
// end

// snippet: guide-limits
/// A stricter load: no picture over 16 megapixels, no animation over 300 frames, two seconds to decode.
func loadCarefully(_ url: URL) async throws(WebImageError) -> Image {
    var limits = DecodingLimits.default
    limits.maxPixels = 16_000_000
    limits.maxFrameCount = 300
    limits.maxDecodeTime = .seconds(2)
    return try await WebImageManager.shared.image(for: url, context: [.decodingLimits: limits])
}
// end
