public import Foundation
public import WebImageCore

extension ImagePNGCoder: FrameEncodingImageCoder {
    /// Encodes the frames as lossless APNG of 8 or 16 bits; a still PNG for a single frame, or if the options ask for it.
    ///
    /// Requests the frames in order; starts again at the first when a later frame is the first with alpha.
    ///
    /// - Throws: `.encodingFailed`, and the errors of `frame`.
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
