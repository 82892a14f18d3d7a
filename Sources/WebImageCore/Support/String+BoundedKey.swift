import Foundation

extension String {
    /// The text itself if it is short, otherwise a digest of it. Tables that remember keys for a long time store this
    /// text, so that a long key, such as a `data:` URL, does not occupy memory.
    package var boundedKey: String {
        guard utf8.count > Self.longestKey else { return self }
        // A digest begins with a zero byte, which no URL contains.
        return "\0" + ContentDigest(Data(utf8)).data.map { String(plainFormat: "%02x", $0) }.joined()
    }

    private static let longestKey = 512
}
