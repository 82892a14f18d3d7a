public import Foundation
public import WebImageCore

extension ImagePNGCoder: FrameEncodingImageCoder {
    /// Encodes the frames as a lossless APNG with 8 or 16 bits per channel. Writes a still PNG if there is only one
    /// frame, or if `options.firstFrameOnly` is true.
    ///
    /// Calls `frame` in order. If any frame has alpha, calls `frame` a second time for all frames, from the first
    /// frame.
    ///
    /// - Throws: `.encodingFailed` if a frame cannot be encoded. Errors of `frame` are also thrown.
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
