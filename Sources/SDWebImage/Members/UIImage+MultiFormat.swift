public import Foundation
public import WebImage

extension Image {
    /// Decodes a file with the registered coders. If the file is an animation and `firstFrameOnly` is true, decodes
    /// only the first frame. Otherwise the result contains all frames. Blocks during decoding.
    public static func sd_image(with data: Data?, scale: CGFloat = 1, firstFrameOnly: Bool = false) -> UIImage? {
        image(with: data, scale: scale, firstFrameOnly: firstFrameOnly)
    }

    /// Decodes a GIF file with all its frames. Blocks during decoding.
    public static func sd_image(withGIFData data: Data?) -> UIImage? { image(withGIFData: data) }

    /// Encodes the image in its original format. If no coder can write this format, writes PNG for an image with alpha
    /// and JPEG for other images. For an animation, returns the original file. Blocks during encoding.
    public func sd_imageData() -> Data? { imageData() }

    /// Encodes the image in a format. Blocks during encoding.
    ///
    /// - Parameters:
    ///   - compressionQuality: The quality of lossy formats, 0…1.
    ///   - firstFrameOnly: Whether only the first frame of an animation is written.
    public func sd_imageData(
        as imageFormat: SDImageFormat, compressionQuality: Double = 1, firstFrameOnly: Bool = false
    ) -> Data? {
        imageData(as: imageFormat, compressionQuality: compressionQuality, firstFrameOnly: firstFrameOnly)
    }

    /// Returns a decoded image: a new object with the same pixels if ``sd_isDecoded`` is false, and the same object
    /// otherwise.
    public static func sd_decodedImage(with image: UIImage?) -> UIImage? {
        ImageCoderHelper.decodedImage(with: image)
    }

    /// Returns a smaller image if the pixels of `image` use more than `limitBytes` bytes. Otherwise returns `image`. A
    /// limit of 0 means the default limit. Blocks during scaling.
    public static func sd_decodedAndScaledDownImage(with image: UIImage?, limitBytes: UInt = 0) -> UIImage? {
        ImageCoderHelper.decodedAndScaledDownImage(with: image, limitBytes: limitBytes)
    }
}
