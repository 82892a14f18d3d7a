import CWebImageCodecShim
// This file calls no function of the imported module. The import links zlib, which the C shim uses to inflate texts.
import CWebImagePNG
import Foundation
import WebImageCore

/// Writes a PNG file chunk by chunk. Adds the length and the checksum of each chunk (PNG third edition, §5.3).
struct PNGChunkWriter {
    private(set) var data: Data

    init(capacity: Int = 0) {
        data = Data(capacity: capacity)
        data.append(contentsOf: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    }

    mutating func append(_ tag: FourCC, _ payload: [UInt8]) {
        payload.withUnsafeBytes { append(tag, payload: $0) }
    }

    /// Appends a chunk. The payload of the chunk is `prefix` followed by `payload`.
    mutating func append(_ tag: FourCC, prefix: [UInt8] = [], payload: UnsafeRawBufferPointer) {
        let start = data.count + 4
        data.append(contentsOf: Self.bigEndian(UInt32(clamping: prefix.count + payload.count)))
        data.append(contentsOf: Self.bigEndian(tag.rawValue) + prefix)
        if let bytes = payload.baseAddress {
            data.append(bytes.assumingMemoryBound(to: UInt8.self), count: payload.count)
        }
        let sum = data.withUnsafeBytes { Self.checksum(of: UnsafeRawBufferPointer(rebasing: $0[start...])) }
        data.append(contentsOf: Self.bigEndian(sum))
    }

    /// Appends a whole chunk of another file, with its length and checksum.
    mutating func append(copying chunk: Data) { data.append(chunk) }

    /// Returns the PNG file with chunks for code points, density, EXIF and XMP after its header (PNG third edition,
    /// §11.3.2.6, §11.3.3.1, §11.3.4.3, §11.3.4.5).
    static func adding(
        _ metadata: EmbeddedMetadata, codePoints: (primaries: Int, transfer: Int)? = nil,
        light: ContentLightLevel? = nil, to file: Data
    ) -> Data {
        let exif = metadata.exifWithOrientation
        guard exif != nil || metadata.xmp != nil || codePoints != nil || metadata.density != nil else { return file }
        // The signature has 8 bytes. The header chunk has 13 bytes of payload and 12 bytes around them.
        let header = 8 + 25
        var chunks = PNGChunkWriter()
        if let (primaries, transfer) = codePoints {
            // The matrix is 0 (RGB) and the range is 1 (full).
            chunks.append("cICP", [UInt8(clamping: primaries), UInt8(clamping: transfer), 0, 1])
            if let light {
                chunks.append("cLLI", payload(of: light))
            }
        }
        if let density = metadata.density { chunks.append("pHYs", PNGDensity.payload(of: density)) }
        if let exif { exif.withUnsafeBytes { chunks.append("eXIf", payload: $0) } }
        if let xmp = metadata.xmpWithOrientation {
            // The keyword ends with a zero byte. The flags mean "not compressed", and language and keyword are empty.
            let prefix = Array("XML:com.adobe.xmp".utf8) + [0, 0, 0, 0, 0]
            xmp.withUnsafeBytes { chunks.append("iTXt", prefix: prefix, payload: $0) }
        }
        return file.prefix(header) + chunks.data.dropFirst(8) + file.dropFirst(header)
    }

    /// The payload of `cLLI`: the two numbers of a light level in units of 0.0001 nits.
    static func payload(of light: ContentLightLevel) -> [UInt8] {
        [light.maximum, light.average].flatMap { bigEndian(UInt32(clamping: $0 * 10_000)) }
    }

    static func checksum(of bytes: UnsafeRawBufferPointer) -> UInt32 {
        cpng_crc32(0, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count)
    }

    static func bigEndian(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
