import Foundation
import WebImageCore

/// The configured watermark. It is decoded when a target uses it for the first time.
final class WatermarkSource: Sendable {
    private let data: Data
    private let opacity: Double
    private let image = Locked<Image?>(nil)
    /// The size of the watermark in pixels; nil if its header cannot be read.
    let pixelSize: PixelSize?
    /// Text for result keys that identifies this watermark and its opacity.
    let digest: String

    init(data: Data, opacity: Double) {
        self.data = data
        self.opacity = opacity
        pixelSize = (try? ImageCodersManager.shared.imageInfo(of: data, limits: .default))?.pixelSize
        let bytes = HMAC.sha256(Array(data)).prefix(8).map { String($0, radix: 16) }
        digest = bytes.joined(separator: ":") + "/" + String(opacity)
    }

    /// Returns the decoded watermark. The first call decodes the watermark and blocks.
    func drawing() throws(WebImageError) -> WatermarkDrawing {
        if let known = image.withLock({ $0 }) { return WatermarkDrawing(mark: known, opacity: opacity) }
        var options = DecodingOptions()
        options.firstFrameOnly = true
        let decoded = try ImageCodersManager.shared.decode(data, options: options)
        image.withLock { $0 = decoded }
        return WatermarkDrawing(mark: decoded, opacity: opacity)
    }
}
