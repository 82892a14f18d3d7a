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

        init(url: URL?, statusCode: Int?, fields: Fields, length: Int?, type: DeclaredType, version: String?) {
            self.url = url
            self.statusCode = statusCode
            self.fields = fields
            self.expectedContentLength = length
            self.type = type
            self.httpVersion = version
        }

        func copy() -> Storage {
            Storage(
                url: url, statusCode: statusCode, fields: fields, length: expectedContentLength, type: type,
                version: httpVersion)
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
