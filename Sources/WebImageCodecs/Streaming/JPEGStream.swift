import CWebImageCodecShim
import Foundation
import WebImageCore

/// Decodes a JPEG that arrives in pieces. Shows the rows that have arrived. If the file has several scans, shows the
/// newest complete scan.
///
/// libjpeg suspends when it has consumed all bytes and continues when more bytes arrive. The memory of consumed bytes
/// is reused.
final class JPEGStream: PictureStream {
    private let options: DecodingOptions
    private var decoder: JPEGDecoder?
    private var plan: JPEGRowLayout?
    private var hasScans = false
    private var hasStarted = false
    private var isDone = false
    /// The first error. After an error, the decompressor must not be used; it can only be freed. Therefore later calls
    /// throw the first error.
    private var failure: WebImageError?
    /// For a file of one scan, this buffer contains the rows decoded so far. For a file of several scans, it contains
    /// the final pixels, and is nil before the end of the file.
    private var pixels: PixelBuffer?
    /// The buffers of the last two previews of a file with several scans. The image on screen may use the newer buffer.
    /// Usually no image uses the older buffer any more, so it can be reused.
    private var passes: [PixelBuffer] = []
    private var rowCount = 0
    private var scanCount = 0
    private(set) var info: ImageInfo?

    init(_ options: DecodingOptions) { self.options = options }

    var revision: Int { isDone ? .max : hasScans ? scanCount : rowCount }

    func append(_ bytes: Data, finished: Bool) throws(WebImageError) {
        guard !isDone else { return }
        try usingDecoder { () throws(WebImageError) in try take(bytes, finished: finished) }
    }

    /// Runs one step. After an error, every later call throws the same error.
    private func usingDecoder<Result>(
        _ step: () throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        if let failure { throw failure }
        do throws(WebImageError) { return try step() } catch {
            failure = error
            throw error
        }
    }

    private func take(_ bytes: Data, finished: Bool) throws(WebImageError) {
        let decoder = try openedDecoder()
        try decoder.check(
            bytes.withUnsafeBytes {
                // C requires a valid address even for a count of 0, but the address of empty data can be nil. In this
                // case, pass the address of any byte.
                withUnsafePointer(to: UInt8(0)) { [piece = $0] nothing in
                    webimage_jpeg_stream_append(
                        decoder.handle, piece.bindMemory(to: UInt8.self).baseAddress ?? nothing, piece.count,
                        finished ? 1 : 0)
                }
            })
        guard let plan = try readHeader(decoder), try start(decoder) else { return }
        if hasScans { try readScans(decoder, plan) } else { try readRows(decoder, plan) }
    }

    private func openedDecoder() throws(WebImageError) -> JPEGDecoder {
        if let decoder { return decoder }
        let opened = try JPEGDecoder(streaming: options.limits)
        decoder = opened
        return opened
    }

    func snapshot() throws(WebImageError) -> PartialPicture? {
        guard let decoder, let plan else { return nil }
        if hasScans, !isDone {
            guard scanCount > 0 else { return nil }
            let drawn = try usingDecoder { () throws(WebImageError) in try draw(upTo: scanCount, decoder, plan) }
            var pass = try arrived(drawn, from: decoder, plan, rowCount: plan.size.height)
            pass.isUniquelyReferenced = true
            return pass
        }
        guard let pixels, rowCount > 0 else { return nil }
        return try arrived(pixels, from: decoder, plan, rowCount: rowCount)
    }

    private func arrived(
        _ pixels: PixelBuffer, from decoder: JPEGDecoder, _ plan: JPEGRowLayout, rowCount: Int
    ) throws(WebImageError) -> PartialPicture {
        // The conversion from CMYK overwrites its input, and libjpeg still writes rows to `self.pixels`. Therefore
        // convert a copy of the rows.
        let own = decoder.isCMYK && pixels === self.pixels ? try pixels.copied() : pixels
        return PartialPicture(
            picture: try decoder.picture(own, plan), fullSize: decoder.size, rowCount: rowCount, isWhole: isDone)
    }

    private func readHeader(_ decoder: JPEGDecoder) throws(WebImageError) -> JPEGRowLayout? {
        if let plan { return plan }
        guard let hasScans = try decoder.readArrivingHeader() else { return nil }
        try options.limits.checkPixels(decoder.size)
        try options.checkMemory(for: decoder.info)
        info = decoder.info
        self.hasScans = hasScans
        plan = try decoder.plan(options)
        return plan
    }

    private func start(_ decoder: JPEGDecoder) throws(WebImageError) -> Bool {
        guard !hasStarted else { return true }
        let status = webimage_jpeg_stream_start(decoder.handle)
        guard status != WEBIMAGE_JPEG_SUSPENDED else { return false }
        try decoder.check(status)
        hasStarted = true
        return true
    }

    private func readRows(_ decoder: JPEGDecoder, _ plan: JPEGRowLayout) throws(WebImageError) {
        if pixels == nil { pixels = try plan.makeBuffer() }
        guard let pixels else { return }
        var count: Int32 = 0
        let status = webimage_jpeg_stream_read_rows(
            decoder.handle, pixels.baseAddress.assumingMemoryBound(to: UInt8.self), pixels.bytesPerRow, &count)
        guard status == WEBIMAGE_JPEG_OK || status == WEBIMAGE_JPEG_SUSPENDED else { return try decoder.check(status) }
        rowCount = Int(count)
        if status == WEBIMAGE_JPEG_OK { try finish(decoder) }
    }

    private func readScans(_ decoder: JPEGDecoder, _ plan: JPEGRowLayout) throws(WebImageError) {
        var count: Int32 = 0
        let status = webimage_jpeg_stream_read_scans(decoder.handle, &count)
        guard status != WEBIMAGE_JPEG_SUSPENDED else {
            scanCount = Int(count)
            return
        }
        try decoder.check(status)
        pixels = try draw(upTo: Int(count), decoder, plan)
        scanCount = Int(count)
        rowCount = plan.size.height
        try finish(decoder)
    }

    private func finish(_ decoder: JPEGDecoder) throws(WebImageError) {
        guard webimage_jpeg_stream_is_complete(decoder.handle) != 0 else {
            return try decoder.check(Int32(WEBIMAGE_JPEG_TRUNCATED))
        }
        isDone = true
        passes = []
    }

    /// Decodes a preview of all rows from the scans up to `scan`.
    private func draw(upTo scan: Int, _ decoder: JPEGDecoder, _ plan: JPEGRowLayout) throws(WebImageError)
        -> PixelBuffer
    {
        let pixels = try passBuffer(plan)
        try decoder.check(
            webimage_jpeg_stream_draw(
                decoder.handle, Int32(clamping: scan), pixels.baseAddress.assumingMemoryBound(to: UInt8.self),
                pixels.bytesPerRow))
        return pixels
    }

    /// Returns a buffer for a preview. Reuses a buffer that no image references, because allocating new memory takes as
    /// long as decoding the preview.
    private func passBuffer(_ plan: JPEGRowLayout) throws(WebImageError) -> PixelBuffer {
        for index in passes.indices where isKnownUniquelyReferenced(&passes[index]) { return passes[index] }
        let fresh = try plan.makeBuffer()
        passes.append(fresh)
        if passes.count > 2 { passes.removeFirst() }
        return fresh
    }
}
