import Foundation
import WebImageCore

/// Builds a PNG file of one picture from the chunks of another file. libpng does not support APNG, so each frame is
/// written as a separate PNG file for libpng.
struct PNGFrameFile {
    private let bytes: UnsafeRawBufferPointer
    private var file: PNGChunkWriter

    var data: Data { file.data }

    /// Builds a file from one frame of an animation. Verifies the checksums of the frame's chunks.
    init(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, frame: PNGFrame) throws(WebImageError) {
        self.init(bytes, chunks, size: frame.size, byteCount: frame.data.reduce(0) { $0 + $1.count + 12 })
        // In each `fdAT` payload, the data follows a sequence number of four bytes.
        for payload in frame.data { try appendImageData(payload, skipping: 4) }
        file.append("IEND", [])
    }

    /// Builds a file from the default image. The chunks have the order that libpng requires. Verifies the checksums of
    /// the `IDAT` chunks.
    init(reordering bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks) throws(WebImageError) {
        self.init(bytes, chunks, size: chunks.header.size, byteCount: bytes.count)
        for payload in chunks.imageData { try appendImageData(payload, skipping: 0) }
        file.append("IEND", [])
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, size: PixelSize, byteCount: Int) {
        self.bytes = bytes
        file = PNGChunkWriter(capacity: byteCount + 2048)
        let sides = [size.width, size.height].flatMap { PNGChunkWriter.bigEndian(UInt32(clamping: $0)) }
        // Behind the signature (8 bytes) and the length, name and sides of `IHDR` (16) are the bit depth, the colour type, and
        // the methods of compression, filtering and interlacing. They hold for every frame.
        file.append("IHDR", sides + bytes[24..<29])
        if let profile = chunks.iccProfile { file.append("iCCP", payload: part(profile)) }
        if let palette = chunks.palette { file.append("PLTE", payload: part(palette)) }
        if let transparency = chunks.transparency { file.append("tRNS", payload: part(transparency)) }
    }

    private func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

    private mutating func appendImageData(_ payload: Range<Int>, skipping: Int) throws(WebImageError) {
        let sum = PNGChunkWriter.checksum(of: part(payload.lowerBound - 4..<payload.upperBound))
        guard let stored = bytes.bigEndian32(at: payload.upperBound), stored == Int(sum) else {
            throw .badData(
                "PNG", "a chunk of pixels has a wrong checksum", hint: "Fetch the file again, it is damaged.")
        }
        file.append("IDAT", payload: part(payload.lowerBound + skipping..<payload.upperBound))
    }
}
