import Foundation
import WebImageCore

/// The quality with which a load encodes a variant for the disk. The entry then has about as many bytes for each pixel as
/// the file of the original; with the best quality a JPEG would have seven times as many.
package struct VariantQuality: Hashable, Sendable {
    /// The quality for lossy formats, 0 to 1.
    private(set) var quality = VariantQuality.usual
    /// Whether the original is lossless although its format can be lossy.
    private(set) var isLossless = false

    private static let usual = 0.85

    /// Reads the quality of the original from the head of its file. If it cannot be read there, a usual one of the format
    /// is used.
    init(of original: Data, format: ImageFormat) {
        switch original.isEmpty ? format : ImageFormat(sniffing: original) {
        case .jpeg:
            if let read = Self.jpegQuality(original) { quality = min(max(read, 0.6), 0.95) }
        case .webP: isLossless = Self.isLosslessWebP(original)
        // The encoders of these formats reach the same look with a lower number, and the time rises with it.
        case .heic, .heif, .avif: quality = 0.75
        default: break
        }
    }

    /// Applies the quality to options for which the caller has named none.
    func apply(to options: inout EncodingOptions) {
        options.quality = quality
        options.lossless = isLossless
    }

    /// Derives the quality from the first quantization table (ITU-T T.81 B.2.4.1): libjpeg and most other encoders scale
    /// the table of Annex K, whose 64 values have the sum 3,688.
    private static func jpegQuality(_ file: Data) -> Double? {
        file.withUnsafeBytes { bytes in
            var index = 2
            // The tables come before the picture. A file with 64 KB of metadata before them has many segments.
            for _ in 0..<64 {
                guard index + 4 <= bytes.count, bytes[index] == 0xFF else { return nil }
                let (marker, length) = (bytes[index + 1], Int(bytes[index + 2]) << 8 | Int(bytes[index + 3]))
                guard marker != 0xDA, length >= 2 else { return nil }
                if marker == 0xDB {
                    guard length >= 67, index + 69 <= bytes.count, bytes[index + 4] & 0xF0 == 0 else { return nil }
                    let sum = bytes[(index + 5)..<(index + 69)].reduce(0) { $0 + Int($1) }
                    let scale = Double(sum) / 3688
                    return scale <= 1 ? 1 - scale / 2 : 0.5 / scale
                }
                index += 2 + length
            }
            return nil
        }
    }

    /// Whether the first picture of a WebP file is a lossless bitstream (RFC 9649).
    private static func isLosslessWebP(_ file: Data) -> Bool {
        file.withUnsafeBytes { bytes in
            var index = 12
            for _ in 0..<64 {
                guard index + 8 <= bytes.count else { return false }
                let name = bytes[index..<(index + 4)]
                if name.elementsEqual("VP8L".utf8) { return true }
                if name.elementsEqual("VP8 ".utf8) { return false }
                // The first frame of an animation contains its bitstream after 16 bytes.
                if name.elementsEqual("ANMF".utf8) {
                    index += 24
                    continue
                }
                let size = bytes.loadUnaligned(fromByteOffset: index + 4, as: UInt32.self).littleEndian
                index += 8 + Int(size) + Int(size & 1)
            }
            return false
        }
    }
}
