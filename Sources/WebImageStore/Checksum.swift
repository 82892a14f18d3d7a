import CZlib
import Foundation

/// What tells stored bytes from damaged ones: CRC-32 (ISO 3309), beside the length.
///
/// zlib's runs at some 4 GB/s and is compiled code in debug builds too. It guards against accidents; whoever can write
/// into the folder can write a matching sum.
enum Checksum {
    static func of(_ data: Data) -> Int {
        data.withUnsafeBytes { Int(crc32_z(0, $0.bindMemory(to: UInt8.self).baseAddress, $0.count)) }
    }
}
