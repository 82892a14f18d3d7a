import CWebImageDeflate
import Foundation

/// What tells stored bytes from damaged ones: CRC-32 (ISO 3309), beside the length.
///
/// libdeflate's takes a third of the time zlib's does (20 KB in 5 µs against 12) and is compiled code in debug builds
/// too. It guards against accidents; whoever can write into the folder can write a matching sum.
enum Checksum {
    static func of(_ data: Data) -> Int {
        data.withUnsafeBytes { Int(libdeflate_crc32(0, $0.baseAddress, $0.count)) }
    }
}
