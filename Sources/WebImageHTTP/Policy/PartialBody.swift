import Foundation
import WebImageCore

/// The first part of a body whose transfer ended early. With the validator, the server checks whether the missing part
/// still belongs to the same body.
struct PartialBody: Sendable {
    /// The strong `ETag` of the response; without an `ETag`, its `Last-Modified` field. A weak `ETag` does not guarantee
    /// identical bytes (RFC 9110 §8.8.1).
    let validator: String
    /// The digest of the URL that sent the body. Another URL may use the same `ETag` for another body.
    let source: String
    /// The number of bytes of the complete body.
    let total: Int
    let body: ReceivedBody
    /// The number of received bytes when this value was made. `body` may receive more bytes later.
    let count: Int
    /// The `Last-Modified` field of the response; nil if it had none. Servers that keep the `ETag` of a replaced file tell the
    /// two bodies apart by this field.
    var modified: String?
    /// Whether the partial body may be stored on disk. If false, only the next attempt of the same download can
    /// continue it.
    var mayBeStored = true

    init(validator: String, source: String, total: Int, body: ReceivedBody) {
        self.validator = validator
        self.source = source
        self.total = total
        self.body = body
        count = body.count
    }

    /// Makes the partial body of a response; nil if the response cannot be continued. A continuation requires a known
    /// total length, a strong validator, and no content coding.
    init?(_ body: ReceivedBody, of head: WebImageResponse, from url: URL, total: Int?) {
        guard let total, 1..<max(total, 1) ~= body.count, let validator = Self.strongValidator(head),
            head.value(forHTTPHeaderField: "accept-ranges")?.lowercased() != "none",
            ["", "identity"].contains(head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? "")
        else { return nil }
        self.init(validator: validator, source: url.sourceDigest, total: total, body: body)
        modified = Self.modified(head)
    }

    private static func strongValidator(_ head: WebImageResponse) -> String? {
        if let tag = head.value(forHTTPHeaderField: "etag") {
            return tag.hasPrefix("\"") && tag.hasSuffix("\"") && 2..<1000 ~= tag.utf8.count ? tag : nil
        }
        // A file can change twice within a second. The time is a strong validator only if the server sent the response
        // later (RFC 9110 §8.8.2.2). The margin allows for the two clocks of a server and its storage.
        guard let modified = modified(head), let time = HTTPDate.seconds(modified),
            let sent = head.value(forHTTPHeaderField: "date").flatMap({ HTTPDate.seconds($0) }), sent - time >= 60
        else { return nil }
        return modified
    }

    private static func modified(_ head: WebImageResponse) -> String? {
        head.value(forHTTPHeaderField: "last-modified").flatMap { (1..<100).contains($0.utf8.count) ? $0 : nil }
    }

    /// The header fields that request the missing part. If the body has changed, the server returns the whole body
    /// (RFC 9110 §13.1.5).
    var requestFields: [String: String] { ["Range": "bytes=\(count)-", "If-Range": validator] }

    /// Whether a response contains the missing part. It must have status 206 and no content coding. Its range must
    /// begin where this body ends, and must reach to the end of the complete body. If the response states a total
    /// length, an `ETag` or a time of modification, the value must be the same as in this partial body.
    func isContinued(by head: WebImageResponse) -> Bool {
        guard head.statusCode == 206, let range = ContentRange(head.value(forHTTPHeaderField: "content-range")),
            ["", "identity"].contains(head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? ""),
            head.value(forHTTPHeaderField: "etag").map({ $0 == validator }) ?? true,
            modified == nil || Self.modified(head).map({ $0 == modified }) ?? (modified != validator)
        else { return false }
        return range.first == count && range.last == total - 1 && range.total.map { $0 == total } ?? true
    }
}

/// A parsed `Content-Range` field such as `bytes 100-199/200` (RFC 9110 §14.4).
package struct ContentRange: Hashable {
    package let first: Int
    package let last: Int
    package let total: Int?

    package init?(_ field: String?) {
        guard let field, field.lowercased().hasPrefix("bytes ") else { return nil }
        let parts = field.dropFirst(6).split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts.first?.split(separator: "-", omittingEmptySubsequences: false).compactMap { Int($0) } ?? []
        guard parts.count == 2, ends.count == 2, ends[0] >= 0, ends[1] >= ends[0] else { return nil }
        first = ends[0]
        last = ends[1]
        total = parts[1] == "*" ? nil : Int(parts[1])
        guard parts[1] == "*" || (total ?? -1) > last else { return nil }
    }
}
