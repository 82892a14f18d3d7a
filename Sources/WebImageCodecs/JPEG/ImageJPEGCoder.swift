public import Foundation
public import WebImageCore

/// Decodes and encodes JPEG (ITU-T T.81, JFIF, EXIF) with libjpeg-turbo.
///
/// Baseline, progressive and arithmetic files of 8 bits, grey, RGB, YCbCr, CMYK and YCCK. A smaller picture is decoded
/// smaller (by the DCT, to a half, quarter or eighth), then resampled. Safe on any thread, several at once.
public struct ImageJPEGCoder: DetailedImageCoder {
    /// The coder for whole files; it has no state.
    public static let shared = ImageJPEGCoder()

    /// The same coder as ``shared``.
    public init() { streaming = nil }

    /// What an instance made for one arriving picture holds.
    let streaming: StreamingDecode?

    init(streaming: StreamingDecode) { self.streaming = streaming }

    /// Whether the data starts with a JPEG's first two markers.
    public func canDecode(from data: Data?) -> Bool { data.map { ImageFormat(sniffing: $0) == .jpeg } ?? false }

    /// Whether the format is JPEG.
    public func canEncode(to format: ImageFormat) -> Bool { format == .jpeg }
}
