package import Foundation
package import WebImageCore
import WebImageHTTP

/// Why a request to a store has no usable answer.
package enum S3Failure: Error, Sendable, Hashable {
    /// The object does not exist.
    case missing
    /// The condition of a `PUT` does not hold.
    case preconditionFailed
    /// The answer did not arrive within the budget.
    case late
    /// The store asked to slow down, or failed, in every attempt.
    case busy(status: Int, code: String)
    /// The store cannot be reached.
    case down(String)
    /// The caller's task was cancelled.
    case cancelled
    /// The object is longer than the caller accepts.
    case tooLarge
    /// The object was replaced while it was read, each time.
    case changing
    /// The store refuses the key, the signature or the permission.
    case forbidden(code: String)
    /// The bucket is in another region or at another endpoint.
    case otherRegion(String?)
    /// There are no usable credentials.
    case unconfigured(String)
    /// Another status.
    case refused(status: Int, code: String)

    init(_ status: Int, _ code: String, _ response: WebImageResponse) {
        switch status {
        case 404 where code != "NoSuchBucket": self = .missing
        case 412: self = .preconditionFailed
        case 401, 403: self = .forbidden(code: code)
        case 301, 307, 308: self = .otherRegion(response.value(forHTTPHeaderField: "x-amz-bucket-region"))
        default: self = .refused(status: status, code: code)
        }
    }
}

/// What must hold when an object is stored.
package enum S3Condition: Sendable, Hashable {
    /// No object has this name.
    case isAbsent
    /// The object has this entity tag, in the quotes in which the store returned it.
    case hasTag(String)
}

/// The conditions that a store enforces.
package struct S3Conditions: Sendable, Hashable {
    /// Whether `PUT` with `If-None-Match: *` keeps an existing object.
    package var enforcesAbsence = false
    /// Whether `PUT` with `If-Match` keeps an object with another tag and replaces one with this tag.
    package var enforcesMatch = false

    package init() {}
}

/// A received object or a part of it.
package struct S3Object: Sendable {
    package var data: Data
    /// The entity tag with its quotes.
    package var tag: String?
    /// The size of the whole object, if only a part was asked for and the store says it.
    package var wholeSize: Int?
    /// Whether the store answered that the known version is still the newest; `data` is then empty.
    package var isNotModified: Bool
    /// The head of the response.
    package var response: WebImageResponse

    init(_ answer: HTTPExchange.Answer) {
        data = answer.body
        response = answer.response
        tag = answer.response.value(forHTTPHeaderField: "etag")
        let range = answer.response.value(forHTTPHeaderField: "content-range")
        wholeSize = range?.split(separator: "/").last.flatMap { Int($0) }
        isNotModified = answer.response.statusCode == 304
    }
}

/// One page of a list of objects.
package struct S3Page: Sendable, Equatable {
    package struct Entry: Sendable, Equatable {
        package var key: String
        package var size: Int
        /// When the object was stored, in seconds since 1970, by the clock of the store; nil if unknown.
        package var stored: TimeInterval?
    }

    package var entries: [Entry] = []
    /// The token of the next page; nil for the last page.
    package var next: String?

    /// Nil if the bytes are no list.
    init?(_ bytes: Data) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains("<ListBucketResult") else { return nil }
        for part in text.components(separatedBy: "<Contents>").dropFirst() {
            guard let key = S3XML.first("Key", in: part),
                // The request asks for names in percent-encoding, because XML cannot contain every character.
                let name = key.replacingOccurrences(of: "+", with: " ").removingPercentEncoding
            else { return nil }
            entries.append(
                Entry(
                    key: name, size: S3XML.first("Size", in: part).flatMap { Int($0) } ?? 0,
                    stored: S3XML.first("LastModified", in: part).flatMap(S3Hash.seconds)))
        }
        if S3XML.first("IsTruncated", in: text) == "true" { next = S3XML.first("NextContinuationToken", in: text) }
    }
}

/// Reads single elements of the small documents that a store sends.
enum S3XML {
    static func first(_ name: String, in bytes: Data) -> String? {
        first(name, in: String(decoding: bytes.prefix(64 << 10), as: UTF8.self))
    }

    /// The text of the first element of this name without attributes; nil if there is none.
    static func first(_ name: String, in text: String) -> String? {
        guard let start = text.range(of: "<\(name)>"),
            let end = text.range(of: "</\(name)>", range: start.upperBound..<text.endIndex)
        else { return nil }
        return unescaped(text[start.upperBound..<end.lowerBound])
    }

    private static func unescaped(_ text: Substring) -> String {
        guard text.contains("&") else { return String(text) }
        var (result, rest) = ("", text)
        while let start = rest.firstIndex(of: "&") {
            result += rest[..<start]
            guard let end = rest[start...].firstIndex(of: ";") else { return result + rest[start...] }
            let name = rest[rest.index(after: start)..<end]
            result += character(name).map { String($0) } ?? String(rest[start...end])
            rest = rest[rest.index(after: end)...]
        }
        return result + rest
    }

    private static func character(_ name: Substring) -> Character? {
        switch name {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            let number = name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : UInt32(name.dropFirst())
            guard name.hasPrefix("#"), let number, let scalar = UnicodeScalar(number) else { return nil }
            return Character(scalar)
        }
    }
}

enum S3Hash {
    /// The SHA-256 of the bytes in hexadecimal digits.
    static func text(of data: Data) -> String {
        let words = data.withUnsafeBytes { SHA256.digest(of: $0) }
        return words.map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 8 - digits.count) + digits
        }.joined()
    }

    /// A time as in `20260131T235959Z`.
    static func date(_ seconds: TimeInterval) -> String {
        var time = time_t(seconds)
        var parts = tm()
        gmtime_r(&time, &parts)
        func digits(_ number: Int32, _ count: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(count - text.count, 0)) + text
        }
        return digits(parts.tm_year + 1900, 4) + digits(parts.tm_mon + 1, 2) + digits(parts.tm_mday, 2) + "T"
            + digits(parts.tm_hour, 2) + digits(parts.tm_min, 2) + digits(parts.tm_sec, 2) + "Z"
    }

    /// The seconds since 1970 of a time such as `2026-01-31T23:59:59Z` or with a fraction of a second.
    static func seconds(_ text: String) -> TimeInterval? {
        let numbers = text.split(whereSeparator: { !$0.isNumber }).map { Int32($0) ?? -1 }
        guard numbers.count >= 6, text.hasSuffix("Z"), numbers.prefix(6).allSatisfy({ $0 >= 0 }) else { return nil }
        var parts = tm()
        (parts.tm_year, parts.tm_mon, parts.tm_mday) = (numbers[0] - 1900, numbers[1] - 1, numbers[2])
        (parts.tm_hour, parts.tm_min, parts.tm_sec) = (numbers[3], numbers[4], numbers[5])
        let time = timegm(&parts)
        return time < 0 ? nil : TimeInterval(time)
    }
}
