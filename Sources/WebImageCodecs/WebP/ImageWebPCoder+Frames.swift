public import Foundation
public import WebImageCore

extension ImageWebPCoder: FrameEncodingImageCoder {
    /// Encodes the frames as an animated WebP, lossy or lossless as the options request. Writes a still if there is
    /// only one frame, or if `options.firstFrameOnly` is true.
    ///
    /// - Throws: `.encodingFailed` if a frame cannot be encoded. Errors of `frame` are also thrown.
    public func encode(
        frameCount: Int, loopCount: Int, format: ImageFormat, options: EncodingOptions,
        frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("libwebp", "\(format) is not WebP") }
        guard frameCount > 0 else { throw .cannotEncode("libwebp", "there are no frames") }
        guard frameCount > 1, !options.firstFrameOnly else {
            return try WebPEncoding.encode(try frame(0).image, options: options)
        }
        return try WebPAnimationWriter.encode(
            frameCount: frameCount, loopCount: loopCount, options: options, frame: frame)
    }
}
