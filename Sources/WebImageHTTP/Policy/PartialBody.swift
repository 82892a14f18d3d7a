import Foundation
import WebImageCore

/// The beginning of a body, with the validator that shows whether the rest still belongs to it.
struct PartialBody: Sendable {
    /// A strong `ETag`; a weak one does not guarantee the same bytes (RFC 9110 §8.8.1).
    let validator: String
    /// Bytes of the whole body.
    let total: Int
    let body: ReceivedBody
    /// Bytes of the beginning; `body` may receive more later.
    let count: Int
    /// Whether it may be stored on disk. Another attempt of the same download continues it from memory in either case.
    var mayBeStored = true

    init(validator: String, total: Int, body: ReceivedBody) {
        self.validator = validator
        self.total = total
        self.body = body
        count = body.count
    }

    /// The beginning of a response; nil when the response cannot be continued.
    init?(_ body: ReceivedBody, of head: WebImageResponse, total: Int?) {
        guard let total, 1..<max(total, 1) ~= body.count, let tag = head.value(forHTTPHeaderField: "etag"),
            tag.hasPrefix("\""), tag.hasSuffix("\""), tag.utf8.count >= 2, tag.utf8.count < 1000,
            head.value(forHTTPHeaderField: "accept-ranges")?.lowercased() != "none",
            ["", "identity"].contains(head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? "")
        else { return nil }
        self.init(validator: tag, total: total, body: body)
    }

    /// The fields that request the rest, or the whole body when it has changed (RFC 9110 §13.1.5).
    var requestFields: [String: String] { ["Range": "bytes=\(count)-", "If-Range": validator] }

    /// Whether a 206 response is the rest: it begins where this body ends, and the total length is unchanged.
    func isContinued(by head: WebImageResponse) -> Bool {
        guard head.statusCode == 206, let range = ContentRange(head.value(forHTTPHeaderField: "content-range")),
            ["", "identity"].contains(head.value(forHTTPHeaderField: "content-encoding")?.lowercased() ?? ""),
            head.value(forHTTPHeaderField: "etag").map({ $0 == validator }) ?? true
        else { return false }
        return range.first == count && range.last == total - 1 && range.total.map { $0 == total } ?? true
    }
}

/// `bytes 100-199/200` (RFC 9110 §14.4).
struct ContentRange: Hashable {
    let first: Int
    let last: Int
    let total: Int?

    init?(_ field: String?) {
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
