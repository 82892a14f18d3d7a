import CWebImageCodecShim
import CWebImageJPEG
import Foundation
import WebImageCore

/// Owns one libjpeg decompressor.
///
/// A decoder from ``init(_:limits:)`` reads the file's bytes without a copy, so the bytes must outlive the decoder.
/// A decoder from ``init(streaming:)`` copies the bytes that it receives.
final class JPEGDecoder {
    /// The values in the file header. All values are zero until the header has been read.
    private(set) var header = webimage_jpeg_header()
    let handle: OpaquePointer
    let limits: DecodingLimits

    /// Opens a whole file and reads its header. Allocates no memory that depends on the picture's size.
    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        guard
            let start = bytes.bindMemory(to: UInt8.self).baseAddress, !bytes.isEmpty,
            let handle = webimage_jpeg_decoder_create(
                start, bytes.count, limits.maxAncillaryBytes, Self.nanoseconds(limits))
        else { throw .badData("libjpeg", "no data, or out of memory", hint: "Check the received bytes.") }
        webimage_jpeg_set_stop(handle, WorkBudget.shouldStop)
        var header = webimage_jpeg_header()
        let status = webimage_jpeg_read_header(handle, &header)
        guard status == WEBIMAGE_JPEG_OK else {
            let error = JPEGError.error(of: handle, status: status, limits: limits)
            webimage_jpeg_decoder_free(handle)
            throw error
        }
        self.header = header
        self.handle = handle
        self.limits = limits
        HandleLedger.opened("jpeg decompressor")
    }

    /// The time of a decode in nanoseconds: its limit, or the rest of the current budget if that is less.
    static func nanoseconds(_ limits: DecodingLimits) -> Int64 {
        let left = WorkBudget.current?.remainingSeconds ?? .infinity
        return min(limits.maxDecodeTime, .seconds(min(max(left, 0), 1e9))).clampedNanoseconds
    }

    /// Creates a decompressor for a file that arrives in pieces.
    init(streaming limits: DecodingLimits) throws(WebImageError) {
        guard
            let handle = webimage_jpeg_stream_create(
                limits.maxAncillaryBytes, limits.maxDecodeTime.clampedNanoseconds)
        else { throw .badData("libjpeg", "out of memory") }
        webimage_jpeg_set_stop(handle, WorkBudget.shouldStop)
        self.handle = handle
        self.limits = limits
        HandleLedger.opened("jpeg decompressor")
    }

    /// Tries to read the header of a file that arrives in pieces. Returns whether the file has several scans, or nil
    /// if the header is still incomplete.
    func readArrivingHeader() throws(WebImageError) -> Bool? {
        var hasScans: Int32 = 0
        let status = webimage_jpeg_stream_read_header(handle, &header, &hasScans)
        guard status != WEBIMAGE_JPEG_SUSPENDED else { return nil }
        try check(status)
        return hasScans != 0
    }

    deinit {
        webimage_jpeg_decoder_free(handle)
        HandleLedger.closed("jpeg decompressor")
    }

    var size: PixelSize { PixelSize(width: Int(header.width), height: Int(header.height)) }
    var isGray: Bool { header.components == 1 }
    /// Whether chroma has fewer samples than luma.
    var hasSmallChroma: Bool { header.has_small_components != 0 }
    var isCMYK: Bool { header.components == 4 }
    /// Whether the picture was quantised so much that its noise goes far beyond black and white, at a quality of up to 27.
    var isCoarse: Bool { header.mean_step > JPEGThumbnailLoop.coarseFactor }
    var bitDepth: Int { Int(header.precision) }
    /// Whether the file contains at least one segment of an ICC profile. The profile can be incomplete or invalid.
    var hasICCProfile: Bool { header.has_icc_marker != 0 }

    /// The orientation in EXIF. If EXIF contains no orientation, the value is the orientation in XMP. If XMP contains
    /// none either, the value is `.up`. Read after the header, once.
    private(set) lazy var orientation: ImageOrientation =
        app1("Exif\0\0").flatMap { ExifOrientation.orientation(exif: $0) }
        ?? app1("http://ns.adobe.com/xap/1.0/\0").flatMap { ExifOrientation.orientation(xmp: $0) }
        ?? .up

    /// Treats the stored picture as upright.
    func ignoreOrientation() { orientation = .up }

    /// Returns the ICC profile. Returns nil if the file has no profile, or if segments of the profile are missing.
    func profile() throws(WebImageError) -> ColorProfile? {
        guard hasICCProfile else { return nil }
        var parts = JPEGProfileParts()
        var index: Int32 = 0
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        while webimage_jpeg_find_icc(handle, index, &bytes, &count) == WEBIMAGE_JPEG_OK, let start = bytes {
            parts.add(UnsafeRawBufferPointer(start: start, count: count))
            index += 1
        }
        guard let profile = parts.profile else { return nil }
        guard profile.count <= limits.maxAncillaryChunkBytes else {
            throw .limit(.ancillaryChunkBytes, actual: profile.count, allowed: limits.maxAncillaryChunkBytes)
        }
        return ColorProfile(iccData: profile)
    }

    /// Sets the colour space and the scale (in eighths) of the rows that libjpeg writes. Returns the scaled size.
    func outputSize(color: J_COLOR_SPACE, eighths: Int) throws(WebImageError) -> PixelSize {
        var width: Int32 = 0
        var height: Int32 = 0
        try check(webimage_jpeg_output_size(handle, Int32(color.rawValue), Int32(eighths), &width, &height))
        return PixelSize(width: Int(width), height: Int(height))
    }

    /// Decompresses all rows into `buffer`. The buffer must have the size that ``outputSize(color:eighths:)`` returned.
    func readRows(into buffer: PixelBuffer) throws(WebImageError) {
        let status = buffer.withUnsafeMutableBytes { bytes in
            webimage_jpeg_read_rows(handle, bytes.bindMemory(to: UInt8.self).baseAddress, buffer.bytesPerRow)
        }
        try check(status)
    }

    /// Decompresses all rows of a whole file into `buffer`: a large picture on several threads, if the decode pool has idle
    /// ones. The pixels are the same.
    func readRows(of bytes: UnsafeRawBufferPointer, into buffer: PixelBuffer) throws(WebImageError) {
        let isRead = try JPEGStrips.withThreads(for: size) { threads throws(WebImageError) in
            guard threads > 1 else { return false }
            if case .always = JPEGStrips.use { webimage_jpeg_ignore_cost(handle) }
            let status = buffer.withUnsafeMutableBytes { pixels in
                webimage_jpeg_read_strips(
                    handle, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count, Int32(threads),
                    pixels.bindMemory(to: UInt8.self).baseAddress, buffer.bytesPerRow)
            }
            if status == WEBIMAGE_JPEG_OUT_OF_TIME { try check(status) }
            return status == WEBIMAGE_JPEG_OK
        }
        if isRead { return }
        if case .always(_, true) = JPEGStrips.use { throw .badData("JPEGStrips", "the file has no strips") }
        try readRows(into: buffer)
    }

    func check(_ status: Int32) throws(WebImageError) {
        guard status == WEBIMAGE_JPEG_OK else { throw JPEGError.error(of: handle, status: status, limits: limits) }
    }

    private func app1(_ signature: StaticString) -> Data? {
        var bytes: UnsafePointer<UInt8>?
        var count = 0
        let status = signature.utf8Start.withMemoryRebound(to: CChar.self, capacity: signature.utf8CodeUnitCount) {
            webimage_jpeg_find_app1(handle, $0, signature.utf8CodeUnitCount, &bytes, &count)
        }
        guard status == WEBIMAGE_JPEG_OK, let bytes else { return nil }
        return Data(bytes: bytes, count: count)
    }
}

extension Duration {
    /// The duration in nanoseconds, limited to the range from 0 to about 285 years. A number in this range fits into 64
    /// bits.
    fileprivate var clampedNanoseconds: Int64 {
        let (seconds, attoseconds) = components
        return min(max(seconds, 0), 9_000_000_000) * 1_000_000_000 + max(attoseconds, 0) / 1_000_000_000
    }
}
