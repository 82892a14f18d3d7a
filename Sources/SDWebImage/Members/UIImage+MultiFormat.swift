public import Foundation
public import WebImage

extension Image {
    /// Decodes a file with the coders in use; all frames if it is an animation. Blocks while it decodes.
    public static func sd_image(with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false) -> UIImage? {
        image(with: data, scale: scale, firstFrameOnly: firstFrameOnly)
    }

    /// Decodes a GIF file, all frames. Blocks while it decodes.
    public static func sd_image(withGIFData data: Data?) -> UIImage? { image(withGIFData: data) }

    /// The picture encoded in the format it came from, an animation's own file. Blocks while it encodes.
    public func sd_imageData() -> Data? { imageData() }

    /// The picture encoded; blocks while it encodes.
    ///
    /// - Parameters:
    ///   - compressionQuality: of lossy formats, 0…1.
    ///   - firstFrameOnly: whether only the first frame of an animation is written.
    public func sd_imageData(
        as imageFormat: SDImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false
    ) -> Data? {
        imageData(as: imageFormat, compressionQuality: compressionQuality, firstFrameOnly: firstFrameOnly)
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
