import Foundation
import WebImage
import WebImageHTTP
import WebImageSandbox

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
