import CWebImageHEIF
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns one libheif context and the handle of its primary picture.
final class HEIFDecoder {
    private let libheif: HEIFFunctions
    private let context: OpaquePointer
    private let handle: OpaquePointer
    let info: ImageInfo
    private let profile: ColorProfile?
    /// The gain map of the primary picture; nil if it has none.
    let gainMap: HEIFGainMap?
    private let byteCount: Int

    /// Parses the boxes. `bytes` must outlive the decoder, because the decoder reads them without a copy.
    ///
    /// - Parameter isMap: Whether the picture is the gain map of another one, so that it has none itself.
    init(
        _ bytes: UnsafeRawBufferPointer, format: ImageFormat, limits: DecodingLimits, isMap: Bool = false
    ) throws(WebImageError) {
        libheif = try HEIFLibrary.functions()
        byteCount = bytes.count
        let coded = try HEIFCodedSizes(bytes, limits: limits)
        guard let context = libheif.heif_context_alloc() else { throw .badData("libheif", "out of memory") }
        HandleLedger.opened("heif_context")
        do throws(WebImageError) {
            libheif.heif_context_set_maximum_image_size_limit(context, Int32(clamping: min(limits.maxPixels, 32768)))
            // With 0, libheif starts no threads. Decodes run on the pool's threads, whose number is limited. Threads of
            // libheif would exceed this limit.
            libheif.heif_context_set_max_decoding_threads(context, 0)
            if let copy = try HEIFReferences(bytes, coded.file).acceptedCopy() {
                try check(libheif.heif_context_read_from_memory(context, copy, copy.count, nil))
            } else {
                try check(
                    libheif.heif_context_read_from_memory_without_copy(context, bytes.baseAddress, bytes.count, nil))
            }
            var primary: OpaquePointer?
            try check(libheif.heif_context_get_primary_image_handle(context, &primary))
            guard let primary else { throw .badData("libheif", "there is no primary picture") }
            do throws(WebImageError) {
                var info = try libheif.info(of: primary, format: format, coded, limits: limits)
                profile = try libheif.profile(of: primary, limits: limits) { HEIFBoxReader(bytes).contentLight }
                info.hdr = profile?.hdr
                gainMap = isMap ? nil : .find(of: primary, coded.file, in: bytes, by: libheif, limits: limits)
                if let gainMap {
                    var range = info.hdr ?? HDRDescription()
                    range.gainMap = gainMap.description
                    info.hdr = range
                }
                self.info = info
            } catch {
                libheif.heif_image_handle_release(primary)
                throw error
            }
            handle = primary
        } catch {
            libheif.heif_context_free(context)
            HandleLedger.closed("heif_context")
            throw error
        }
        self.context = context
    }

    deinit {
        libheif.heif_image_handle_release(handle)
        libheif.heif_context_free(context)
        HandleLedger.closed("heif_context")
    }

    /// The time of decoding a pixel and a byte of a file (Documentation/Costs.md).
    private static let (secondsPerPixel, secondsPerByte) = (50e-9, 60e-9)

    /// Decodes the picture with straight alpha. Channels have 8 bits. They have 16 bits if both the file and the
    /// requested pixel format have more than 8 bits.
    func picture(_ wanted: DecodingOptions, deadline: DecodeDeadline) throws(WebImageError) -> DecodedPicture {
        // libheif cannot be interrupted while it decodes a picture.
        try deadline.admit(
            "decoding HEIC",
            seconds: Double(info.storedSize.pixelCount) * Self.secondsPerPixel
                + Double(byteCount) * Self.secondsPerByte)
        let needsDepth = wanted.colorConversion == .sRGB && profile?.needsDepth == true
        let isDeep = info.bitDepth > 8 && (wanted.pixelFormat.bitsPerComponent > 8 || needsDepth)
        let options = libheif.heif_decoding_options_alloc()
        defer { libheif.heif_decoding_options_free(options) }
        options?.pointee.convert_hdr_to_8bit = isDeep ? 0 : 1
        let chroma =
            isDeep
            ? heif_chroma_interleaved_RRGGBBAA_LE
            : info.hasAlpha ? heif_chroma_interleaved_RGBA : heif_chroma_interleaved_RGB
        var decoded: OpaquePointer?
        try check(libheif.heif_decode_image(handle, &decoded, heif_colorspace_RGB, chroma, options))
        guard let decoded else { throw .badData("libheif", "returned no picture") }
        HandleLedger.opened("heif_image")
        defer {
            libheif.heif_image_release(decoded)
            HandleLedger.closed("heif_image")
        }
        let format: PixelFormat = isDeep ? .rgba16 : info.hasAlpha ? .rgba8 : .rgb8
        let pixels = try libheif.pixels(of: decoded, format: format)
        if isDeep {
            pixels.widen(from: Int(libheif.heif_image_get_bits_per_pixel_range(decoded, heif_channel_interleaved)))
        }
        // libheif never divides colours by alpha, although an item can be multiplied (reference `prem`, ISO/IEC 23008-12
        // §7.6.7).
        if info.hasAlpha, libheif.heif_image_is_premultiplied_alpha(decoded) != 0 { pixels.unpremultiplyInPlace() }
        let size = PixelSize(width: pixels.width, height: pixels.height)
        guard size == info.storedSize else {
            throw .badData("libheif", "a picture has \(size) px, but the file declares \(info.storedSize)")
        }
        return DecodedPicture(
            pixels: pixels, orientation: .up, profile: profile, hasAlpha: info.hasAlpha, format: info.format)
    }
}

extension HEIFItems {
    /// Whether libheif names a size that its decode exchanges the sides of.
    ///
    /// Cameras of Sony write the rotation of the primary picture before its size. libheif 1.15 turns the pixels, but its
    /// size of the picture is that of `ispe`.
    fileprivate func isTurnedBeforeItsSize(_ size: PixelSize) throws(WebImageError) -> Bool {
        guard size.width != size.height, let item = primary.first else { return false }
        let turns = try properties("irot", of: item).filter { !$0.isEmpty && byte(at: $0.lowerBound) & 1 == 1 }
        guard turns.count & 1 == 1, try properties("clap", of: item).isEmpty,
            let declared = try properties("ispe", of: item).last, declared.count >= 12
        else { return false }
        func side(_ offset: Int) -> Int {
            (0..<4).reduce(0) { $0 << 8 | Int(byte(at: declared.lowerBound + offset + $1)) }
        }
        return size == PixelSize(width: side(4), height: side(8))
    }
}

extension HEIFFunctions {
    /// Returns the properties of the picture. libheif applies the boxes `irot` and `imir`. The size is therefore the
    /// size after rotation, and the orientation is always `.up`.
    fileprivate func info(
        of handle: OpaquePointer, format: ImageFormat, _ coded: HEIFCodedSizes, limits: DecodingLimits
    ) throws(WebImageError) -> ImageInfo {
        var size = PixelSize(
            width: Int(heif_image_handle_get_width(handle)), height: Int(heif_image_handle_get_height(handle)))
        if try coded.file.isTurnedBeforeItsSize(size) { size = PixelSize(width: size.height, height: size.width) }
        guard size.width > 0, size.height > 0 else { throw .badData("libheif", "the picture has no size") }
        try limits.checkPixels(size)
        var info = ImageInfo(format: format, storedSize: size)
        info.hasAlpha = heif_image_handle_has_alpha_channel(handle) != 0
        info.bitDepth = max(Int(heif_image_handle_get_luma_bits_per_pixel(handle)), 8)
        info.hasICCProfile = heif_image_handle_get_raw_color_profile_size(handle) > 0
        // This package copies the pixels of libheif into its own buffer. During the copy, libheif's decoded planes and
        // libheif's interleaved picture are also in memory.
        let decoded = PixelSize(width: max(size.pixelCount, coded.largest), height: 1)
        info.workingMemory.fixedBytes = decoded.byteCount(info.bitDepth > 8 ? 16 : 8)
        return info
    }

    fileprivate func profile(
        of handle: OpaquePointer, limits: DecodingLimits, light: () -> ContentLightLevel?
    ) throws(WebImageError) -> ColorProfile? {
        let count = heif_image_handle_get_raw_color_profile_size(handle)
        if count > 0 {
            var budget = AncillaryBudget(limits)
            try budget.take(count)
            var data = Data(count: count)
            let error = data.withUnsafeMutableBytes {
                heif_image_handle_get_raw_color_profile(handle, $0.baseAddress)
            }
            try check(error)
            return ColorProfile(iccData: data)
        }
        var nclx: UnsafeMutablePointer<heif_color_profile_nclx>?
        guard heif_image_handle_get_nclx_color_profile(handle, &nclx).code == heif_error_Ok, let nclx else {
            return nil
        }
        defer { heif_nclx_color_profile_free(nclx) }
        return ColorProfile(
            primaries: Int(nclx.pointee.color_primaries.rawValue),
            transfer: Int(nclx.pointee.transfer_characteristics.rawValue), light: light())
    }

    func pixels(of image: OpaquePointer, format: PixelFormat) throws(WebImageError) -> PixelBuffer {
        var stride: Int32 = 0
        let width = Int(heif_image_get_width(image, heif_channel_interleaved))
        let height = Int(heif_image_get_height(image, heif_channel_interleaved))
        guard let plane = heif_image_get_plane_readonly(image, heif_channel_interleaved, &stride),
            Int(stride) >= width * format.bytesPerPixel
        else { throw .badData("libheif", "returned no pixels") }
        let pixels = try PixelBuffer(width: width, height: height, format: format)
        for row in 0..<height {
            memcpy(
                pixels.baseAddress + row * pixels.bytesPerRow, plane + row * Int(stride), width * format.bytesPerPixel)
        }
        return pixels
    }
}

/// Throws libheif's error. Copies the message of the error, because the message can belong to the context and the error
/// outlives the context.
func check(_ error: heif_error) throws(WebImageError) {
    guard error.code != heif_error_Ok else { return }
    throw .badData("libheif", error.message.map { String(cString: $0) } ?? "error \(error.code.rawValue)")
}

extension PixelBuffer {
    /// Converts values of `bits` bits to 16 bits in place. The added lower bits repeat the upper bits, so that the
    /// maximum value of `bits` bits becomes the maximum value of 16 bits.
    fileprivate func widen(from bits: Int) {
        guard (9...15).contains(bits) else { return }
        for row in 0..<height {
            let values = UnsafeMutableBufferPointer(
                start: (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt16.self), count: width * 4)
            for index in values.indices {
                let value = UInt32(UInt16(littleEndian: values[index]))
                values[index] = UInt16(truncatingIfNeeded: value << (16 - bits) | value >> (2 * bits - 16))
            }
        }
    }
}
