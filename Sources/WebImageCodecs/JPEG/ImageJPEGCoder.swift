public import WebImageCore

/// Decodes and encodes JPEG (ITU-T T.81, JFIF, EXIF) with libjpeg-turbo.
///
/// Supports baseline, progressive and arithmetic-coded files with 8 bits per channel in grey, RGB, YCbCr, CMYK and
/// YCCK. For a thumbnail, libjpeg-turbo decodes at a half, a quarter or an eighth of the size. The result is then
/// scaled to the thumbnail size. Thread-safe; several threads can decode at the same time.
///
/// A partial image shows the rows that have arrived. If the file has several scans, a partial image shows the newest
/// complete scan.
public struct ImageJPEGCoder: BuiltInImageCoder, DetailedImageCoder {
    /// The shared coder for whole files. It has no state.
    public static let shared = ImageJPEGCoder()

    /// The functions that recognise and stream files of this format.
    public static let fileType = CodecFileType(format: .jpeg, makeStream: { JPEGStream($0) })

    /// The picture that this instance was created for. Empty in the shared instance.
    public let work: CodecWork

    /// Creates a coder that decodes whole files and behaves like ``shared``.
    public init() { work = CodecWork() }

    /// Creates an instance for one picture or one animation.
    public init(work: CodecWork) { self.work = work }
}
