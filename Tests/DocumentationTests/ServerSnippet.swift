// snippet: server
import Foundation
import WebImage

/// Once, when the server starts: public addresses alone, http and https alone, no proxy of the environment's.
func beSafe() { WebImageDownloader.shared.config.policy = .server }

/// Any picture as a WebP that fits 320 × 320 px, an animation as its first frame: fetched, checked, decoded at that
/// size, cached, encoded.
func preview(of url: URL) async throws(WebImageError) -> Data {
    let image = try await WebImageManager.shared.image(
        for: url, options: .decodeFirstFrameOnly,
        context: [
            .imageThumbnailPixelSize: CGSize(width: 320, height: 320),
            .decodingLimits: DecodingLimits(maxEncodedBytes: 20_000_000, maxPixels: 50_000_000),
        ])
    var options = EncodingOptions()
    options.quality = 0.8
    return try ImageCodersManager.shared.encode(image, format: .webP, options: options)
}
// end
