import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a PNG that arrives in pieces. Shows the rows that have arrived, or the passes of an interlaced picture.
///
/// Three kinds of file are shown only after the whole file has arrived:
/// - an APNG whose first frame is not the default image,
/// - a file with `tRNS` before `PLTE`, because libpng requires `PLTE` before `tRNS`,
/// - a huge picture that is requested at a small size, because its rows are averaged while they are decoded.
final class PNGStream: PictureStream {
    private var options: DecodingOptions
    private var clock: WorkClock
    private let filter: PNGChunkFilter
    /// All bytes so far, for a file that is decoded only when it is complete. Nil as soon as the header shows that rows
    /// can be decoded while they arrive.
    private var whole: Data? = Data()
    private var rows: PNGPartialRows?
    private var finished: DecodedPicture?
    private var size = PixelSize(width: 0, height: 0)
    private var orientation = ImageOrientation.up
    private(set) var info: ImageInfo?

    init(_ options: DecodingOptions) {
        self.options = options
        clock = WorkClock(options.limits)
        filter = PNGChunkFilter(options.limits)
    }

    var revision: Int { finished != nil ? .max : rows.map { Int(clamping: $0.progress.event_count) } ?? 0 }

    func append(_ bytes: Data, finished isLast: Bool) throws(WebImageError) {
        guard finished == nil else { return }
        whole?.append(bytes)
        // Process 64 KiB at a time, so that the time limit is checked often. One compressed byte can inflate to about
        // 1000 bytes.
        for start in stride(from: 0, to: bytes.count, by: Self.pieceByteCount) {
            let piece = bytes.slice(start..<min(start + Self.pieceByteCount, bytes.count))
            try clock.measure { () throws(WebImageError) in
                try filter.take(piece) { (piece: PNGChunkFilter.Piece) throws(WebImageError) in
                    switch piece {
                    case .firstPixels(let head): try begin(head)
                    case .pixels(let data): try rows?.append(data)
                    }
                }
            }
        }
        if let rows, rows.progress.has_ended || isLast && rows.endWithoutTrailer() {
            try finish(rows)
        } else if isLast {
            try decodeWhole()
        }
    }

    /// Stores the picture and frees the reader. An image can reference this stream as long as the image is shown. If
    /// the reader were not freed here, it would use memory for the same time.
    private func finish(_ rows: PNGPartialRows) throws(WebImageError) {
        try readTrailer()
        finished = DecodedPicture(
            pixels: try rows.shown(), orientation: orientation, profile: rows.profile, hasAlpha: rows.hasAlpha,
            format: .png)
        self.rows = nil
    }

    private static let pieceByteCount = 64 << 10

    func snapshot() throws(WebImageError) -> PartialPicture? {
        if let finished {
            return PartialPicture(picture: finished, fullSize: size, rowCount: finished.pixels.height, isWhole: true)
        }
        guard let rows, rows.progress.first_pass_rows > 0 else { return nil }
        let picture = DecodedPicture(
            pixels: try rows.shown(), orientation: orientation, profile: rows.profile, hasAlpha: rows.hasAlpha,
            format: .png)
        return PartialPicture(
            picture: picture, fullSize: size, rowCount: Int(rows.progress.first_pass_rows), isWhole: false)
    }

    /// Reads the chunks before the pixels. Creates the row decoder if the file can be decoded while it arrives.
    private func begin(_ head: Data) throws(WebImageError) {
        let start = filter.header + head
        let chunks = try start.withFileBytes { bytes throws(WebImageError) in
            try PNGChunks(bytes, limits: options.limits)
        }
        options = options.resolved(bitDepth: chunks.header.bitDepth, isHDR: chunks.hdr != nil)
        size = chunks.header.size
        orientation = chunks.orientation(in: start)
        info = chunks.info(orientation: orientation)
        if filter.declaresAnimation { info?.format = .apng }
        // If there is no `fcTL` chunk before the pixels, the first frame of the animation is not the default image.
        let startsElsewhere = filter.declaresAnimation && chunks.animation == nil
        // Decode a huge picture only when the file is complete. `PNGDecoding` then averages rows and never stores the
        // whole picture. Decoding the rows while they arrive would need memory for the whole picture.
        let isShrunk =
            PNGDecoding(
                chunks: chunks, orientation: orientation, options: options, deadline: DecodeDeadline(options.limits)
            ).shrinking(hasAlpha: chunks.hasAlpha) != nil
        guard !startsElsewhere, !chunks.isTransparencyMisplaced, !isShrunk else { return }
        whole = nil
        rows = try PNGPartialRows(start, chunks: chunks, orientation: orientation, options: options)
    }

    /// Reads the orientation a second time, because EXIF and XMP can follow the pixels.
    private func readTrailer() throws(WebImageError) {
        let header = filter.header
        let chunks = try header.withFileBytes { bytes throws(WebImageError) in
            try PNGChunks(bytes, limits: options.limits)
        }
        orientation = chunks.orientation(in: header)
        info?.orientation = orientation
    }

    /// Decodes a complete file that could not be decoded while it arrived.
    private func decodeWhole() throws(WebImageError) {
        guard let whole else {
            throw .badData("libpng", "the file ends too early", hint: "Fetch the file again, it is damaged.")
        }
        let deadline = DecodeDeadline(options.limits)
        finished = try whole.withFileBytes { bytes throws(WebImageError) in
            let chunks = try PNGChunks(bytes, limits: options.limits)
            size = chunks.header.size
            orientation = chunks.orientation(in: whole)
            info = chunks.info(orientation: orientation)
            return try PNGDecoding(chunks: chunks, orientation: orientation, options: options, deadline: deadline)
                .firstPicture(bytes)
        }
        self.whole = nil
    }
}

/// Owns one progressive (push) reader of libpng and the buffer to which it writes pixels.
private final class PNGPartialRows {
    let profile: ColorProfile?
    let hasAlpha: Bool
    private(set) var progress = CPNGProgress()
    private let handle: OpaquePointer
    private let pixels: PixelBuffer
    private let plan: PNGRowLayout
    private let isInterlaced: Bool
    private var premultipliedRows = 0

    /// Creates a reader and passes the start of the file to it.
    ///
    /// - Parameter start: The needed chunks before the pixels, and the head of the first `IDAT` chunk.
    init(
        _ start: Data, chunks: PNGChunks, orientation: ImageOrientation, options: DecodingOptions
    ) throws(WebImageError) {
        let profile = try start.withFileBytes { bytes throws(WebImageError) in
            try chunks.profile(in: bytes, limits: options.limits)
        }
        let size = chunks.header.size
        hasAlpha = chunks.hasAlpha
        isInterlaced = chunks.header.isInterlaced
        plan = PNGRowLayout(
            chunks: chunks, hasAlpha: hasAlpha, orientation: orientation, profile: profile, options: options)
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: plan.format)
        guard
            let handle = cpng_stream_create(
                plan.layout, pixels.baseAddress.assumingMemoryBound(to: UInt8.self), pixels.bytesPerRow,
                UInt32(clamping: size.height), options.limits.maxAncillaryChunkBytes)
        else { throw .badData("libpng", "cannot make a reader") }
        self.profile = profile
        self.pixels = pixels
        self.handle = handle
        HandleLedger.opened("png_reader")
        try append(start)
    }

    deinit {
        cpng_stream_destroy(handle)
        HandleLedger.closed("png_reader")
    }

    /// Ends a picture whose rows have all arrived, although the end of its file is missing. Returns false if rows are
    /// missing.
    func endWithoutTrailer() -> Bool {
        guard Int(progress.final_rows) == pixels.height else { return false }
        progress.has_ended = true
        progress.event_count += 1
        return true
    }

    func append(_ bytes: Data) throws(WebImageError) {
        guard !progress.has_ended else { return }
        let isGood = bytes.withUnsafeBytes {
            cpng_stream_append(handle, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, &progress)
        }
        // Premultiply an interlaced picture only after the last pass, because each earlier pass can still change every
        // row.
        let final = isInterlaced && !progress.has_ended ? 0 : Int(progress.final_rows)
        if plan.premultiplies, final > premultipliedRows {
            pixels.premultiplyInPlace(rows: premultipliedRows..<final)
            premultipliedRows = final
        }
        guard isGood else {
            throw .badData(
                "libpng", String(cString: cpng_stream_message(handle)), hint: "Fetch the file again, it is damaged.")
        }
    }

    /// Returns the pixels for a preview, premultiplied if the layout requires it. While an interlaced picture is
    /// incomplete, returns a premultiplied copy, because libpng still needs the pixels with straight alpha.
    func shown() throws(WebImageError) -> PixelBuffer {
        guard plan.premultiplies, isInterlaced, !progress.has_ended else { return pixels }
        let copy = try pixels.copied()
        copy.premultiplyInPlace(rows: 0..<Int(progress.first_pass_rows))
        return copy
    }
}
