import Foundation
import WebImage
import WebImageHTTP
import WebImageSandbox
import WebImageServer
import WebImageService

// snippet: guide-handler
/// Answers `?url=…&width=…` with a WebP of that width, which shows the first frame of an animation.
struct PreviewHandler: Sendable {
    let previews: ImageEncodedCache

    /// - Parameter loader: Fetches the pictures. Tests pass a `FakeDataLoader`.
    init(cacheFolder: String, loader: any ImageLoader = PreviewHandler.downloader()) {
        let manager = WebImageManager(
            cache: ImageCache(namespace: "originals", diskCacheDirectory: cacheFolder), loader: loader)
        manager.failedURLLifetime = .seconds(60)
        previews = ImageEncodedCache(
            manager: manager, storage: ImageCache(namespace: "previews", diskCacheDirectory: cacheFolder))
    }

    static func downloader() -> WebImageDownloader {
        var config = WebImageDownloaderConfig()
        config.policy = .server
        config.downloadDeadline = 10
        config.maxBodyBytes = 20_000_000
        return WebImageDownloader(config: config)
    }

    func answer(_ request: ServiceRequest) async -> ServiceResponse {
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

// snippet: guide-serve
/// Serves the handler, for example on `127.0.0.1:8080`. The server runs until `stop(within:)`.
func serve(_ handler: PreviewHandler, on address: String) throws(HTTPServerError) -> HTTPServer {
    try HTTPServer(
        listening: [ListenAddress(address)],
        respondImmediately: { request in
            // Called on a thread that serves sockets: only for answers that need no work.
            request.target == "/healthz" ? ServiceResponse(status: 200, body: .bytes(Data("ok\n".utf8))) : nil
        },
        respond: { request in await handler.answer(request) })
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

// snippet: guide-isolation
/// Decodes in restricted processes from now on. Call it after the program has added its coders.
func isolateDecoders() throws(WebImageError) {
    let status = try WebImageSandbox.enable()
    for coder in status.hostCoders { print("\(coder) decodes in this process") }
}
// end
