public import Foundation

/// Metadata that an encoder writes into a file in addition to the pixels.
///
/// A decoded image contains no EXIF or XMP metadata. To preserve this metadata, read it from the original file with
/// ``ImageCodersManager/imageProperties(of:limits:)`` and pass it to the encoder. The colour profile needs no extra
/// step, because it is part of the image.
public struct EmbeddedMetadata: Sendable, Hashable {
    /// The EXIF data: a TIFF structure (EXIF 2.32 §4.5) without the `Exif` prefix. The encoder replaces the orientation
    /// in this data by "upright", because decoded pixels are upright.
    public var exif: Data?
    /// An XMP packet (ISO 16684-1).
    public var xmp: Data?

    /// Creates metadata from EXIF and XMP data.
    public init(exif: Data? = nil, xmp: Data? = nil) {
        self.exif = exif
        self.xmp = xmp
    }
}
