import Foundation
import WebImage

/// The replacement for the operating system's decoder and encoder: the built-in coders alone.
///
/// With registered coders, a registered coder that calls `UIImage(data:)` would call itself without end.
enum SystemCoders {
    private static let builtIn = ImageCodersManager(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }())

    /// Decodes the first frame of a file; nil for data that no built-in coder can decode.
    static func still(_ data: Data?, scale: CGFloat) -> Image? {
        guard let data else { return nil }
        let options: ImageCoderOptions = [.decodeScaleFactor: Double(max(scale, 1)), .decodeFirstFrameOnly: true]
        return builtIn.decodedImage(with: data, options: options)
    }

    /// Encodes the image, or its first frame; nil when the format cannot be written.
    static func file(of image: Image, format: ImageFormat, quality: Double = 1) -> Data? {
        var options = EncodingOptions()
        options.quality = quality
        options.firstFrameOnly = true
        return try? builtIn.encode(image, format: format, options: options)
    }
}
