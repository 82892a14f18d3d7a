import CWebImageCodecShim
import Foundation
import WebImageCore
import WebImageGraphics

/// Decodes a PNG that arrives in pieces: shows the rows so far, or the passes of an interlaced picture.
///
/// Three kinds of file are shown only when they have arrived whole: an APNG whose first frame is not its default image, a
/// file whose chunks libpng requires in another order, and a huge picture that is wanted at a small size.
final class PNGStream: PictureStream {
    private let options: DecodingOptions
    private var clock: WorkClock
    private let filter: PNGChunkFilter
    /// All bytes so far; nil once it is certain that the file need not be decoded at once.
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
        // Small pieces let the deadline be checked in time: a byte inflates to about a thousand at most.
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
        if let rows, rows.progress.has_ended { try finish(rows) } else if isLast { try decodeWhole() }
    }

    /// Stores the picture and closes the reader, because an image may reference this stream as long as it is shown.
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

    /// Reads the chunks before the pixels and prepares for the pixels.
    private func begin(_ head: Data) throws(WebImageError) {
        let start = filter.header + head
        let chunks = try start.withFileBytes { bytes throws(WebImageError) in
            try PNGChunks(bytes, limits: options.limits)
        }
        size = chunks.header.size
        orientation = chunks.orientation(in: start)
        info = chunks.info(orientation: orientation)
        if filter.declaresAnimation { info?.format = .apng }
        // An animation without `fcTL` before the pixels does not start with the default image.
        let startsElsewhere = filter.declaresAnimation && chunks.animation == nil
        // The decode of a complete file shrinks a huge picture row by row and never holds it whole in memory. This stream
        // must not hold it whole either.
        let isShrunk =
            PNGDecoding(
                chunks: chunks, orientation: orientation, options: options, deadline: DecodeDeadline(options.limits)
            ).shrinking(hasAlpha: chunks.hasAlpha) != nil
        guard !startsElsewhere, !chunks.isTransparencyMisplaced, !isShrunk else { return }
        whole = nil
        rows = try PNGPartialRows(start, chunks: chunks, orientation: orientation, options: options)
    }

    /// EXIF and XMP may follow the pixels.
    private func readTrailer() throws(WebImageError) {
        let header = filter.header
        let chunks = try header.withFileBytes { bytes throws(WebImageError) in
            try PNGChunks(bytes, limits: options.limits)
        }
        orientation = chunks.orientation(in: header)
        info?.orientation = orientation
    }

    /// Decodes a picture that could not be decoded as it arrived.
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

/// Owns one push reader of libpng and the pixels it writes.
private final class PNGPartialRows {
    let profile: ColorProfile?
    let hasAlpha: Bool
    private(set) var progress = CPNGProgress()
    private let handle: OpaquePointer
    private let pixels: PixelBuffer
    private let plan: PNGPlan
    private let isInterlaced: Bool
    private var premultipliedRows = 0

    /// `start` is everything up to the head of the first chunk of pixels.
    init(
        _ start: Data, chunks: PNGChunks, orientation: ImageOrientation, options: DecodingOptions
    ) throws(WebImageError) {
        let profile = try start.withFileBytes { bytes throws(WebImageError) in
            try chunks.profile(in: bytes, options)
        }
        let size = chunks.header.size
        hasAlpha = chunks.hasAlpha
        isInterlaced = chunks.header.isInterlaced
        plan = PNGPlan(chunks: chunks, hasAlpha: hasAlpha, orientation: orientation, profile: profile, options: options)
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

    func append(_ bytes: Data) throws(WebImageError) {
        guard !progress.has_ended else { return }
        let isGood = bytes.withUnsafeBytes {
            cpng_stream_append(handle, $0.bindMemory(to: UInt8.self).baseAddress, $0.count, &progress)
        }
        // Each pass changes rows of an interlaced picture, so they stay straight until the last pass has ended.
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

    /// The pixels to show, premultiplied if the display format is.
    func shown() throws(WebImageError) -> PixelBuffer {
        guard plan.premultiplies, isInterlaced, !progress.has_ended else { return pixels }
        let copy = try pixels.copied()
        copy.premultiplyInPlace(rows: 0..<Int(progress.first_pass_rows))
        return copy
    }
}
