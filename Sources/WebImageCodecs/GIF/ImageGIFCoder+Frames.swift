public import Foundation
public import WebImageCore

extension ImageGIFCoder: FrameEncodingImageCoder {
    /// The frames as GIF; a single one, or the first where the options want it alone, as a still.
    ///
    /// Frames of at most 256 colours keep them exactly; others get the best 256 and their error is diffused. Alpha under
    /// one half becomes transparent, the rest opaque. Durations are hundredths of a second, rounded so that their sum is
    /// kept. A loop count of 1 is written as no loop extension, which plays once.
    ///
    /// - Throws: `.encodingFailed`, also for pictures over 65535 px a side, and what `frame` throws.
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
