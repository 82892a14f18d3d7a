package import Foundation

/// A 128-bit digest that distinguishes two versions of a body.
///
/// The two versions are the bodies of one URL at different times. The digest does not protect against a server that
/// creates two bodies with the same digest. Such a server could only prevent updates of the thumbnails of its own
/// images. Computing the digest of 1 MB takes 0.2 ms (0.5 ms in a debug build).
package struct ContentDigest: Hashable, Sendable {
    private let high: UInt64
    private let low: UInt64

    package init(_ data: Data) {
        var first: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(data.count)
        var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F &+ UInt64(data.count)
        data.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            // Copy the body in blocks to aligned memory: words must be read from aligned addresses, but the first byte
            // of a body can be at any address.
            withUnsafeTemporaryAllocation(of: UInt64.self, capacity: Self.blockWords) { block in
                guard let words = block.baseAddress else { return }
                var offset = 0
                while offset < bytes.count {
                    let count = min(Self.blockWords * 8, bytes.count - offset)
                    var index = 0
                    let end = (count &+ 15) / 16 &* 2
                    // Set the last two words to 0, because the body can end within them.
                    (words[end &- 2], words[end &- 1]) = (0, 0)
                    memcpy(words, base + offset, count)
                    while index < end {
                        first = (first ^ words[index]) &* 0x9FB2_1C65_1E98_DF25
                        first ^= first &>> 32
                        second = (second ^ words[index &+ 1]) &* 0xD6E8_FEB8_6659_FD93
                        second ^= second &>> 29
                        index = index &+ 2
                    }
                    offset += count
                }
            }
        }
        high = first &+ second &* 0x8CB9_2BA7_2F3D_8DD7
        low = second ^ (first &<< 17 | first &>> 47)
    }

    /// Creates the digest from its 16 stored bytes. Returns nil if `data` does not contain exactly 16 bytes.
    package init?(stored data: Data?) {
        guard let words = TwoWords.read(data) else { return nil }
        (high, low) = words
    }

    package var data: Data { TwoWords.data(high, low) }
    package var words: (high: UInt64, low: UInt64) { (high, low) }

    /// The number of words in a block. The number is even, because each of the two halves of the digest reads every
    /// second word of the block.
    private static let blockWords = 1024
}
