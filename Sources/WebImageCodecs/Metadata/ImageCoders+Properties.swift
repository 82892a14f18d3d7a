public import Foundation
public import WebImageCore

extension ImageJPEGCoder {
    /// Returns EXIF (including its thumbnail), XMP, colour profile, density and gain map. Reads the segments before the first
    /// scan. A gain map is another JPEG after the picture in the same file.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        let segments = try data.withFileBytes { bytes throws(WebImageError) in
            let segments = try JPEGSegments(bytes, limits: limits)
            properties.gainMapData = segments.gainMap(in: bytes, limits: limits)
            return segments
        }
        if let exif = segments.exif { ExifReader.read(exif, into: &properties) }
        properties.density = segments.density ?? properties.density
        properties.xmp = segments.xmp
        properties.iccProfile = segments.iccProfile
        return properties
    }
}

extension ImagePNGCoder {
    /// Returns EXIF, XMP, colour profile, density and the texts of text chunks. Skips a text of more than 64 KiB.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let chunks = try PNGChunks(bytes, limits: limits)
            try chunks.checkMetadata(limits)
            var properties = ImageProperties(info: chunks.info(orientation: chunks.orientation(in: data)))
            if let exif = chunks.exif { ExifReader.read(data.slice(exif), into: &properties) }
            properties.density = PNGDensity.read(bytes) ?? properties.density
            properties.xmp = chunks.xmp.map { Data(data.slice($0)) }
            properties.iccProfile = try? chunks.storedProfile(in: bytes, limits: limits)?.iccData
            properties.texts = PNGTexts.read(bytes, limits: limits)
            return properties
        }
    }
}

extension ImageWebPCoder {
    /// Returns EXIF, XMP and colour profile.
    public func imageProperties(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageProperties {
        var properties = ImageProperties(info: try imageInfo(of: data, limits: limits))
        let webP = try data.withFileBytes { bytes throws(WebImageError) in try WebPContainer(bytes, limits: limits) }
        try webP.checkMetadata(limits)
        if let exif = webP.exif { ExifReader.read(data.slice(exif), into: &properties) }
        properties.xmp = webP.xmp.map { Data(data.slice($0)) }
        properties.iccProfile = webP.iccProfile.map { Data(data.slice($0)) }
        return properties
    }
}
