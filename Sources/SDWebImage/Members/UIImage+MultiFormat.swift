public import Foundation
public import WebImage
import WebImageCodecs

extension Image {
    /// Decodes a file with the coders in use; all frames if it is an animation. Blocks while it decodes.
    public static func sd_image(with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false) -> UIImage? {
        guard let data else { return nil }
        if !firstFrameOnly, let animated = AnimatedImage(data: data, scale: max(scale, 1)), animated.isAnimated {
            return animated
        }
        return ImageCodersManager.shared.decodedImage(
            with: data,
            options: [.decodeScaleFactor: Double(max(scale, 1)), .decodeFirstFrameOnly: firstFrameOnly])
    }

    /// Decodes a GIF file, all frames. Blocks while it decodes.
    public static func sd_image(withGIFData data: Data?) -> UIImage? {
        guard let data, ImageGIFCoder.shared.canDecode(from: data) else { return nil }
        return AnimatedImage(data: data)
    }

    /// The picture encoded in the format it came from; PNG or JPEG when it came from none. Blocks while it encodes.
    public func sd_imageData() -> Data? { sd_imageData(as: sd_imageFormat) }

    /// The picture encoded; blocks while it encodes.
    ///
    /// - Parameters:
    ///   - compressionQuality: of lossy formats, 0…1.
    ///   - firstFrameOnly: whether only the first frame of an animation is written.
    public func sd_imageData(
        as imageFormat: SDImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false
    ) -> Data? {
        ImageCodersManager.shared.encodedData(
            with: self, format: imageFormat,
            options: [.encodeCompressionQuality: compressionQuality, .encodeFirstFrameOnly: firstFrameOnly])
    }

    /// The picture ready for display: itself, as pictures come decoded.
    public static func sd_decodedImage(with image: UIImage?) -> UIImage? {
        ImageCoderHelper.decodedImage(with: image)
    }

    /// The picture, made smaller where its pixels take more than `limitBytes` (0 is the default).
    public static func sd_decodedAndScaledDownImage(with image: UIImage?, limitBytes: UInt = 0) -> UIImage? {
        ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: Int(clamping: limitBytes))
    }
}
