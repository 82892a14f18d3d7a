public import Foundation

/// A coder that reads what a file says beside its pixels.
@preconcurrency public protocol ImagePropertiesReading: ImageCoder {
    /// EXIF, XMP, profile and text, without decoding the picture; damaged metadata is left out, never an error.
    ///
    /// - Throws: `.badImageData` for what is no such file, `.limitExceeded` for one over `limits`.
    func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties
}

extension ImageCodersManager: ImagePropertiesReading {
    /// What the file says beside its pixels; of coders that read none, what they say in ``imageInfo(of:limits:)``.
    public func imageProperties(
        of data: Data, limits: DecodingLimits = .default
    ) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        if let reader = coders.last(where: { $0.canDecode(from: data) }) as? any ImagePropertiesReading {
            return try reader.imageProperties(of: data, limits: limits)
        }
        return ImageProperties(info: try imageInfo(of: data, limits: limits))
    }
}
