import Foundation
import WebImageLoading

/// A number in a tier or on a disk, such as the number of purges of a source.
enum StoredNumber {
    /// The greatest number that is believed; sums of some of them have a value.
    static let most = 1 << 53

    /// Reads a text; nil if it is no number from 0 to ``most``.
    static func read(_ text: Data) -> Int? {
        Int(String(decoding: text, as: UTF8.self)).flatMap { (0...most).contains($0) ? $0 : nil }
    }
}

/// A stored result: its encoded bytes, and the other values that an answer needs.
struct ResultEntry: Sendable {
    struct Head: Sendable, Codable, Hashable {
        var mediaType: String
        /// The strong entity tag, including its quotes.
        var etag: String
        /// The time at which the result was stored, in seconds since 1970.
        var stored: TimeInterval
        var lifetime: Lifetime
        /// Identifies the version of the source.
        var sourceVersion: String
        /// The source's URL. When an entry is read, this URL is compared with the requested URL. If the URLs differ,
        /// two keys have the same digest, and the entry is not used.
        var source: String
        var width: Int?
        var height: Int?
        /// Scheme and host from which the source came, if its server redirected to another host.
        var redirect: String?
        /// What the origin has said; nil in entries of earlier versions, which cannot be judged and are not used.
        var record: SourceRecord?
        /// The tags of the target and of the source.
        var tags: [String]?
        /// The newest purge that was known when the fetch of the source began; see ``PurgeJournal``.
        var seen: Int?

        func age(now: TimeInterval) -> Int { lifetime.age(storedAt: stored, now: now) }

        private static let mediaTypes = Set(OutputFormat.allCases.map(\.mediaType) + ["application/json"])

        /// Whether a service can have written these values. A tier is shared with other programs, and a disk can be
        /// damaged: sums of their numbers must have a value, because an overflow ends the process, and a browser must not
        /// receive a page.
        fileprivate var isPlausible: Bool {
            let numbers = [
                lifetime.maxAge, lifetime.age, lifetime.staleWhileRevalidate, lifetime.staleIfError, width ?? 0,
                height ?? 0,
            ]
            return (0...1e12).contains(stored) && numbers.allSatisfy { (0...StoredNumber.most).contains($0) }
                && (seen ?? 0) >= 0 && record?.isPlausible ?? true && Self.mediaTypes.contains(mediaType)
        }
    }

    var head: Head
    var body: Data

    init(head: Head, body: Data) {
        self.head = head
        self.body = body
    }

    func age(now: TimeInterval) -> Int { head.age(now: now) }

    func isFresh(now: TimeInterval) -> Bool { age(now: now) < head.lifetime.maxAge }

    func isUsableWhileRevalidating(now: TimeInterval) -> Bool {
        age(now: now) < head.lifetime.maxAge + head.lifetime.staleWhileRevalidate
    }

    func isUsableAfterError(now: TimeInterval) -> Bool {
        age(now: now) < head.lifetime.maxAge + head.lifetime.staleIfError
    }

    /// The entry after a soft purge: its lifetime has ended, and it may be used while it is revalidated.
    func softlyPurged(now: TimeInterval) -> ResultEntry {
        var entry = self
        let rest = max(head.lifetime.maxAge - age(now: now), 0)
        entry.head.lifetime.maxAge -= rest
        entry.head.lifetime.staleWhileRevalidate += rest
        entry.head.lifetime.staleIfError += rest
        return entry
    }

    // MARK: On disk: head and bytes are one value, so that they always belong to the same result.

    private static let signature: StaticString = "WIR1"

    var envelope: Data { HeadedBody.data(Self.signature, head, body: body) }

    /// Reads the data of an ``envelope``; nil if the data is not an envelope or belongs to another source.
    init?(envelope: Data, source: String) {
        guard let (head, body) = HeadedBody.read(Self.signature, Head.self, from: envelope), head.source == source,
            head.isPlausible
        else {
            return nil
        }
        self.init(head: head, body: body)
    }
}
