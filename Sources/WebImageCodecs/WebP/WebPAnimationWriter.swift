import CWebImageWebP
import Foundation
import WebImageCore
import WebImageGraphics

/// Writes animated WebP files. libwebp encodes each frame. libwebp's muxer writes the encoded frames to one file.
///
/// `WebPAnimEncoder` is not used, because it merges equal frames and thereby changes the number of frames. For each
/// frame after the first, only the changed rectangle is written. The rectangle replaces the pixels on the canvas.
///
/// The muxer receives the frames when all are encoded: small blocks of memory between those of the encoder would keep the heap
/// from using the encoder's memory again, which was 0.5 MB for each frame of 320 × 240 px.
enum WebPAnimationWriter {
    static func encode(
        frameCount: Int, loopCount: Int, options: EncodingOptions, frame: (Int) throws(WebImageError) -> ImageFrame
    ) throws(WebImageError) -> Data {
        var options = options
        options.webP.method = options.webP.method ?? 4
        // `maxFileSize` is the limit for the whole file, so each frame gets an equal part of this limit.
        options.maxFileSize = options.maxFileSize.map { max(1, $0 / frameCount) }
        let outcome: Result<Data, WebImageError> = withoutActuallyEscaping(frame) { [options] frame in
            Result { () throws(WebImageError) in
                var frames = FrameEncoding(options: options, frame: frame)
                var encoded = EncodedFrames()
                var clock = FrameClock(unitsPerSecond: 1000, limit: 0xFF_FFFF)
                var before: PixelBuffer?
                var profile: ColorProfile?
                for index in 0..<frameCount {
                    let next = try frames.next(index)
                    try WebPEncoding.checkSize(next.pixels)
                    let rectangle =
                        before.map { FrameRectangle(from: $0, to: next.pixels).evenStart } ?? .whole(next.pixels)
                    let bitstream = try WebPEncoding.bitstream(
                        try rectangle.cut(from: next.pixels), hasAlpha: next.hasAlpha, options: options)
                    encoded.append(
                        bitstream, x: rectangle.x.lowerBound, y: rectangle.y.lowerBound,
                        milliseconds: clock.next(next.duration))
                    if index == 0 { profile = next.profile }
                    before = next.pixels
                }
                let canvas = PixelSize(width: before?.width ?? 1, height: before?.height ?? 1)
                return try encoded.withMuxer { mux throws(WebImageError) in
                    if let profile { try mux.set(profile) }
                    try mux.set(options.metadata)
                    return try mux.assemble(canvas: canvas, loopCount: loopCount)
                }
            }
        }
        return try outcome.get()
    }
}

/// The frames of an animation in one block of memory.
private struct EncodedFrames {
    private var bytes = Data()
    private var frames: [(end: Int, x: Int, y: Int, milliseconds: Int)] = []

    mutating func append(_ bitstream: Data, x: Int, y: Int, milliseconds: Int) {
        bytes += bitstream
        frames.append((bytes.count, x, y, milliseconds))
    }

    /// Calls the function with a muxer that refers to the frames.
    func withMuxer(_ body: (WebPMuxer) throws(WebImageError) -> Data) throws(WebImageError) -> Data {
        try bytes.withFileBytes { bytes throws(WebImageError) in
            let mux = try WebPMuxer()
            var start = 0
            for frame in frames {
                let bitstream = UnsafeRawBufferPointer(rebasing: bytes[start..<frame.end])
                try mux.append(bitstream, x: frame.x, y: frame.y, milliseconds: frame.milliseconds)
                start = frame.end
            }
            return try body(mux)
        }
    }
}

/// Owns one muxer of libwebp.
final class WebPMuxer {
    private let handle: OpaquePointer

    init() throws(WebImageError) {
        guard let handle = WebPMuxNew() else { throw .cannotEncode("libwebpmux", "out of memory") }
        self.handle = handle
        HandleLedger.opened("webp_mux")
    }

    deinit {
        WebPMuxDelete(handle)
        HandleLedger.closed("webp_mux")
    }

    /// Adds a frame. The bytes must outlive this object.
    func append(_ bitstream: UnsafeRawBufferPointer, x: Int, y: Int, milliseconds: Int) throws(WebImageError) {
        var frame = WebPMuxFrameInfo()
        frame.bitstream = WebPData(bytes: bitstream.bindMemory(to: UInt8.self).baseAddress, size: bitstream.count)
        frame.x_offset = Int32(x)
        frame.y_offset = Int32(y)
        frame.duration = Int32(milliseconds)
        frame.id = WEBP_CHUNK_ANMF
        frame.dispose_method = WEBP_MUX_DISPOSE_NONE
        frame.blend_method = WEBP_MUX_NO_BLEND
        guard WebPMuxPushFrame(handle, &frame, 0) == WEBP_MUX_OK else {
            throw .cannotEncode("libwebpmux", "cannot add a frame")
        }
    }

    /// Sets the picture of a still. `image` is an encoded WebP file.
    func set(_ image: Data) throws(WebImageError) {
        guard image.withWebPData({ WebPMuxSetImage(handle, $0, 1) }) == WEBP_MUX_OK else {
            throw .cannotEncode("libwebpmux", "cannot take the picture")
        }
    }

    func set(_ profile: ColorProfile) throws(WebImageError) {
        try set("ICCP", to: profile.iccData, as: "the colour profile")
    }

    /// Sets the chunks for EXIF and XMP (RFC 9649 §2.7.1.5).
    func set(_ metadata: EmbeddedMetadata) throws(WebImageError) {
        if let exif = metadata.exifWithOrientation { try set("EXIF", to: exif, as: "EXIF") }
        if let xmp = metadata.xmpWithOrientation { try set("XMP ", to: xmp, as: "XMP") }
    }

    private func set(_ tag: String, to data: Data, as name: String) throws(WebImageError) {
        guard data.withWebPData({ WebPMuxSetChunk(handle, tag, $0, 1) }) == WEBP_MUX_OK else {
            throw .cannotEncode("libwebpmux", "cannot add \(name)")
        }
    }

    func assemble(canvas: PixelSize, loopCount: Int) throws(WebImageError) -> Data {
        var parameters = WebPMuxAnimParams(bgcolor: 0, loop_count: Int32(min(max(loopCount, 0), 65535)))
        guard WebPMuxSetAnimationParams(handle, &parameters) == WEBP_MUX_OK,
            WebPMuxSetCanvasSize(handle, Int32(canvas.width), Int32(canvas.height)) == WEBP_MUX_OK
        else { throw .cannotEncode("libwebpmux", "cannot describe the animation") }
        return try assemble()
    }

    func assemble() throws(WebImageError) -> Data {
        var assembled = WebPData()
        guard WebPMuxAssemble(handle, &assembled) == WEBP_MUX_OK, let bytes = assembled.bytes else {
            throw .cannotEncode("libwebpmux", "cannot assemble the file")
        }
        defer { WebPDataClear(&assembled) }
        return Data(bytes: bytes, count: assembled.size)
    }
}

extension Data {
    fileprivate func withWebPData<Result>(_ body: (UnsafePointer<WebPData>) -> Result) -> Result {
        withUnsafeBytes { bytes in
            var data = WebPData(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, size: bytes.count)
            return body(&data)
        }
    }
}
