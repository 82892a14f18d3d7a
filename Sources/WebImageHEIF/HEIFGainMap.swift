import CWebImageHEIF
import Foundation
import WebImageCore
import WebImageGraphics

/// The gain map of a HEIF file: an auxiliary picture of the primary one, with the metadata of an item `tmap` (ISO 21496-1), or
/// with Apple's properties. Owns the handle of the auxiliary picture.
final class HEIFGainMap {
    private let libheif: HEIFFunctions
    private let handle: OpaquePointer
    private let isApple: Bool
    /// The map without its values.
    let description: GainMap

    private static let types = ["urn:com:apple:photo:2020:aux:hdrgainmap", "urn:iso:std:iso:ts:21496-1"]
    private static let mostAuxiliaries = 16

    /// Finds the map. Returns nil if the file has none, or if its metadata is damaged: the base picture is there.
    static func find(
        of primary: OpaquePointer, _ items: HEIFItems, by libheif: HEIFFunctions, limits: DecodingLimits
    ) -> HEIFGainMap? {
        let filter = Int32(LIBHEIF_AUX_IMAGE_FILTER_OMIT_ALPHA | LIBHEIF_AUX_IMAGE_FILTER_OMIT_DEPTH)
        let count = min(
            Int(libheif.heif_image_handle_get_number_of_auxiliary_images(primary, filter)), mostAuxiliaries)
        guard count > 0 else { return nil }
        var numbers = [heif_item_id](repeating: 0, count: count)
        let found = libheif.heif_image_handle_get_list_of_auxiliary_image_IDs(
            primary, filter, &numbers, Int32(count))
        for number in numbers.prefix(Int(max(found, 0))) {
            var auxiliary: OpaquePointer?
            let error = libheif.heif_image_handle_get_auxiliary_image_handle(primary, number, &auxiliary)
            guard error.code == heif_error_Ok, let auxiliary else { continue }
            if let map = HEIFGainMap(
                owning: auxiliary, item: Int(number), of: primary, items: items, libheif: libheif, limits: limits)
            {
                return map
            }
        }
        return nil
    }

    /// Takes ownership of the handle, also if it returns nil.
    private init?(
        owning handle: OpaquePointer, item: Int, of primary: OpaquePointer, items: HEIFItems, libheif: HEIFFunctions,
        limits: DecodingLimits
    ) {
        let size = PixelSize(
            width: Int(libheif.heif_image_handle_get_width(handle)),
            height: Int(libheif.heif_image_handle_get_height(handle)))
        var name: UnsafePointer<CChar>?
        let error = libheif.heif_image_handle_get_auxiliary_type(handle, &name)
        let isMap = error.code == heif_error_Ok && name.map { Self.types.contains(String(cString: $0)) } == true
        if name != nil { libheif.heif_image_handle_free_auxiliary_types(handle, &name) }
        var metadata: GainMapMetadata?
        var isApple = false
        if isMap, size.width > 0, size.height > 0, (try? limits.checkPixels(size)) != nil {
            if let tone = items.toneMapMetadata(of: item) {
                metadata = tone
            } else if let xmp = libheif.metadata(of: handle, type: "mime", limits),
                let headroom = AppleGainMap.headroom(
                    xmp: xmp, exif: libheif.metadata(of: primary, type: "Exif", limits))
            {
                (metadata, isApple) = (AppleGainMap.metadata(headroom: headroom), true)
            }
        }
        guard let metadata else {
            libheif.heif_image_handle_release(handle)
            return nil
        }
        (self.libheif, self.handle, self.isApple) = (libheif, handle, isApple)
        description = GainMap(metadata: metadata, size: size, channelCount: metadata.channels.count)
        HandleLedger.opened("heif_gain_map")
    }

    deinit {
        libheif.heif_image_handle_release(handle)
        HandleLedger.closed("heif_gain_map")
    }

    /// Decodes the part of the map that belongs to a result of the base. libheif has turned both upright.
    func decoded(_ options: DecodingOptions, base info: ImageInfo) throws(WebImageError) -> GainMap {
        let (own, _) = description.decoding(options, in: info)
        let decoding = libheif.heif_decoding_options_alloc()
        defer { libheif.heif_decoding_options_free(decoding) }
        decoding?.pointee.convert_hdr_to_8bit = 1
        var decoded: OpaquePointer?
        try check(
            libheif.heif_decode_image(
                handle, &decoded, heif_colorspace_RGB, heif_chroma_interleaved_RGB, decoding))
        guard let decoded else { throw .badData("libheif", "returned no gain map") }
        HandleLedger.opened("heif_image")
        defer {
            libheif.heif_image_release(decoded)
            HandleLedger.closed("heif_image")
        }
        let colors = try libheif.pixels(of: decoded, format: .rgb8)
        guard PixelSize(width: colors.width, height: colors.height) == description.size else {
            throw .badData("libheif", "the gain map has another size than its file declares")
        }
        let pixels = description.channelCount == 1 ? try colors.converted(to: .gray8, isOpaque: true) : colors
        let picture = DecodedPicture(
            pixels: pixels, orientation: .up, profile: nil, hasAlpha: false, format: info.format)
        let image = try picture.finished(options: own, fullSize: description.size)
        return GainMap(
            metadata: description.metadata,
            pixels: isApple
                ? try AppleGainMap.logarithms(of: image.pixels, description.metadata) : image.pixels)
    }
}

extension HEIFItems {
    /// The metadata of the item `tmap` whose second source is this map. Nil if there is none, or if it is damaged.
    fileprivate func toneMapMetadata(of map: Int) -> GainMapMetadata? {
        for (number, kinds) in types where kinds == ["tmap"] && sources[number]?.last == map {
            var budget = 4096
            // The first byte is the version of the item's own syntax.
            guard let payload = try? data(of: number, budget: &budget).first, payload.first == 0,
                let metadata = try? GainMapMetadata(iso: Data(payload.dropFirst()))
            else { continue }
            return metadata
        }
        return nil
    }
}

extension HEIFFunctions {
    /// Returns the first metadata of a type that belongs to a picture. Nil if there is none, or if it exceeds the limits.
    fileprivate func metadata(of handle: OpaquePointer, type: String, _ limits: DecodingLimits) -> Data? {
        let count = heif_image_handle_get_number_of_metadata_blocks(handle, type)
        guard count > 0 else { return nil }
        var number: heif_item_id = 0
        guard heif_image_handle_get_list_of_metadata_block_IDs(handle, type, &number, 1) == 1 else { return nil }
        let size = heif_image_handle_get_metadata_size(handle, number)
        guard size > 0, size <= limits.maxAncillaryChunkBytes else { return nil }
        var data = Data(count: size)
        let error = data.withUnsafeMutableBytes { heif_image_handle_get_metadata(handle, number, $0.baseAddress) }
        return error.code == heif_error_Ok ? data : nil
    }
}
