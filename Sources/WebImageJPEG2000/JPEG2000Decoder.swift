import CWebImageJPEG2000
import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes the picture of one file: which resolution level and which part of it is decoded, and where the level's
/// samples lie in the picture.
struct JPEG2000Decoder {
    private let bytes: UnsafeRawBufferPointer
    private let header: JPEG2000Header
    private let options: DecodingOptions
    private let resampling: Resampling

    /// - Parameter bytes: The file. The decoder reads them without a copy, so they must outlive it.
    init(_ bytes: UnsafeRawBufferPointer, _ header: JPEG2000Header, options: DecodingOptions) {
        (self.bytes, self.header, self.options) = (bytes, header, options)
        resampling = options.resampling(of: header.info.storedSize, .up)
    }

    func picture(_ deadline: DecodeDeadline) throws(WebImageError) -> DecodedPicture {
        let codec = try OpenJPEGCodec(bytes, isBoxed: header.isBoxed)
        let level = level(of: codec.resolutionCount)
        let area = area(level: level)
        try check(level: level, area: area, deadline)
        try codec.decode(level: level, area: area == Area(header) ? nil : area)

        let plane = JPEG2000Planes(codec.image, header, level: level, area: area)
        var picture = try plane.picture(options)
        if level > 0 || area != Area(header) {
            picture.reduction = .init(
                factor: Double(1 << level), left: area.offset(area.left, from: header.origin.x, level: level),
                top: area.offset(area.top, from: header.origin.y, level: level))
        }
        return picture
    }

    /// Returns the smallest resolution level from which the result can be made: each level halves the sides.
    ///
    /// The level must be at least four times as large as the result. The short filters of the wavelet let through what the
    /// smaller grid cannot show: from levels of two or three times the size, photos lose up to 3.8 points of SSIMULACRA2
    /// with the reversible filter and 1.5 with the other one. From four times on, photos lose up to 0.1. A side stays at 64
    /// px or more.
    private func level(of resolutionCount: Int) -> Int {
        let size = header.info.storedSize
        var level = 0
        while level + 1 < resolutionCount, resampling.ratio >= 4 * Double(2 << level),
            min(size.width, size.height) >> (level + 1) >= 64
        {
            level += 1
        }
        return level
    }

    /// A part of the picture on the reference grid.
    struct Area: Equatable {
        var left: Int
        var top: Int
        var right: Int
        var bottom: Int

        init(_ header: JPEG2000Header) {
            (left, top) = header.origin
            (right, bottom) = (left + header.info.storedSize.width, top + header.info.storedSize.height)
        }

        /// The number of samples of a level along a side. Samples lie on the multiples of the level's step.
        static func samples(from first: Int, to end: Int, step: Int) -> Int {
            (end + step - 1) / step - (first + step - 1) / step
        }

        func size(step: Int) -> PixelSize {
            PixelSize(
                width: Self.samples(from: left, to: right, step: step),
                height: Self.samples(from: top, to: bottom, step: step))
        }

        /// Where the edge of the picture at `origin` lies in the samples of a level that start with the first one at or
        /// after `first`, in samples from their edge.
        ///
        /// The sample with number n is where the pixel n · 2ˡ of the reference grid is. So the first pixel and the first
        /// sample have the same centre, and the sample reaches half of its width beyond it.
        func offset(_ first: Int, from origin: Int, level: Int) -> Double {
            let step = 1 << level
            return (Double(origin) - 0.5) / Double(step) + 0.5 - Double((first + step - 1) / step)
        }
    }

    /// The part of the picture that the filter of the scaling reads.
    private func area(level: Int) -> Area {
        let whole = Area(header)
        let (region, step) = (resampling.region, 1 << level)
        /// The samples of a side that the filter reads; `whole` is that side of the picture.
        func side(from start: Double, length: Double, to target: Int, of whole: Range<Int>) -> Range<Int> {
            let reach = 3 * max(length / Double(target), 1) + Double(16 * step)
            let first = whole.lowerBound + Int(max(start - reach, 0))
            return first..<min(whole.lowerBound + Int((start + length + reach).rounded(.up)), whole.upperBound)
        }
        let columns = side(
            from: region.left, length: region.width, to: resampling.target.width, of: whole.left..<whole.right)
        let rows = side(
            from: region.top, length: region.height, to: resampling.target.height, of: whole.top..<whole.bottom)
        var area = whole
        (area.left, area.right) = (columns.lowerBound, columns.upperBound)
        (area.top, area.bottom) = (rows.lowerBound, rows.upperBound)
        return area
    }

    private func check(level: Int, area: Area, _ deadline: DecodeDeadline) throws(WebImageError) {
        let plane = area.size(step: 1 << level)
        let samples = plane.byteCount(header.components.count)
        // The samples, their copy in a tile, and the pixels are held beside the result.
        let sizes = [
            resampling.target.byteCount(options.pixelFormat.bytesPerPixel), header.info.workingMemory.fixedBytes,
            plane.byteCount(8 * header.components.count + 4),
        ]
        try options.limits.checkDecodeBytes(
            sizes.reduce(0) { sum, bytes in
                let (next, overflow) = sum.addingReportingOverflow(bytes)
                return overflow ? .max : next
            })
        try deadline.admit(
            "decoding JPEG 2000",
            seconds: Double(samples) * Self.secondsPerSample
                + Double(bytes.count) * Self.secondsPerByte / pow(2.5, Double(level)))
    }

    /// The time of decoding a sample and a byte of the file (Documentation/Costs.md).
    private static let (secondsPerSample, secondsPerByte) = (12e-9, 90e-9)
}

/// Owns one decoder of OpenJPEG, its stream and its image.
private final class OpenJPEGCodec {
    private let openJPEG: OpenJPEGFunctions
    private let codec: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let stream: UnsafeMutablePointer<UnsafeMutableRawPointer?>
    private let input: OpenJPEGInput
    private(set) var image: UnsafeMutablePointer<opj_image_t>
    let resolutionCount: Int

    /// Reads the header.
    init(_ bytes: UnsafeRawBufferPointer, isBoxed: Bool) throws(WebImageError) {
        openJPEG = try JPEG2000Library.functions()
        input = OpenJPEGInput(bytes)
        guard let codec = openJPEG.opj_create_decompress(isBoxed ? OPJ_CODEC_JP2 : OPJ_CODEC_J2K) else {
            throw .badData("openjpeg", "cannot make a decoder")
        }
        self.codec = codec
        guard let stream = openJPEG.opj_stream_create(1 << 16, 1) else {
            openJPEG.opj_destroy_codec(codec)
            throw .badData("openjpeg", "cannot make a stream")
        }
        self.stream = stream
        let context = Unmanaged.passUnretained(input).toOpaque()
        _ = openJPEG.opj_set_error_handler(codec, OpenJPEGInput.note, context)
        openJPEG.opj_stream_set_user_data(stream, context, nil)
        openJPEG.opj_stream_set_user_data_length(stream, UInt64(bytes.count))
        openJPEG.opj_stream_set_read_function(stream, OpenJPEGInput.read)
        openJPEG.opj_stream_set_skip_function(stream, OpenJPEGInput.skip)
        openJPEG.opj_stream_set_seek_function(stream, OpenJPEGInput.seek)
        var parameters = opj_dparameters_t()
        openJPEG.opj_set_default_decoder_parameters(&parameters)
        var image: UnsafeMutablePointer<opj_image_t>?
        guard openJPEG.opj_setup_decoder(codec, &parameters) != 0,
            openJPEG.opj_decoder_set_strict_mode(codec, 1) != 0,
            openJPEG.opj_read_header(stream, codec, &image) != 0, let image
        else {
            openJPEG.opj_image_destroy(image)
            openJPEG.opj_stream_destroy(stream)
            openJPEG.opj_destroy_codec(codec)
            throw input.failure
        }
        self.image = image
        var description = openJPEG.opj_get_cstr_info(codec)
        let tile = description?.pointee.m_default_tile_info
        let counts = (0..<Int(description?.pointee.nbcomps ?? 0)).compactMap { index in
            (tile?.tccp_info).map { Int($0[index].numresolutions) }
        }
        resolutionCount = counts.min() ?? 1
        openJPEG.opj_destroy_cstr_info(&description)
        HandleLedger.opened("openjpeg")
    }

    deinit {
        openJPEG.opj_image_destroy(image)
        openJPEG.opj_stream_destroy(stream)
        openJPEG.opj_destroy_codec(codec)
        HandleLedger.closed("openjpeg")
    }

    /// Decodes a level, or a part of it.
    func decode(level: Int, area: JPEG2000Decoder.Area?) throws(WebImageError) {
        guard level == 0 || openJPEG.opj_set_decoded_resolution_factor(codec, UInt32(level)) != 0 else {
            throw input.failure
        }
        if let area {
            guard
                openJPEG.opj_set_decode_area(
                    codec, image, Int32(area.left), Int32(area.top), Int32(area.right), Int32(area.bottom)) != 0
            else { throw input.failure }
        }
        guard openJPEG.opj_decode(codec, stream, image) != 0 else { throw input.failure }
    }
}

/// The bytes of a file as a stream of OpenJPEG, and the first message of the decoder. OpenJPEG calls it on the thread that
/// decodes.
private final class OpenJPEGInput {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var message: String?

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var failure: WebImageError {
        .badData("openjpeg", message ?? "the codestream is damaged", hint: "Fetch the file again.")
    }

    private static func object(_ context: UnsafeMutableRawPointer?) -> OpenJPEGInput {
        Unmanaged<OpenJPEGInput>.fromOpaque(context!).takeUnretainedValue()
    }

    static let note: opj_msg_callback = { text, context in
        let input = object(context)
        guard input.message == nil, let text else { return }
        input.message = String(cString: text).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Returns the number of bytes, or -1 at the end.
    static let read: opj_stream_read_fn = { buffer, count, context in
        let input = object(context)
        let available = min(Int(count), input.bytes.count - input.place)
        guard available > 0, let buffer, let start = input.bytes.baseAddress else { return -1 }
        memcpy(buffer, start + input.place, available)
        input.place += available
        return OPJ_SIZE_T(available)
    }

    static let skip: opj_stream_skip_fn = { count, context in
        let input = object(context)
        let (end, overflow) = input.place.addingReportingOverflow(Int(count))
        guard !overflow, end >= 0, input.place < input.bytes.count else { return -1 }
        let next = min(end, input.bytes.count)
        defer { input.place = next }
        return OPJ_OFF_T(next - input.place)
    }

    static let seek: opj_stream_seek_fn = { position, context in
        let input = object(context)
        guard position >= 0, position <= OPJ_OFF_T(input.bytes.count) else { return 0 }
        input.place = Int(position)
        return 1
    }
}
