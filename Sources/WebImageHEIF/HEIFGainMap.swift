import CWebImageHEIF
import Foundation
import WebImageCore
import WebImageGraphics

/// The gain map of a HEIF file: an auxiliary picture of the primary one, with the metadata of an item `tmap` (ISO 21496-1) or
/// with Apple's properties, or a hidden item that only the item `tmap` names.
final class HEIFGainMap {
    /// Where the values are.
    private enum Source {
        /// The handle of an auxiliary picture, which this object owns.
        case auxiliary(HEIFFunctions, OpaquePointer)
        /// The primary picture of a copy of the file, because libheif does not decode hidden items.
        case copy(PinnedBytes, HEIFDecoder)
    }

    private let source: Source
    private let isApple: Bool
    /// The map without its values.
    let description: GainMap

    private static let types = ["urn:com:apple:photo:2020:aux:hdrgainmap", "urn:iso:std:iso:ts:21496-1"]
    private static let mostAuxiliaries = 16

    /// Finds the map. Returns nil if the file has none, or if its metadata is damaged: the base picture is there.
    static func find(
        of primary: OpaquePointer, _ items: HEIFItems, in bytes: UnsafeRawBufferPointer, by libheif: HEIFFunctions,
        limits: DecodingLimits
    ) -> HEIFGainMap? {
        let item = ToneMapItem(items, bytes)
        return auxiliary(of: primary, items, item, by: libheif, limits: limits)
            ?? item.flatMap { HEIFGainMap(copying: bytes, for: $0, items, limits: limits) }
    }

    private static func auxiliary(
        of primary: OpaquePointer, _ items: HEIFItems, _ item: ToneMapItem?, by libheif: HEIFFunctions,
        limits: DecodingLimits
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
                owning: auxiliary, number: Int(number), of: primary, items, item, libheif: libheif, limits: limits)
            {
                return map
            }
        }
        return nil
    }

    /// Takes ownership of the handle, also if it returns nil.
    private init?(
        owning handle: OpaquePointer, number: Int, of primary: OpaquePointer, _ items: HEIFItems, _ item: ToneMapItem?,
        libheif: HEIFFunctions, limits: DecodingLimits
    ) {
        let size = PixelSize(
            width: Int(libheif.heif_image_handle_get_width(handle)),
            height: Int(libheif.heif_image_handle_get_height(handle)))
        var name: UnsafePointer<CChar>?
        let error = libheif.heif_image_handle_get_auxiliary_type(handle, &name)
        let isMap = error.code == heif_error_Ok && name.map { Self.types.contains(String(cString: $0)) } == true
        if name != nil { libheif.heif_image_handle_free_auxiliary_types(handle, &name) }
        var map: GainMap?
        var isApple = false
        if isMap, size.width > 0, size.height > 0, (try? limits.checkPixels(size)) != nil {
            if let item, item.map == number {
                map = item.description(size: size, channelCount: items.channelCount(of: number))
            } else if let xmp = libheif.metadata(of: handle, type: "mime", limits),
                let headroom = AppleGainMap.headroom(
                    xmp: xmp, exif: libheif.metadata(of: primary, type: "Exif", limits))
            {
                map = GainMap(metadata: AppleGainMap.metadata(headroom: headroom), size: size, channelCount: 1)
                isApple = true
            }
        }
        guard let map else {
            libheif.heif_image_handle_release(handle)
            return nil
        }
        (source, self.isApple, description) = (.auxiliary(libheif, handle), isApple, map)
        HandleLedger.opened("heif_gain_map")
    }

    /// The map that only the item `tmap` names. Returns nil if libheif cannot read its boxes.
    private init?(
        copying bytes: UnsafeRawBufferPointer, for item: ToneMapItem, _ items: HEIFItems, limits: DecodingLimits
    ) {
        let file = item.fileOfMap
        guard let decoder = try? HEIFDecoder(file.bytes, format: .heif, limits: limits, isMap: true) else { return nil }
        source = .copy(file, decoder)
        isApple = false
        description = item.description(size: decoder.info.pixelSize, channelCount: items.channelCount(of: item.map))
    }

    deinit {
        guard case .auxiliary(let libheif, let handle) = source else { return }
        libheif.heif_image_handle_release(handle)
        HandleLedger.closed("heif_gain_map")
    }

    /// Decodes the part of the map that belongs to a result of the base. libheif has turned both upright.
    func decoded(
        _ options: DecodingOptions, base info: ImageInfo, deadline: DecodeDeadline
    ) throws(WebImageError) -> GainMap {
        let own = description.decodingUpright(options, in: info)
        let picture: DecodedPicture
        switch source {
        case .auxiliary(let libheif, let handle):
            let pixels = try Self.pixels(of: handle, libheif)
            guard pixels.size == description.size else {
                throw .badData("libheif", "the gain map has another size than its file declares")
            }
            picture = DecodedPicture(
                pixels: pixels, orientation: .up, profile: nil, hasAlpha: false, format: info.format)
        case .copy(_, let decoder):
            try own.checkMemory(for: decoder.info)
            picture = try decoder.picture(own, deadline: deadline)
        }
        let pixels = try picture.finished(options: own, fullSize: description.size).pixels
        return description.with(isApple ? try AppleGainMap.logarithms(of: pixels, description.metadata) : pixels)
    }

    private static func pixels(
        of handle: OpaquePointer, _ libheif: HEIFFunctions
    ) throws(WebImageError) -> PixelBuffer {
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
        return try libheif.pixels(of: decoded, format: .rgb8)
    }
}

extension HEIFItems {
    /// Whether a picture, or the first tile of a grid, is coded with one channel or three. The parameters of HEVC name the
    /// format of chroma; 0 means that there is none (ISO/IEC 14496-15 §8.3.3.1).
    fileprivate func channelCount(of item: Int) -> Int {
        for number in [item] + (sources[item]?.prefix(1) ?? []) {
            guard let box = try? properties("hvcC", of: number).first, box.count > 16 else { continue }
            return byte(at: box.lowerBound + 16) & 3 == 0 ? 1 : 3
        }
        return 3
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
