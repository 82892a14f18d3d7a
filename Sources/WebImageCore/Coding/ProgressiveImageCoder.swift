public import Foundation

/// A coder that makes partial images while a file is being downloaded. The requirements are those of SDWebImage.
///
/// A new instance is created for each image. It is used by one thread at a time, never by the main thread.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Returns whether the coder can make partial images of a file that begins with this data.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Makes an instance for one image.
    init(incrementalWithOptions options: ImageCoderOptions?)
    /// Updates the coder. `data` contains all bytes received so far, including the bytes of earlier updates.
    /// After an update with `finished`, further updates are ignored.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// Returns the partial image; nil before the first row has arrived. For an animation, it may be only the
    /// first frame.
    func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image?
}

/// A progressive coder that receives only the new bytes at each update. Its work is proportional to the new
/// bytes, not to all bytes received so far.
@preconcurrency public protocol StreamingImageCoder: ProgressiveImageCoder {
    /// Appends the next bytes.
    ///
    /// - Throws: `.badImageData`, `.limitExceeded`. After an error, the partial image does not change.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// The description in the header; nil until the header is complete.
    var incrementalInfo: ImageInfo? { get }
    /// A number that grows when the partial image becomes better. The caller requests a new partial image
    /// only if the number has grown.
    var incrementalRevision: Int { get }
}
