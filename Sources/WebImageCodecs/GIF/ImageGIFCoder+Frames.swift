public import Foundation
public import WebImageCore

extension ImageGIFCoder: FrameEncodingImageCoder {
    /// Encodes the frames as an animated GIF. Writes a still if there is only one frame or if `firstFrameOnly` is set
    /// in the options.
    ///
    /// A frame with at most 256 colours is encoded exactly. A frame with more colours is reduced to the best 256
    /// colours with error diffusion. Pixels with an alpha below 128 of 255 become transparent; all other pixels
    /// become opaque. Durations are rounded to hundredths of a second, and each rounding error is carried over to the
    /// next frame. If `loopCount` is 1, no loop extension is written, and viewers play the file once.
    ///
    /// - Throws: `.encodingFailed`, also if a side is longer than 65535 px; the errors that `frame` throws.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("giflib", "\(format) is not GIF") }
        guard frameCount > 0 else { throw .cannotEncode("giflib", "there are no frames") }
        return try GIFEncoding.encode(
            frameCount: options.firstFrameOnly ? 1 : frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
