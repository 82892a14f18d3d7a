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

    init(_ answer: HTTPExchange.Answer) { self.init(answer.body, answer.response) }

    init(_ body: Data, _ response: WebImageResponse) {
        data = body
        self.response = response
        tag = response.value(forHTTPHeaderField: "etag")
        let range = response.value(forHTTPHeaderField: "content-range")
        wholeSize = range?.split(separator: "/").last.flatMap { Int($0) }
        isNotModified = response.statusCode == 304
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
        guard var document = S3Document(bytes) else { return nil }
        var (page, entry): ([String: String], [String: String]) = ([:], [:])
        while let element = document.nextElement() {
            guard element.path.first == "ListBucketResult" else { return nil }
            switch element.path.dropFirst() {
            case ["Contents"]:
                // The request asks for names in percent-encoding, because XML cannot contain every character.
                guard let name = entry["Key"]?.replacingOccurrences(of: "+", with: " ").removingPercentEncoding else {
                    return nil
                }
                entries.append(
                    Entry(
                        key: name, size: entry["Size"].flatMap { Int($0) } ?? 0,
                        stored: entry["LastModified"].flatMap(S3Hash.seconds)))
                entry = [:]
            case let path where path.count == 2 && path.first == "Contents": entry[element.name] = element.text
            case let path where path.count == 1: page[element.name] = element.text
            default: break
            }
        }
        guard document.isComplete else { return nil }
        if page["IsTruncated"] == "true" { next = page["NextContinuationToken"] }
    }
}

/// Reads the elements of a document that a store sends, each at its end.
struct S3Document {
    struct Element {
        /// The names of the elements around it and its own, without the prefixes of namespaces.
        var path: [String]
        /// The text behind its last inner element.
        var text: String
        var name: String { path.last ?? "" }
    }

    /// Whether the document was well-formed up to its end.
    private(set) var isComplete = false
    private var reader: XMLReader
    private var path: [String] = []
    private var text = ""
    private var hasElements = false
    private static let deepest = 16

    /// Nil if the bytes are no text.
    init?(_ bytes: Data) {
        guard let reader = XMLReader(bytes) else { return nil }
        self.reader = reader
    }

    /// The text of the first element of this name; nil if there is none before the first damaged place.
    static func first(_ name: String, in bytes: Data) -> String? {
        var document = S3Document(Data(String(decoding: bytes.prefix(64 << 10), as: UTF8.self).utf8))
        while let element = document?.nextElement() { if element.name == name { return element.text } }
        return nil
    }

    /// The next element that ends; nil at the end of the document, or where it is damaged.
    mutating func nextElement() -> Element? {
        while let token = reader.next() {
            switch token {
            case .start(let name, _, let isEmpty):
                guard path.count < Self.deepest else { return nil }
                (path, text, hasElements) = (path + [Self.local(name)], "", true)
                if isEmpty { return end() }
            case .text(let part): text += part
            case .end(let name):
                guard path.last == Self.local(name) else { return nil }
                return end()
            case .malformed: return nil
            }
        }
        isComplete = hasElements && path.isEmpty
        return nil
    }

    private mutating func end() -> Element {
        defer { (text, path) = ("", Array(path.dropLast())) }
        return Element(path: path, text: text)
    }

    private static func local(_ name: String) -> String {
        name.split(separator: ":", omittingEmptySubsequences: false).last.map { String($0) } ?? name
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
