public import Foundation

/// A coder that can read the metadata of a file, such as EXIF and XMP.
@preconcurrency public protocol ImagePropertiesReading: ImageCoder {
    /// Returns EXIF, XMP, profile and text without decoding the image. Damaged metadata is omitted without an error.
    ///
    /// - Throws: `.badImageData` when the coder cannot read the data, `.limitExceeded` when the file exceeds `limits`.
    func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties
}

extension ImageCodersManager: ImagePropertiesReading {
    /// Returns the metadata of a file. If the coder for the file cannot read metadata, the result contains only the
    /// values of ``imageInfo(of:limits:)``.
    public func imageProperties(
        of data: Data, limits: DecodingLimits = .default
    ) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        if let reader = decoder(for: data)?.propertiesReading {
            return try reader.imageProperties(of: data, limits: limits)
        }
        return ImageProperties(info: try imageInfo(of: data, limits: limits))
    }
}
