import CWebImageRaw
import Foundation
import WebImageCore
import WebImageGraphics

/// Owns LibRaw's reader of one file.
final class RawFile {
    private let libRaw: LibRawFunctions
    private let raw: UnsafeMutablePointer<libraw_data_t>
    private let bytes: UnsafeRawBufferPointer
    private(set) var info: ImageInfo

    /// Reads the header. `bytes` must outlive the file, because LibRaw reads them without a copy.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        libRaw = try RawLibrary.functions()
        guard let raw = libRaw.libraw_init(0) else { throw .badData("libraw", "cannot make a reader") }
        (self.raw, self.bytes) = (raw, bytes)
        info = ImageInfo(format: .raw, storedSize: PixelSize(width: 1, height: 1))
        HandleLedger.opened("libraw")
        webimage_raw_limit_memory(raw, UInt32(clamping: limits.maxDecodeBytes >> 20))
        try open()
        let turn = webimage_raw_describe(raw).flip
        webimage_raw_keep_turn(raw)
        try check(libRaw.libraw_adjust_sizes_info_only(raw))
        let facts = webimage_raw_describe(raw)
        guard facts.width > 0, facts.height > 0, facts.raw_width > 0, facts.raw_height > 0 else {
            throw .badData("libraw", "the picture has no size")
        }
        info.storedSize = PixelSize(width: facts.width, height: facts.height)
        info.orientation = Self.orientation(turn)
        info.isGray = facts.colors == 1
        info.bitDepth = 16
        info.isLossless = false
        try limits.checkPixels(info.storedSize)
        let sensor = PixelSize(width: facts.raw_width, height: facts.raw_height)
        try limits.checkPixels(sensor)
        // The samples of the sensor, four numbers for each pixel, and the processed picture.
        info.workingMemory.fixedBytes = sensor.byteCount(2 + 8 + 6)
    }

    private func open() throws(WebImageError) {
        // LibRaw does not write to the buffer.
        try check(libRaw.libraw_open_buffer(raw, UnsafeMutableRawPointer(mutating: bytes.baseAddress), bytes.count))
    }

    deinit {
        libRaw.libraw_close(raw)
        HandleLedger.closed("libraw")
    }

    /// LibRaw mirrors columns for bit 0 and rows for bit 1, and then swaps rows and columns for bit 2.
    private static func orientation(_ flip: Int32) -> ImageOrientation {
        switch flip & 7 {
        case 1: .upMirrored
        case 2: .downMirrored
        case 3: .down
        case 4: .leftMirrored
        case 5: .left
        case 6: .right
        case 7: .rightMirrored
        default: .up
        }
    }

    /// The JPEG picture in the file. Nil if the file has none. The bytes exist as long as this object.
    func preview() -> UnsafeRawBufferPointer? {
        guard libRaw.libraw_unpack_thumb(raw) == 0 else { return nil }
        var count = 0
        guard let start = webimage_raw_preview(raw, &count), count > 0 else { return nil }
        return UnsafeRawBufferPointer(start: start, count: count)
    }

    /// Develops the samples of the sensor.
    func developed(_ options: DecodingOptions, _ deadline: DecodeDeadline) throws(WebImageError) -> DecodedPicture {
        let resampling = options.resampling(of: info.storedSize, info.orientation)
        let isHalf = resampling.ratio >= Resampling.leastRatio
        let isDeep = options.decodesToHDR || options.pixelFormat.bitsPerComponent > 8
        try deadline.admit(
            "developing a raw file",
            seconds: Double(info.storedSize.pixelCount) * (isHalf ? Self.secondsPerHalf : Self.secondsPerPixel))
        webimage_raw_configure(raw, isHalf ? 1 : 0, isDeep ? 1 : 0)
        // LibRaw does not develop a file whose size was computed.
        libRaw.libraw_recycle(raw)
        try open()
        // LibRaw takes the four samples of a group as if they were at one place: red and blue of its result are displaced by
        // half a pixel of the sensor in opposite directions. Below a twentieth of a result's pixel nobody sees it.
        let centres = isHalf && 0.5 / resampling.ratio > 0.05
        let watch = RawWatch(deadline, centring: centres ? raw : nil)
        return try withExtendedLifetime(watch) { () throws(WebImageError) in
            libRaw.libraw_set_progress_handler(raw, RawWatch.callback, Unmanaged.passUnretained(watch).toOpaque())
            defer { libRaw.libraw_set_progress_handler(raw, nil, nil) }
            do throws(WebImageError) {
                try check(libRaw.libraw_unpack(raw))
                try check(libRaw.libraw_dcraw_process(raw))
            } catch {
                try deadline.check()
                throw error
            }
            var picture = try processed(isDeep: isDeep)
            // Each pixel is a group of four. A last column or row can be half of one.
            if isHalf { picture.reduction = .init(factor: 2, left: 0, top: 0) }
            return picture
        }
    }

    /// The time of developing a pixel (Documentation/Costs.md).
    private static let (secondsPerHalf, secondsPerPixel) = (17e-9, 95e-9)

    private func processed(isDeep: Bool) throws(WebImageError) -> DecodedPicture {
        var status: Int32 = 0
        guard let image = libRaw.libraw_dcraw_make_mem_image(raw, &status) else { throw failure(status) }
        defer { libRaw.libraw_dcraw_clear_mem(image) }
        let (width, height, colors) = (Int(image.pointee.width), Int(image.pointee.height), Int(image.pointee.colors))
        let sampleBytes = Int(image.pointee.bits) / 8
        guard image.pointee.type == LIBRAW_IMAGE_BITMAP, colors == 1 || colors == 3, width > 0, height > 0,
            sampleBytes == (isDeep ? 2 : 1), Int(image.pointee.data_size) >= width * height * colors * sampleBytes
        else { throw .badData("libraw", "the picture has an unknown layout") }
        let bytes = webimage_raw_bytes(image)
        let pixels: PixelBuffer
        if isDeep {
            pixels = try PixelBuffer(width: width, height: height, format: .rgba16)
            webimage_raw_write_deep(
                bytes, colors, width, height, pixels.baseAddress.assumingMemoryBound(to: UInt8.self),
                pixels.bytesPerRow)
        } else {
            pixels = try PixelBuffer(width: width, height: height, format: colors == 1 ? .gray8 : .rgba8)
            PackedRows.copy(
                bytes, stride: width * colors, colors == 1 ? .gray : .rgb, size: pixels.size, into: pixels, x: 0, y: 0)
        }
        return DecodedPicture(
            pixels: pixels, orientation: info.orientation, profile: nil, hasAlpha: false, format: .raw)
    }

    private func check(_ status: Int32) throws(WebImageError) {
        guard status == 0 else { throw failure(status) }
    }

    private func failure(_ status: Int32) -> WebImageError {
        let message = libRaw.libraw_strerror(status).map { String(cString: $0) } ?? "status \(status)"
        switch LibRaw_errors(status) {
        case LIBRAW_FILE_UNSUPPORTED:
            return WebImageError(
                .unsupportedFormat, stage: .decode, underlying: .codec(library: "libraw", message: message),
                hint: "Convert the file to DNG, or install a newer LibRaw.")
        case LIBRAW_TOO_BIG: return .limit(.decodeBytes, actual: .max, allowed: .max)
        default: return .badData("libraw", message, hint: "Fetch the file again.")
        }
    }
}

/// Ends LibRaw's work when the time is used up or the work was cancelled. LibRaw asks between its steps.
private final class RawWatch {
    private let deadline: DecodeDeadline
    /// The reader whose colours are moved before they are mixed. Nil if they stay.
    private var half: UnsafeMutablePointer<libraw_data_t>?

    init(_ deadline: DecodeDeadline, centring half: UnsafeMutablePointer<libraw_data_t>?) {
        (self.deadline, self.half) = (deadline, half)
    }

    static let callback: progress_callback = { context, step, _, _ in
        guard let context else { return 0 }
        let watch = Unmanaged<RawWatch>.fromOpaque(context).takeUnretainedValue()
        if step == LIBRAW_PROGRESS_SCALE_COLORS { watch.centreColors() }
        return watch.deadline.hasPassed ? 1 : 0
    }

    /// Moves red (0) and blue (2) to the middles of their groups. The mean of the greens (1 and 3) is there already.
    private func centreColors() {
        // The step is reported at its start and at its end.
        guard let half else { return }
        self.half = nil
        let quads = webimage_raw_half(half)
        guard let pixels = quads.pixels else { return }
        let groups = SensorGroups(
            samples: pixels, size: PixelSize(width: quads.width, height: quads.rows),
            sensor: PixelSize(width: quads.sensor_width, height: quads.sensor_rows))
        for color in 0..<4 {
            let place = Int(webimage_raw_place(half, UInt32(color)))
            // Without memory the colours stay where they are.
            guard place >= 0, groups.complete(channel: color, at: place, isCentred: color % 2 == 0) else { return }
        }
    }
}
