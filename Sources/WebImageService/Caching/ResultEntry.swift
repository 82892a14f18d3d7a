import Foundation
import WebImageCore

/// A stored result: encoded bytes and the facts that an answer needs.
struct ResultEntry: Sendable {
    struct Head: Sendable, Codable, Hashable {
        var mediaType: String
        /// The strong validator with its quotes.
        var etag: String
        /// Seconds since 1970.
        var stored: TimeInterval
        var lifetime: Lifetime
        /// Identifies the version of the source.
        var sourceVersion: String
        /// The source's URL, compared on reading to detect a digest collision.
        var source: String
        var width: Int?
        var height: Int?
    }

    var head: Head
    var body: Data

    init(head: Head, body: Data) {
        self.head = head
        self.body = body
    }

    func age(now: TimeInterval) -> Int { head.lifetime.age(storedAt: head.stored, now: now) }

    func isFresh(now: TimeInterval) -> Bool { age(now: now) < head.lifetime.maxAge }

    func isUsableWhileRevalidating(now: TimeInterval) -> Bool {
        age(now: now) < head.lifetime.maxAge + head.lifetime.staleWhileRevalidate
    }

    func isUsableAfterError(now: TimeInterval) -> Bool {
        age(now: now) < head.lifetime.maxAge + head.lifetime.staleIfError
    }

    /// The validator of a body: 128 bits of its digest.
    static func etag(of body: Data) -> String {
        "\"" + ContentDigest(body).data.map { String(plainFormat: "%02x", $0) }.joined() + "\""
    }

    // MARK: On disk: one value, so that bytes and head always belong to the same result.

    private static let signature = Array("WIR1".utf8)

    /// Signature, length of the head (32 bits, little endian), head as JSON, body.
    var envelope: Data {
        guard let json = try? JSONEncoder().encode(head) else { return Data() }
        var data = Data(Self.signature)
        withUnsafeBytes(of: UInt32(json.count).littleEndian) { data.append(contentsOf: $0) }
        data.append(json)
        data.append(body)
        return data
    }

    /// Nil for anything that ``envelope`` did not make for this source.
    init?(envelope: Data, source: String) {
        guard envelope.count > 8, envelope.starts(with: Self.signature) else { return nil }
        let start = envelope.startIndex
        let count = envelope[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= 64 << 10, envelope.count >= 8 + count,
            let head = try? JSONDecoder().decode(Head.self, from: envelope[(start + 8)..<(start + 8 + count)]),
            head.source == source
        else { return nil }
        self.head = head
        body = envelope[(start + 8 + count)...]
    }
}
