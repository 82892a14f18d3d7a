import WebImageCore
import WebImageGraphics

/// The gain map of an AVIF file, which the item `tmap` describes. Owns a copy of the file in which the map is the primary
/// picture, and its decoder: libavif before version 1.2 does not read the item.
final class AVIFGainMap {
    private let file: PinnedBytes
    private let decoder: AVIFDecoder
    /// The map without its values.
    let description: GainMap

    /// Returns nil if the file has no map, or if its boxes are damaged: the base picture is there.
    init?(findingIn bytes: UnsafeRawBufferPointer, limits: DecodingLimits) {
        guard let item = ToneMapItem(findingIn: bytes) else { return nil }
        file = item.fileOfMap
        guard let decoder = try? AVIFDecoder(file.bytes, limits: limits, isMap: true), decoder.info.frameCount == 1
        else { return nil }
        self.decoder = decoder
        description = item.description(size: decoder.info.pixelSize, channelCount: decoder.info.isGray ? 1 : 3)
    }

    /// Decodes the part of the map that belongs to a result of the base.
    func decoded(
        _ options: DecodingOptions, base info: ImageInfo, deadline: DecodeDeadline
    ) throws(WebImageError) -> GainMap {
        try description.decoded(options, base: info, own: decoder.info) { own throws(WebImageError) in
            try decoder.picture(at: 0, options: own, deadline: deadline)
        }
    }
}

extension UnsafeRawBufferPointer {
    /// A copy of an AVIF file that does not say that it has a tone-mapped item, so that libavif does not read the item. Nil if
    /// the file does not say so either.
    var withoutToneMapBrand: PinnedBytes? {
        guard count >= 16, loadUnaligned(fromByteOffset: 4, as: UInt32.self).bigEndian == 0x6674_7970 else {
            return nil
        }
        let size = Int(loadUnaligned(fromByteOffset: 0, as: UInt32.self).bigEndian)
        // The compatible brands follow the main brand and its version.
        let places = stride(from: 16, through: Swift.min(size, count) - 4, by: 4).filter {
            loadUnaligned(fromByteOffset: $0, as: UInt32.self).bigEndian == 0x746D_6170
        }
        guard !places.isEmpty else { return nil }
        return PinnedBytes(copying: self) { copy in
            for place in places {
                copy.storeBytes(of: UInt32(0x6D69_6631).bigEndian, toByteOffset: place, as: UInt32.self)
            }
        }
    }
}
