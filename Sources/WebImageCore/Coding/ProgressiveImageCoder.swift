public import Foundation

/// A coder that makes partial images while a file is being downloaded. The requirements are the same as in SDWebImage.
///
/// A new instance is created for each image. Only one thread at a time uses an instance. The main thread never uses an
/// instance.
@preconcurrency public protocol ProgressiveImageCoder: ImageCoder {
    /// Returns whether the coder can make partial images of a file that begins with this data.
    func canIncrementalDecode(from data: Data?) -> Bool
    /// Makes an instance for one image.
    init(incrementalWithOptions options: ImageCoderOptions?)
    /// Updates the coder. `data` contains all bytes received so far, including the bytes of earlier updates.
    /// After an update with `finished`, further updates are ignored.
    func updateIncrementalData(_ data: Data?, finished: Bool)
    /// Returns the partial image; nil before the first row has arrived. For an animation, a coder may return only the
    /// first frame.
    func incrementalDecodedImage(with options: ImageCoderOptions?) -> Image?
}

/// A progressive coder that receives only the new bytes at each update. The time of an update is proportional to the
/// number of new bytes, not to the number of all bytes received so far.
@preconcurrency public protocol StreamingImageCoder: ProgressiveImageCoder {
    /// Appends the next bytes.
    ///
    /// After an error, the partial image does not change any more.
    ///
    /// - Throws: `.badImageData` when the bytes cannot be decoded, `.limitExceeded` when the image exceeds a limit.
    func append(_ bytes: Data, finished: Bool) throws(WebImageError)
    /// The description of the image, read from the header. Nil until the header has arrived completely.
    var incrementalInfo: ImageInfo? { get }
    /// A number that increases when the partial image improves. The caller requests a new partial image only
    /// if the number has increased.
    var incrementalRevision: Int { get }
}
