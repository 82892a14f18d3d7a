public import Foundation

/// Metadata that is written into a file beside the pixels.
///
/// A decoded image carries no metadata. To keep it, read it with ``ImageCodersManager/imageProperties(of:limits:)`` and
/// pass it on. The colour profile is part of the image itself.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// A TIFF structure (EXIF 2.32 §4.5), without the `Exif` prefix. Its orientation is written as upright, because
    /// decoded pixels are upright.
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?

    /// Pairs EXIF with XMP.
    public init(exif: Data? = nil, xmp: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
    }
}
