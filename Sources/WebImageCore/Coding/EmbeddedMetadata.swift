public import Foundation

/// What is written into a file beside its pixels.
///
/// A decoded picture carries no metadata: who wants to keep it reads it with
/// ``ImageCodersManager/imageProperties(of:limits:)`` and hands it on. The colour profile travels with the image itself.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// A TIFF structure (EXIF 2.32 §4.5), without the `Exif` before it. Its orientation is written as upright, since
    /// decoded pixels are.
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?

    /// Pairs EXIF with XMP.
    public init(exif: Data? = nil, xmp: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
    }
}
