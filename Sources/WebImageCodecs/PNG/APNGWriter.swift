import Foundation
import WebImageCore
import WebImageGraphics

/// Writes APNG (PNG third edition, §11.3.6). libpng compresses each frame as a PNG file. This type copies the
/// compressed data to the APNG and writes the other chunks.
///
/// The first frame is written whole. For each later frame, only the changed rectangle is written. The rectangle
/// replaces the pixels on the canvas without blending, so that the APNG is lossless.
enum APNGWriter {
    static func encode(
        frameCount: Int, loopCount: Int, options: EncodingOptions, frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        // All frames of an APNG must have the same colour type. First encode without alpha, because most animations are
        // opaque. If a frame has alpha, encode all frames a second time, with alpha.
        if let file = try encode(frameCount, loopCount, options, frame, hasAlpha: false) { return file }
        guard let file = try encode(frameCount, loopCount, options, frame, hasAlpha: true) else {
            throw .cannotEncode("APNG", "the frames changed while they were encoded")
        }
        return file
    }

    /// Returns the file, or nil if a frame has alpha although `hasAlpha` is false.
    private static func encode(
        _ frameCount: Int, _ loopCount: Int, _ options: EncodingOptions,
        _ frame: (Int) throws(WebImageError) -> ImageFrame, hasAlpha: Bool
    ) throws(WebImageError) -> Data? {
        let outcome: Result<Data?, WebImageError> = withoutActuallyEscaping(frame) { frame in
            Result { () throws(WebImageError) in
                var frames = FrameEncoding(options: options, frame: frame)
                var file = APNGFile(frameCount: frameCount, loopCount: loopCount)
                var before: PixelBuffer?
                for index in 0..<frameCount {
                    let next = try frames.next(index, keepsDepth: true)
                    guard hasAlpha || !next.hasAlpha else { return nil }
                    let rectangle =
                        before.map { FrameRectangle(from: $0, to: next.pixels) } ?? .whole(next.pixels)
                    let part = Image(
                        pixels: try rectangle.cut(from: next.pixels), colorProfile: index == 0 ? next.profile : nil,
                        hasAlpha: hasAlpha)
                    var partOptions = EncodingOptions()
                    partOptions.effort = options.effort
                    // All frames share the header of the file.
                    partOptions.keepsPixelLayout = true
                    try file.append(
                        PNGWriter.encode(part, options: partOptions), rectangle, FrameFraction(next.duration))
                    before = next.pixels
                }
                return PNGChunkWriter.adding(options.metadata, to: file.finished())
            }
        }
        return try outcome.get()
    }
}

/// An APNG file to which frames are appended.
private struct APNGFile {
    private let frameCount: Int
    private let loopCount: Int
    private var file = PNGChunkWriter()
    private var sequenceNumber: UInt32 = 0
    private var hasHeader = false

    init(frameCount: Int, loopCount: Int) {
        self.frameCount = frameCount
        self.loopCount = loopCount
    }

    /// Adds a frame.
    ///
    /// - Parameter picture: A PNG file that contains the frame.
    mutating func append(
        _ picture: Data, _ rectangle: FrameRectangle, _ duration: FrameFraction
    ) throws(WebImageError) {
        let outcome: Result<Void, WebImageError> = picture.withUnsafeBytes { bytes in
            Result { () throws(WebImageError) in
                let chunks = try PNGChunks(bytes, limits: .unlimited)
                let isFirst = !hasHeader
                if isFirst { appendHeader(bytes, chunks) }
                appendControl(rectangle, duration)
                for range in chunks.imageData {
                    let payload = UnsafeRawBufferPointer(rebasing: bytes[range])
                    if isFirst {
                        file.append("IDAT", payload: payload)
                    } else {
                        file.append("fdAT", prefix: nextNumber(), payload: payload)
                    }
                }
            }
        }
        try outcome.get()
    }

    consuming func finished() -> Data {
        file.append("IEND", [])
        return file.data
    }

    private mutating func appendHeader(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks) {
        hasHeader = true
        file.append("IHDR", payload: UnsafeRawBufferPointer(rebasing: bytes[16..<29]))
        if let codes = chunks.colors?.codes {
            file.append("cICP", [UInt8(codes.primaries), UInt8(codes.transfer), 0, 1])
            if let light = chunks.colors?.contentLight { file.append("cLLI", PNGChunkWriter.payload(of: light)) }
        }
        if let profile = chunks.iccProfile {
            file.append("iCCP", payload: UnsafeRawBufferPointer(rebasing: bytes[profile]))
        }
        file.append(
            "acTL",
            PNGChunkWriter.bigEndian(UInt32(clamping: frameCount))
                + PNGChunkWriter.bigEndian(UInt32(clamping: max(loopCount, 0))))
    }

    private mutating func appendControl(_ rectangle: FrameRectangle, _ duration: FrameFraction) {
        let place = [rectangle.x.count, rectangle.y.count, rectangle.x.lowerBound, rectangle.y.lowerBound]
        let times = [duration.numerator, duration.denominator].flatMap { (time) -> [UInt8] in
            [UInt8(time >> 8 & 255), UInt8(time & 255)]
        }
        // The last two bytes are the disposal and the blend operation. Disposal 0 means none. Blend operation 0 means
        // that the frame replaces the pixels on the canvas.
        file.append("fcTL", nextNumber() + place.flatMap { PNGChunkWriter.bigEndian(UInt32($0)) } + times + [0, 0])
    }

    private mutating func nextNumber() -> [UInt8] {
        defer { sequenceNumber += 1 }
        return PNGChunkWriter.bigEndian(sequenceNumber)
    }
}
