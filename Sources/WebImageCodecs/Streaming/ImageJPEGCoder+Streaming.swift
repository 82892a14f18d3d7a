public import Foundation
public import WebImageCore

extension ImageJPEGCoder: StreamingImageCoder {
    /// Makes an instance for one picture that arrives in pieces.
    public init(incrementalWithOptions options: ImageCoderOptions?) {
        self.init(streaming: StreamingDecode(options) { JPEGStream($0) })
    }

    /// Whether the data starts with a JPEG's first two markers.
    public func canIncrementalDecode(from data: Data?) -> Bool { canDecode(from: data) }

    /// Takes all bytes so far.
    public func updateIncrementalData(_ data: Data?, finished: Bool) { streaming?.update(data, finished: finished) }

    /// What can be shown: rows as they come, or the newest complete scan of a file of several; the image itself, the
    /// same bit for bit as a decode at once gives, when all has arrived. Of the options only the scale is read again.
    public func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image? {
        streaming?.image(scale: options?.incrementalScale)
    }

    /// Takes the next bytes; the time a file may cost counts from call to call, not while bytes are awaited.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; then again at every further call.
    public func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        try streaming?.append(bytes, finished: finished)
    }

    /// Size, orientation, channels and profile, from the bytes before the first scan on.
    public var incrementalInfo: ImageInfo? { streaming?.info }

    /// Rows or scans that have arrived.
    public var incrementalRevision: Int { streaming?.revision ?? 0 }
}

extension ImageCoderOptions {
    /// The scale of one preview; nil leaves the instance's own.
    var incrementalScale: Double? { self[.decodeScaleFactor] == nil ? nil : DecodingOptions(self).scaleFactor }
}
