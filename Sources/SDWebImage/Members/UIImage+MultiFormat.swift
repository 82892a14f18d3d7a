public import Foundation
public import WebImage

extension Image {
    /// Decodes a file with the registered coders, by default including all frames of an animation. Blocks while it
    /// decodes.
    public static func sd_image(with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false) -> UIImage? {
        image(with: data, scale: scale, firstFrameOnly: firstFrameOnly)
    }

    /// Decodes a GIF file with all its frames. Blocks while it decodes.
    public static func sd_image(withGIFData data: Data?) -> UIImage? { image(withGIFData: data) }

    /// Encodes the image in its original format. For an animation, returns the original file. Blocks while it encodes.
    public func sd_imageData() -> Data? { imageData() }

    /// Encodes the image; blocks while it encodes.
    ///
    /// - Parameters:
    ///   - compressionQuality: The quality of lossy formats, 0…1.
    ///   - firstFrameOnly: Whether only the first frame of an animation is written.
    public func sd_imageData(
        as imageFormat: SDImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false
    ) -> Data? {
        imageData(as: imageFormat, compressionQuality: compressionQuality, firstFrameOnly: firstFrameOnly)
    }

    /// Returns the same image, because images here are always decoded.
    public static func sd_decodedImage(with image: UIImage?) -> UIImage? {
        ImageCoderHelper.decodedImage(with: image)
    }

    /// The image, scaled down if its pixels use more than `limitBytes` bytes. 0 means the default limit.
    public static func sd_decodedAndScaledDownImage(with image: UIImage?, limitBytes: UInt = 0) -> UIImage? {
        ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: Int(clamping: limitBytes))
    }
}
