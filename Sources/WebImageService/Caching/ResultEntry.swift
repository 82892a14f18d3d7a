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

    // MARK: On disk: one value, so that bytes and head always belong to the same result.

    private static let signature: StaticString = "WIR1"

    var envelope: Data { HeadedBody.data(Self.signature, head, body) }

    /// Nil for anything that ``envelope`` did not make for this source.
    init?(envelope: Data, source: String) {
        guard let (head, body) = HeadedBody.read(Self.signature, Head.self, from: envelope), head.source == source
        else {
            return nil
        }
        self.init(head: head, body: body)
    }
}
