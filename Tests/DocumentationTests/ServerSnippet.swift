// snippet: server
import Foundation
import WebImage

/// Once, when the server starts: public addresses alone, http and https alone, no proxy of the environment's.
func beSafe() { WebImageDownloader.shared.config.policy = .server }

/// Encoded previews in memory and on disk.
let previews = ImageEncodedCache()

/// Any picture as a WebP that fits 320 × 320 px, an animation as its first frame: fetched, checked, decoded at that
/// size, encoded, cached; with its content type and entity tag.
func preview(of url: URL) async throws(WebImageError) -> EncodedImage {
    var request = ImageRequest(
        url: url, size: CGSize(width: 320, height: 320), options: .decodeFirstFrameOnly)
    request.limits = DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000)
    var options = EncodingOptions()
    options.quality = 0.8
    return try await previews.encodedImage(for: request, format: .webP, options: options)
}
// end
