import CWebImageRSVG
import Foundation
import WebImageCore

/// Decompresses gzip documents up to a limit of bytes. librsvg would decompress them without a limit.
enum Gunzip {
    static func isGzip(_ data: Data) -> Bool { data.prefix(3).elementsEqual([0x1F, 0x8B, 0x08]) }

    /// Returns the start of the decompressed data. The result has at least `limit` bytes. If the decompressed data has
    /// fewer bytes, the result has all its bytes. Nil if the data cannot be decompressed.
    static func start(of data: Data, limit: Int) -> Data? {
        try? unpack(data, limit: limit, isWhole: false)
    }

    /// Returns the whole decompressed document.
    ///
    /// - Throws: `.limitExceeded` if the result exceeds `limits.maxEncodedBytes`. `.badImageData` if the compressed
    ///   data is damaged or truncated.
    static func whole(_ data: Data, limits: DecodingLimits) throws(WebImageError) -> Data {
        try unpack(data, limit: limits.maxEncodedBytes, isWhole: true)
    }

    private static func unpack(_ data: Data, limit: Int, isWhole: Bool) throws(WebImageError) -> Data {
        let librsvg = try RSVGLibrary.functions()
        guard let converter = librsvg.g_zlib_decompressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP) else {
            throw .badData("gio", "cannot make a decompressor")
        }
        HandleLedger.opened("gzip")
        defer {
            librsvg.g_object_unref(UnsafeMutableRawPointer(converter))
            HandleLedger.closed("gzip")
        }
        return try data.withFileBytes { bytes throws(WebImageError) in
            var result = Data()
            var piece = [UInt8](repeating: 0, count: 64 << 10)
            var offset = 0
            while true {
                var (read, written) = (0, 0)
                let status = piece.withUnsafeMutableBytes { target in
                    librsvg.g_converter_convert(
                        converter, bytes.baseAddress?.advanced(by: offset), bytes.count - offset,
                        target.baseAddress, target.count, G_CONVERTER_INPUT_AT_END, &read, &written, nil)
                }
                guard status != G_CONVERTER_ERROR else { throw .badData("gzip", "the compressed document is damaged") }
                offset += read
                result.append(contentsOf: piece[..<written])
                if status == G_CONVERTER_FINISHED { return result }
                if result.count >= limit {
                    guard isWhole else { return result }
                    throw .limit(.encodedBytes, actual: .max, allowed: limit)
                }
                guard read > 0 || written > 0 else { throw .badData("gzip", "the compressed document ends too early") }
            }
        }
    }
}
