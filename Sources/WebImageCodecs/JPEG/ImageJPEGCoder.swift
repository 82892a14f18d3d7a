public import WebImageCore

/// Decodes and encodes JPEG (ITU-T T.81, JFIF, EXIF) with libjpeg-turbo.
///
/// Supports baseline, progressive and arithmetic files of 8 bits in grey, RGB, YCbCr, CMYK and YCCK. For a smaller size
/// the DCT decodes to a half, quarter or eighth, and the result is resampled. Safe on any thread, several at once.
///
/// A partial image has the rows that have arrived, or the newest complete scan of a file of several scans.
public struct ImageJPEGCoder: BuiltInImageCoder, DetailedImageCoder {
    /// The coder for whole files; it has no state.
    public static let shared = ImageJPEGCoder()

    /// How files of the format are recognised and streamed.
    public static let fileType = CodecFileType(format: .jpeg, makeStream: { JPEGStream($0) })

    /// The content of an instance made for one picture.
    public let work: CodecWork

    /// The same coder as ``shared``.
    public init() { work = CodecWork() }

    /// Makes an instance with this content.
    public init(work: CodecWork) { self.work = work }
}
