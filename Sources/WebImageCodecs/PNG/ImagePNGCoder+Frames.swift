public import Foundation
public import WebImageCore

extension ImagePNGCoder: FrameEncodingImageCoder {
    /// The frames as APNG without loss, 16 bits kept; a single one, or the first where the options want it alone, as PNG.
    ///
    /// Frames are asked for in order, from the first again where a later one is the first to be transparent.
    ///
    /// - Throws: `.encodingFailed`, and what `frame` throws.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libpng", "\(format) is not PNG") }
        guard frameCount > 0 else { throw .cannotEncode("APNG", "there are no frames") }
        guard frameCount > 1, !options.firstFrameOnly else {
            return try PNGWriter.encode(try frame(0).image, options: options)
        }
        return try APNGWriter.encode(frameCount: frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
