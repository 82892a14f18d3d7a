public import Foundation

/// The head of a server's response as a value, with the member names of `HTTPURLResponse`.
///
/// Copies share their storage until one of them is changed.
public struct WebImageResponse: Sendable {
    private final class Storage: @unchecked Sendable {
        // Unchecked is correct because a storage is changed only while a single value references it; see `change`.
        var url: URL?
        var statusCode: Int?
        var fields: Fields
        var expectedContentLength: Int?
        var type: DeclaredType
        var httpVersion: String?
        var remoteAddress: String?

        init(url: URL?, statusCode: Int?, fields: Fields, length: Int?, type: DeclaredType, version: String?) {
            self.url = url
            self.statusCode = statusCode
            self.fields = fields
            self.expectedContentLength = length
            self.type = type
            self.httpVersion = version
        }

        func copy() -> Storage {
            let copy = Storage(
                url: url, statusCode: statusCode, fields: fields, length: expectedContentLength, type: type,
                version: httpVersion)
            copy.remoteAddress = remoteAddress
            return copy
        }
    }

    private enum Fields {
        case listed([String: String])
        /// The received lines. Every read of a field searches the lines. Callers read only a few fields, so building a
        /// dictionary would take longer.
        case received(ReceivedFields)

        var all: [String: String] {
            switch self {
            case .listed(let fields): fields
            case .received(let received): received.all
            }
        }
    }

    private enum DeclaredType {
        case set(String?)
        /// The media type is in the received fields.
        case received
    }

    private var storage: Storage

    private mutating func change(_ change: (Storage) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        change(storage)
    }

    /// The URL of the response, after redirects.
    public var url: URL? {
        get { storage.url }
        set { change { $0.url = newValue } }
    }

    /// The HTTP status; nil for a response that did not use HTTP (`file:`, `data:`).
    public var statusCode: Int? {
        get { storage.statusCode }
        set { change { $0.statusCode = newValue } }
    }

    /// The header fields. Fields that a caller set are returned unchanged.
    ///
    /// In a response from the network, names are in lower case, and the values of repeated fields are joined by `, `.
    /// For such a response, every read builds the dictionary again. ``value(forHTTPHeaderField:)`` is faster.
    public var allHeaderFields: [String: String] {
        get { storage.fields.all }
        set {
            let type = mimeType
            change { storage in (storage.fields, storage.type) = (.listed(newValue), .set(type)) }
        }
    }

    /// The header fields with their names as received. The values of repeated fields are joined by `, ` under the name
    /// of the first of these fields.
    package var fieldsAsReceived: [String: String] {
        switch storage.fields {
        case .listed(let fields): fields
        case .received(let received): received.asReceived
        }
    }

    /// The declared length of the body in bytes; nil if it is not declared.
    public var expectedContentLength: Int? {
        get { storage.expectedContentLength }
        set { change { $0.expectedContentLength = newValue } }
    }

    /// The declared media type without parameters, in lower case.
    public var mimeType: String? {
        get {
            switch storage.type {
            case .set(let type): type
            case .received: Self.mimeType(of: value(forHTTPHeaderField: "content-type"))
            }
        }
        set { change { $0.type = .set(newValue) } }
    }

    /// The HTTP version as in the status line (`HTTP/1.1`, `HTTP/2`); nil if unknown.
    public var httpVersion: String? {
        get { storage.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }

    /// The address that sent the response; nil if unknown. Only a downloader that checks addresses sets it.
    package var remoteAddress: String? {
        get { storage.remoteAddress }
        set { change { $0.remoteAddress = newValue } }
    }

    /// Creates the head of a response.
    public init(
        url: URL?, statusCode: Int? = nil, allHeaderFields: [String: String] = [:],
        expectedContentLength: Int? = nil, mimeType: String? = nil, httpVersion: String? = nil
    ) {
        storage = Storage(
            url: url, statusCode: statusCode, fields: .listed(allHeaderFields), length: expectedContentLength,
            type: .set(mimeType), version: httpVersion)
    }

    /// Creates the head of a response from the received lines, which contain the length and the media type.
    package init(url: URL?, statusCode: Int?, received: ReceivedFields, httpVersion: String?) {
        storage = Storage(
            url: url, statusCode: statusCode, fields: .received(received), length: received.bodyLength,
            type: .received, version: httpVersion)
    }

    /// Returns the value of the header field `field`, regardless of upper and lower case.
    public func value(forHTTPHeaderField field: String) -> String? {
        switch storage.fields {
        case .listed(let fields): fields[field.lowercased()] ?? fields.first { $0.key.isSame(asField: field) }?.value
        case .received(let received): received.value(of: field)
        }
    }

    /// Returns the address in the header field `field`, such as `Location`. Bytes that are not UTF-8 are percent-escaped.
    package func address(forHTTPHeaderField field: String) -> String? {
        guard case .received(let received) = storage.fields else { return value(forHTTPHeaderField: field) }
        return received.value(of: field) { String(addressBytes: $0) }
    }

    /// Returns the values of the header fields with these names, which are in lower case.
    package func values(of names: [String]) -> [String: String] {
        if case .received(let received) = storage.fields { return received.values(of: names) }
        var values: [String: String] = [:]
        for name in names { values[name] = value(forHTTPHeaderField: name) }
        return values
    }

    /// Returns the declared media type without parameters and blanks, in lower case.
    private static func mimeType(of field: String?) -> String? {
        guard let field, !field.isEmpty else { return nil }
        let isPlain = field.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ";") && $0 == $0.lowercasedASCII }
        if isPlain { return field }
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }.map(\.lowercasedASCII)
        return type.isEmpty ? nil : String(decoding: type, as: UTF8.self)
    }
}

extension WebImageResponse: Hashable {
    /// Returns whether all members are equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage
            || left.url == right.url && left.statusCode == right.statusCode
                && left.expectedContentLength == right.expectedContentLength && left.httpVersion == right.httpVersion
                && left.mimeType == right.mimeType && left.allHeaderFields == right.allHeaderFields
    }

    /// Hashes URL, status and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(statusCode)
        hasher.combine(allHeaderFields)
    }
}

extension String {
    /// Whether both names identify the same header field, regardless of case.
    fileprivate func isSame(asField other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}

/// The header fields of one response, stored as the received lines (RFC 9112 §5).
///
/// A response has about a dozen fields, and callers read only one or two of them. A dictionary of all fields would cost
/// more time than the transfer of a small body.
package struct ReceivedFields: Sendable {
    /// The lines. Each line is stored without surrounding blanks and ends with a line feed. One kind of line begins
    /// with a blank: a line that continues the previous line.
    private var bytes: [UInt8] = []
    private var hasField = false

    package init() {}

    /// Reserves memory for the number of fields that servers commonly send.
    package mutating func reserve() { bytes.reserveCapacity(480) }

    /// Adds one line, with or without its line break. Returns false for the empty line at the end of the fields.
    package mutating func add(_ line: UnsafeRawBufferPointer) -> Bool {
        var (low, high) = (0, line.count)
        while low < high, line[low] <= 0x20 { low += 1 }
        while low < high, line[high - 1] <= 0x20 { high -= 1 }
        guard low < high else { return false }
        let text = UnsafeRawBufferPointer(rebasing: line[low..<high])
        if hasField, line[0] == UInt8(ascii: " ") || line[0] == UInt8(ascii: "\t") {
            // Obsolete line folding (RFC 9112 §5.2) continues the previous value.
            bytes.append(UInt8(ascii: " "))
        } else {
            guard text.contains(UInt8(ascii: ":")) else { return true }
            hasField = true
        }
        bytes.append(contentsOf: text)
        bytes.append(UInt8(ascii: "\n"))
        return true
    }

    /// All fields, with names in lower case. The values of repeated fields are joined by `, `.
    package var all: [String: String] {
        var fields: [String: String] = [:]
        collect { fields[$0] = $2 }
        return fields
    }

    /// All fields, with names as received. The values of repeated fields are joined by `, ` under the name of the first
    /// of these fields.
    var asReceived: [String: String] {
        var (names, fields): ([String: String], [String: String]) = ([:], [:])
        collect { key, name, value in
            let first = names[key] ?? name
            names[key] = first
            fields[first] = value
        }
        return fields
    }

    /// Calls `set` once per line. The arguments are the name of the line's field in lower case, the same name as
    /// received, and the value of this field in all lines so far.
    private func collect(_ set: (_ key: String, _ name: String, _ value: String) -> Void) {
        var fields: [String: String] = [:]
        var (key, name) = ("", "")
        forEachLine { line, nameEnd in
            if let nameEnd {
                name = Self.text(line[..<nameEnd])
                key = String(decoding: line[..<nameEnd].map(\.lowercasedASCII), as: UTF8.self)
                let value = Self.value(line, nameEnd)
                fields[key] = fields[key].map { $0 + ", " + value } ?? value
            } else {
                fields[key, default: ""] += Self.text(line[...])
            }
            set(key, name, fields[key] ?? "")
        }
    }

    /// Returns the value of the field `name`, regardless of upper and lower case. The values of repeated fields are
    /// joined by `, `.
    package func value(of name: String) -> String? { value(of: name, text: Self.text) }

    /// Does the same with another function that makes the text of the received bytes.
    func value(of name: String, text: (Slice<UnsafeBufferPointer<UInt8>>) -> String) -> String? {
        var name = name
        return name.withUTF8 { name in
            var value: String?
            var isWanted = false
            forEachLine { line, nameEnd in
                guard let nameEnd else {
                    // Append without a separator: a continuation line begins with a blank.
                    if isWanted { value?.append(text(line[...])) }
                    return
                }
                isWanted = nameEnd == name.count && Self.isSame(line, name)
                guard isWanted else { return }
                let piece = text(Self.valueBytes(line, nameEnd))
                value = value.map { $0 + ", " + piece } ?? piece
            }
            return value
        }
    }

    /// Does the same for several names, which are in lower case, in one pass.
    func values(of names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        var wanted: String?
        forEachLine { line, nameEnd in
            guard let nameEnd else {
                if let wanted { values[wanted] = values[wanted, default: ""] + Self.text(line[...]) }
                return
            }
            wanted = names.first { $0.utf8.count == nameEnd && Self.isSame(line, $0.utf8) }
            guard let wanted else { return }
            let text = Self.value(line, nameEnd)
            values[wanted] = values[wanted].map { $0 + ", " + text } ?? text
        }
        return values
    }

    /// The declared length of the body in bytes. Nil for a body with a content encoding: `Content-Length` counts the
    /// encoded bytes of such a body, but callers count decoded bytes.
    var bodyLength: Int? {
        let encoding = value(of: "content-encoding")?.lowercased()
        guard encoding == nil || encoding == "identity" else { return nil }
        return value(of: "content-length").flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Calls `body` with each line and the offset at which the field name in this line ends. The offset is nil for a
    /// line that continues the previous line.
    @inline(__always)
    private func forEachLine(_ body: (UnsafeBufferPointer<UInt8>, Int?) -> Void) {
        bytes.withUnsafeBufferPointer { all in
            guard let first = all.baseAddress else { return }
            var start = 0
            while start < all.count, let end = Self.place(of: UInt8(ascii: "\n"), first + start, all.count - start) {
                let line = UnsafeBufferPointer(start: first + start, count: end)
                if line.first == UInt8(ascii: " ") {
                    body(line, nil)
                } else if let nameEnd = Self.place(of: UInt8(ascii: ":"), first + start, end) {
                    body(line, nameEnd)
                }
                start += end + 1
            }
        }
    }

    private static func place(of byte: UInt8, _ start: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        memchr(start, Int32(byte), count).map { UnsafeRawPointer($0) - UnsafeRawPointer(start) }
    }

    private static func text(_ bytes: Slice<UnsafeBufferPointer<UInt8>>) -> String {
        String(decoding: UnsafeBufferPointer(rebasing: bytes), as: UTF8.self)
    }

    private static func value(_ line: UnsafeBufferPointer<UInt8>, _ nameEnd: Int) -> String {
        text(valueBytes(line, nameEnd))
    }

    private static func valueBytes(
        _ line: UnsafeBufferPointer<UInt8>, _ nameEnd: Int
    ) -> Slice<UnsafeBufferPointer<UInt8>> {
        line[(nameEnd + 1)...].drop { $0 <= 0x20 }
    }

    /// Returns whether a line begins with a name, regardless of upper and lower case.
    private static func isSame(_ line: UnsafeBufferPointer<UInt8>, _ name: some Sequence<UInt8>) -> Bool {
        var index = 0
        for byte in name {
            guard line[index].lowercasedASCII == byte.lowercasedASCII else { return false }
            index += 1
        }
        return true
    }
}

extension UInt8 {
    /// The lower-case form of an ASCII capital letter. Any other byte is returned unchanged.
    var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}

/// Creates and compares strong validators of bodies (RFC 9110 §8.8.3).
package enum EntityTag {
    /// Returns the validator of a body: the 128-bit digest of the body in hexadecimal, with quotes around it.
    package static func tag(of body: Data) -> String {
        "\"" + ContentDigest(body).data.map { String(plainFormat: "%02x", $0) }.joined() + "\""
    }

    /// Whether `field`, the value of `If-None-Match` or `If-Match`, contains the validator `tag` or is `*`. Only the first
    /// 8 KB of the field are read.
    ///
    /// - Parameter isStrong: Whether a weak validator matches nothing, as in `If-Match` (RFC 9110 §13.1.1). The comparison of
    ///   `If-None-Match` is weak (§13.1.2).
    package static func matches(_ field: String?, _ tag: String, isStrong: Bool = false) -> Bool {
        guard let field else { return false }
        // Try `==` first: almost every client sends only one validator, exactly as it received this validator.
        if field == tag { return !isStrong || !tag.hasPrefix("W/") }
        let trimmed = field.trimmingCharacters(in: .whitespaces)
        if trimmed == "*" { return true }
        // A validator can contain commas.
        var isQuoted = false
        let parts = trimmed.utf8.prefix(8192).split { byte in
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            return byte == UInt8(ascii: ",") && !isQuoted
        }
        return parts.contains { part in
            let part = String(decoding: part, as: UTF8.self)
            return isStrong ? part.trimmingCharacters(in: .whitespaces) == tag : opaque(part) == tag
        }
    }

    /// Whether two values of `ETag` are equal in the weak comparison (RFC 9110 §8.8.3.2).
    package static func isSame(_ tag: String, _ other: String) -> Bool { tag == other || opaque(tag) == opaque(other) }

    private static func opaque(_ tag: String) -> String {
        let tag = tag.trimmingCharacters(in: .whitespaces)
        return tag.hasPrefix("W/") ? String(tag.dropFirst(2)) : tag
    }
}
