public import Foundation
public import WebImageCore

extension ImageGIFCoder: FrameEncodingImageCoder {
    /// Encodes the frames as an animated GIF. Writes a still if there is only one frame, or if `options.firstFrameOnly`
    /// is true.
    ///
    /// A pixel with an alpha below 128 of 255 becomes transparent; any other pixel becomes opaque. A frame with at most
    /// 256 colours is encoded exactly. A frame with more colours is reduced to 256 colours with error diffusion. If a
    /// frame has transparent pixels, transparency counts as one of the 256 colours.
    ///
    /// Durations are rounded to hundredths of a second. The rounding error of each frame is added to the duration of
    /// the next frame. If `loopCount` is 1, no loop extension is written, and viewers play the file once.
    ///
    /// - Throws: `.encodingFailed` if the image cannot be encoded, for example if a side is longer than 65535 px.
    ///   Errors of `frame` are also thrown.
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
