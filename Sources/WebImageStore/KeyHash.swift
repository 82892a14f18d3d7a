import Foundation
import WebImageCore

/// The identifier of an entry in the index: the first 128 bits of the SHA-256 of its key.
///
/// Keys are URLs, so attackers can choose them. With a hash that allows constructed collisions, such as MD5, one site
/// could store its image under the key of another site.
struct KeyHash: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    init(_ key: String) {
        let words = SHA256.firstWords(of: key)
        high = words.0
        low = words.1
    }

    /// Creates a hash from its 16 stored bytes.
    init(bytes: UnsafeRawBufferPointer) {
        high = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 0, as: UInt64.self))
        low = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: (high.bigEndian, low.bigEndian), body)
    }

    /// A number that sorts hashes in the order of the index: the first half of the hash. Hashes with an equal first
    /// half have the same number.
    var order: UInt64 { high }

    /// The hash as 32 hexadecimal digits.
    var hex: String { Self.hex(high) + Self.hex(low) }

    /// Returns a number as 16 hexadecimal digits.
    static func hex(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
