import Foundation
import WebImageCore

/// Evaluates the fields `If-Match`, `Range` and `If-Range` of a request (RFC 9110 §13, §14).
enum ConditionalRequest {
    enum RangeAnswer: Equatable {
        /// The whole body is sent, because the request has no valid single byte range or `If-Range` has a different
        /// entity tag.
        case whole
        case part(Range<Int>)
        case notSatisfiable
    }

    /// Whether the condition of `If-Match` holds, which compares strongly (§13.1.1). An answer has no modification date, so
    /// `If-Unmodified-Since` is ignored (§13.1.4).
    static func holds(_ headers: ServiceHeaders, etag: String) -> Bool {
        headers["If-Match"].map { EntityTag.matches($0, etag, isStrong: true) } ?? true
    }

    /// Returns the part of the body to send for `Range`. Only a single byte range is supported.
    static func range(_ headers: ServiceHeaders, etag: String, count: Int) -> RangeAnswer {
        guard let field = headers["Range"]?.trimmed, field.lowercased().hasPrefix("bytes=") else { return .whole }
        // The client wants a part of the version of that time, which is not known here.
        guard headers["If-Unmodified-Since"] == nil || headers["If-Match"] != nil else { return .whole }
        // A date in `If-Range` never matches, because answers have no `Last-Modified`.
        if let condition = headers["If-Range"]?.trimmed, condition != etag { return .whole }
        let text = field.dropFirst(6)
        guard !text.contains(","), let dash = text.firstIndex(of: "-") else { return .whole }
        let first = text[..<dash].trimmed
        let last = text[text.index(after: dash)...].trimmed
        if first.isEmpty {
            guard let suffix = number(last) else { return .whole }
            return suffix == 0 || count == 0 ? .notSatisfiable : .part(max(count - suffix, 0)..<count)
        }
        guard let start = number(first) else { return .whole }
        if last.isEmpty { return start < count ? .part(start..<count) : .notSatisfiable }
        guard let end = number(last), end >= start else { return .whole }
        return start < count ? .part(start..<min(end + 1, count)) : .notSatisfiable
    }

    private static func number(_ text: String) -> Int? {
        guard (1...18).contains(text.utf8.count), text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
            return nil
        }
        return Int(text)
    }
}
