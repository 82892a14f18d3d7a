public import Foundation

/// A coder that shows the received part of an image while the rest is being downloaded; the same requirements as in the
/// original.
///
/// A new instance is made for each image and used from one thread at a time, off the main thread.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Returns whether images that begin with this data can be shown in part.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Makes an instance for one image.
    init(incrementalWithOptions options: ImageCoderOptions?)
    /// Updates the coder with all bytes received so far, those already passed included; ignored after a finished
    /// update.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// Returns the partial image; nil before the first row has arrived. It may be the first frame only.
    func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image?
}

/// A progressive coder that takes bytes piece by piece: its work is proportional to the new bytes.
@preconcurrency public protocol StreamingImageCoder: ProgressiveImageCoder {
    /// Appends the next bytes.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`; the partial image then stays unchanged.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// The description in the header, as soon as the header is complete; nil before.
    var incrementalInfo: ImageInfo? { get }
    /// The number of improvements of the partial image: a new one is made only when this has grown.
    var incrementalRevision: Int { get }
}
