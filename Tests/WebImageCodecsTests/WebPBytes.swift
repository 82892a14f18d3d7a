import Foundation
import WebImageCodecs
import WebImageCore

/// Builds WebP files chunk by chunk from bitstreams that the coder writes.
enum WebPBytes {
    static func littleEndian(_ value: Int, byteCount: Int) -> Data {
        Data((0..<byteCount).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    static func chunk(_ tag: String, _ payload: Data) -> Data {
        Data(tag.utf8) + littleEndian(payload.count, byteCount: 4) + payload + Data(count: payload.count % 2)
    }

    static func riff(_ chunks: Data) -> Data {
        Data("RIFF".utf8) + littleEndian(chunks.count + 4, byteCount: 4) + Data("WEBP".utf8) + chunks
    }

    /// Returns a `VP8X` chunk. The flags are 2 (animation), 4 (XMP), 8 (EXIF), 16 (alpha) and 32 (profile).
    static func extended(_ width: Int, _ height: Int, flags: UInt8) -> Data {
        chunk(
            "VP8X",
            Data([flags, 0, 0, 0]) + littleEndian(width - 1, byteCount: 3) + littleEndian(height - 1, byteCount: 3))
    }

    static func animation(loops: Int) -> Data { chunk("ANIM", Data(count: 4) + littleEndian(loops, byteCount: 2)) }

    static func frame(x: Int, y: Int, width: Int, height: Int, delay: Int, bitstream: Data) -> Data {
        let place = [x / 2, y / 2, width - 1, height - 1, delay].reduce(Data()) { $0 + littleEndian($1, byteCount: 3) }
        return chunk("ANMF", place + Data([0]) + bitstream)
    }

    /// Encodes an image without loss and returns its `VP8L` chunk.
    static func bitstream(_ pixels: PixelBuffer) throws -> Data {
        var options = EncodingOptions()
        options.lossless = true
        let file = try ImageWebPCoder.shared.encode(Image(pixels: pixels), format: .webP, options: options)
        return Data(file.dropFirst(12))
    }
}
