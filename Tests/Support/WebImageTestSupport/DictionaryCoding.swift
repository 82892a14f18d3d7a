public import Foundation
public import WebImageCore

// The options of tests that go through all keys of coder options. The same signatures as those of SDWebImage's coders.
extension ImageCoder {
    /// Returns the decoded image; nil when the decode fails.
    public func decodedImage(with data: Data?, options: ImageCoderOptions?) -> Image? {
        data.flatMap { image(from: $0, options: DecodingOptions(options)) }
    }

    /// Returns the encoded file; nil when the image cannot be encoded.
    public func encodedData(with image: Image?, format: ImageFormat, options: ImageCoderOptions?) -> Data? {
        guard let image else { return nil }
        let format = format == .undefined ? (image.hasAlpha ? .png : .jpeg) : format
        return try? encode(image, format: format, options: EncodingOptions(options))
    }

    /// Returns the encoded animation; nil when it cannot be encoded. A GIF stores the loop count itself.
    public func encodedData(
        with frames: [ImageFrame], loopCount: UInt, format: ImageFormat, options: ImageCoderOptions?
    ) -> Data? {
        let loops = Int(clamping: loopCount)
        let plays = format == .gif && loops > 1 ? min(loops, .max - 1) + 1 : loops
        return try? encode(frames, loopCount: plays, format: format, options: EncodingOptions(options))
    }
}
