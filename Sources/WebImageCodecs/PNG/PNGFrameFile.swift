import CCodecShim
// Nothing is called, but the module links zlib, whose checksum the shim uses.
import CPNG
import Foundation
import WebImageCore

/// Puts a PNG file of one picture together from the chunks of another, so that libpng can read what it does not know:
/// the frames of an APNG.
struct PNGFrameFile {
    private let bytes: UnsafeRawBufferPointer
    private(set) var data: Data

    /// A file of one frame of an animation; its checksums are verified on the way.
    init(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, frame: PNGFrame) throws(WebImageError) {
        self.init(bytes, chunks, size: frame.size)
        // A sequence number precedes the data of each fdAT.
        for payload in frame.data { try appendImageData(payload, skipping: 4) }
        append("IEND", [])
    }

    /// The file's own picture with its chunks in the order that libpng wants.
    init(reordering bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks) throws(WebImageError) {
        self.init(bytes, chunks, size: chunks.header.size)
        for payload in chunks.imageData { try appendImageData(payload, skipping: 0) }
        append("IEND", [])
    }

    private init(_ bytes: UnsafeRawBufferPointer, _ chunks: PNGChunks, size: PixelSize) {
        self.bytes = bytes
        data = Data(bytes.prefix(8))
        let header = Self.bigEndian(UInt32(clamping: size.width)) + Self.bigEndian(UInt32(clamping: size.height))
        append("IHDR", header + bytes[24..<29])
        if let profile = chunks.iccProfile { append("iCCP", bytes[profile]) }
        if let palette = chunks.palette { append("PLTE", bytes[palette]) }
        if let transparency = chunks.transparency { append("tRNS", bytes[transparency]) }
    }

    private mutating func appendImageData(_ payload: Range<Int>, skipping: Int) throws(WebImageError) {
        let checked = UnsafeRawBufferPointer(rebasing: bytes[payload.lowerBound - 4..<payload.upperBound])
        guard let stored = bytes.bigEndian32(at: payload.upperBound), stored == Int(Self.checksum(of: checked)) else {
            throw .badData(
                "PNG", "a chunk of pixels has a wrong checksum", hint: "Fetch the file again, it is damaged.")
        }
        append("IDAT", bytes[payload].dropFirst(skipping))
    }

    private mutating func append(_ tag: FourCC, _ payload: some Collection<UInt8>) {
        let start = data.count + 4
        data.append(contentsOf: Self.bigEndian(UInt32(clamping: payload.count)) + Self.bigEndian(tag.rawValue))
        data.append(contentsOf: payload)
        let sum = data.withUnsafeBytes { Self.checksum(of: UnsafeRawBufferPointer(rebasing: $0[start...])) }
        data.append(contentsOf: Self.bigEndian(sum))
    }

    private static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        cpng_crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    private static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
