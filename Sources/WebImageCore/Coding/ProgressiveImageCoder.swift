public import Foundation

/// A coder that shows what has arrived of a picture while the rest is on its way; the shape is the original's.
///
/// A new instance is made for each picture and used from one thread at a time, off the main thread.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Whether pictures that start so can be shown in part.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Makes an instance for one picture.
    init(incrementalWithOptions options: ImageCoderOptions?)
    /// Takes all bytes that have arrived so far, those already seen included; ignored after a finished update.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// What can be shown now; nil before the first row is there. May be the first frame only.
    func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image?
}

/// A progressive coder that takes bytes piece by piece: its work is proportional to what is new.
@preconcurrency public protocol StreamingImageCoder: ProgressiveImageCoder {
    /// Takes the next bytes.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; the picture then stays what it was.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// What the header said, as soon as it is whole; nil before.
    var incrementalInfo: ImageInfo? { get }
    /// How many times what can be shown has got better: previews are made only when this has grown.
    var incrementalRevision: Int { get }
}
