import Foundation
import WebImageCore

extension PNGChunks {
    /// The profile the pixels are meant in; nil is sRGB. `reader` has read the header.
    func profile(_ reader: PNGReader, limits: DecodingLimits) throws(WebImageError) -> ColorProfile? {
        iccProfile == nil ? nil : reader.profile
    }

    /// The same from the bytes up to the pixels.
    func profile(in bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) -> ColorProfile? {
        guard iccProfile != nil else { return nil }
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: limits)
        return try profile(reader, limits: limits)
    }
}
