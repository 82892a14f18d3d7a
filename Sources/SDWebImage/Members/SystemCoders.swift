import Foundation
import WebImage

/// Decodes images for `UIImage(data:)` and encodes images for `pngData()`. Uses only the built-in coders. On Apple's
/// systems, these functions use the operating system's coders.
///
/// Registered coders are not used, because a registered coder that calls `UIImage(data:)` would call itself endlessly.
enum SystemCoders {
    private static let builtIn = ImageCodersManager(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }.call())

    /// Decodes the first frame of a file. Returns nil if no built-in coder can decode the data.
    static func still(_ data: Data?, scale: CGFloat) -> Image? {
        guard let data else { return nil }
        var options = DecodingOptions()
        options.scaleFactor = Double(max(scale, 1))
        options.firstFrameOnly = true
        return builtIn.image(from: data, options: options)
    }

    /// Encodes a still image or the first frame of an animation. Returns nil if no built-in coder can write the format.
    static func file(of image: Image, format: ImageFormat, quality: Double = 1) -> Data? {
        var options = EncodingOptions()
        options.quality = quality
        options.firstFrameOnly = true
        return try? builtIn.encode(image, format: format, options: options)
    }
}
