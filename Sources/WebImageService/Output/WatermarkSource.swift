import Foundation
import WebImageCore

/// The configured watermark, decoded when a target uses it for the first time.
final class WatermarkSource: Sendable {
    private let data: Data
    private let opacity: Double
    private let image = Locked<Image?>(nil)
    /// Distinguishes results with this watermark from those with another.
    let digest: String

    init(data: Data, opacity: Double) {
        self.data = data
        self.opacity = opacity
        digest = HMAC.sha256(Array(data)).prefix(8).map { String($0, radix: 16) }.joined() + String(opacity)
    }

    /// Blocks while the picture is decoded for the first time.
    func drawing() throws(WebImageError) -> WatermarkDrawing {
        if let known = image.withLock({ $0 }) { return WatermarkDrawing(mark: known, opacity: opacity) }
        var options = DecodingOptions()
        options.firstFrameOnly = true
        let decoded = try ImageCodersManager.shared.decode(data, options: options)
        image.withLock { $0 = decoded }
        return WatermarkDrawing(mark: decoded, opacity: opacity)
    }
}
