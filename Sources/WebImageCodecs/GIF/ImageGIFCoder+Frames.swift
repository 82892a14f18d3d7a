public import Foundation
public import WebImageCore

extension ImageGIFCoder: FrameEncodingImageCoder {
    /// Encodes the frames as GIF; a still for a single frame, or if the options ask for the first frame alone.
    ///
    /// A frame of at most 256 colours keeps them exactly; any other gets the best 256 with error diffusion. Alpha under
    /// one half becomes transparent, the rest opaque. Durations are rounded to hundredths of a second such that their sum
    /// is kept. With a loop count of 1 no loop extension is written, and the file plays once.
    ///
    /// - Throws: `.encodingFailed`, also for pictures over 65535 px a side, and the errors of `frame`.
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
