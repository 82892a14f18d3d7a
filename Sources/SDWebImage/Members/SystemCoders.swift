import Foundation
import WebImage

/// The decoder and encoder that the operating system gives the original: the built-in coders alone.
///
/// A registered coder that calls `UIImage(data:)` would otherwise be asked again, without end.
enum SystemCoders {
    private static let builtIn = ImageCodersManager(coders: ImageCodersManager.makeDefaultCoders.withLock { $0 }())

    /// The first frame of a file; nil for data that no built-in coder reads.
    static func still(_ data: Data?, scale: CGFloat) -> Image? {
        guard let data else { return nil }
        let options: ImageCoderOptions = [.decodeScaleFactor: Double(max(scale, 1)), .decodeFirstFrameOnly: true]
        return builtIn.decodedImage(with: data, options: options)
    }

    /// The picture, its first frame, as a file; nil when it cannot be written so.
    static func file(of image: Image, format: ImageFormat, quality: Double = 1) -> Data? {
        var options = EncodingOptions()
        options.quality = quality
        options.firstFrameOnly = true
        return try? builtIn.encode(image, format: format, options: options)
    }
}
