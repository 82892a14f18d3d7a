// snippet: server
import Foundation
import WebImage

/// Call this once, when the server starts. The policy allows only public addresses and only http and https, and ignores
/// the environment's proxies.
func beSafe() { WebImageDownloader.shared.config.policy = .server }

/// Caches encoded previews in memory and on disk.
let previews = ImageEncodedCache()

/// Returns a WebP that fits 320 × 320 px, with content type and entity tag. An animation becomes its first frame. The
/// picture is fetched, checked, decoded at that size, encoded and cached.
func preview(of url: URL) async throws(WebImageError) -> EncodedImage {
    var request = ImageRequest(
        url: url, size: CGSize(width: 320, height: 320), options: .decodeFirstFrameOnly)
    request.limits = DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000)
    var options = EncodingOptions()
    options.quality = 0.8
    return try await previews.encodedImage(for: request, format: .webP, options: options)
}
// end
