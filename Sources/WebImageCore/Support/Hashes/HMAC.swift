/// Keyed hashes (RFC 2104).
package enum HMAC {
    /// The HMAC-SHA-256 of a message; 32 bytes.
    package static func sha256(key: [UInt8], message: [UInt8]) -> [UInt8] { authenticate(message, key: key, sha256) }

    /// The HMAC-SHA-1 of a message; 20 bytes.
    package static func sha1(key: [UInt8], message: [UInt8]) -> [UInt8] { authenticate(message, key: key, SHA1.digest) }

    package static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let words = bytes.withUnsafeBytes { SHA256.digest(of: $0) }
        return words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> UInt32($0)) } }
    }

    private static func authenticate(
        _ message: [UInt8], key: [UInt8], _ hash: ([UInt8]) -> [UInt8]
    ) -> [UInt8] {
        var block = key.count > 64 ? hash(key) : key
        block += [UInt8](repeating: 0, count: 64 - block.count)
        return hash(block.map { $0 ^ 0x5C } + hash(block.map { $0 ^ 0x36 } + message))
    }

    /// Whether two values are equal. The duration depends only on their lengths, so it does not reveal where they
    /// differ.
    package static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
