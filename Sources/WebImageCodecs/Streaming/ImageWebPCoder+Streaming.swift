public import Foundation
public import WebImageCore

extension ImageWebPCoder: StreamingImageCoder {
    /// Makes an instance for one picture that arrives in pieces.
    public convenience init(incrementalWithOptions options: ImageCoderOptions?) {
        self.init(streaming: StreamingDecode(options) { WebPStream($0) })
    }

    /// Whether the data starts as a WebP file does.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

    /// Takes all bytes so far.
    public func updateIncrementalData(_ data: Data?, finished: Bool) { streaming?.update(data, finished: finished) }

    /// What can be shown: rows as they come; of an animation the first frame; the image itself, the same bit for bit
    /// as a decode at once gives, when all has arrived. Of the options only the scale is read again.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        streaming?.image(scale: options?.incrementalScale)
    }

    /// Takes the next bytes; the time a file may cost counts from call to call, not while bytes are awaited.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; then again at every further call.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try streaming?.append(bytes, finished: finished)
    }

    /// What the header said, as soon as it is whole.
    public var incrementalInfo: ImageInfo? { streaming?.info }

    /// Grows whenever there is more to show.
    public var incrementalRevision: Int { streaming?.revision ?? 0 }
}
