public import Foundation

/// The head of a server's answer as a value, with `HTTPURLResponse`'s member names.
///
/// Copies share what they hold until one is changed.
public struct WebImageResponse: Sendable {
    private final class Storage: @unchecked Sendable {
        // Unchecked is true because a storage is changed only by the one value that holds it, see `change`.
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
        /// Few are ever asked for, so they are looked up in the lines as they came.
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
        /// As the fields say.
        case received
    }

    private var storage: Storage

    private mutating func change(_ change: (Storage) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = storage.copy() }
        change(storage)
    }

    /// The URL that answered, after redirects.
    public var url: URL? {
        get { storage.url }
        set { change { $0.url = newValue } }
    }

    /// The HTTP status; nil for what is not HTTP (`file:`, `data:`).
    public var statusCode: Int? {
        get { storage.statusCode }
        set { change { $0.statusCode = newValue } }
    }

    /// Header fields, names in lower case, repeated ones joined by `, `.
    ///
    /// Of an answer that came over the network they are listed anew at each reading;
    /// ``value(forHTTPHeaderField:)`` is quicker.
    public var allHeaderFields: [String: String] {
        get { storage.fields.all }
        set {
            let type = mimeType
            change { storage in (storage.fields, storage.type) = (.listed(newValue), .set(type)) }
        }
    }

    /// Header fields with their names as the server wrote them, repeated ones joined by `, ` under the first's name.
    package var fieldsAsReceived: [String: String] {
        switch storage.fields {
        case .listed(let fields): fields
        case .received(let received): received.asReceived
        }
    }

    /// Bytes the body is said to have; nil when not said.
    public var expectedContentLength: Int? {
        get { storage.expectedContentLength }
        set { change { $0.expectedContentLength = newValue } }
    }

    /// The declared type without parameters, in lower case.
    public var mimeType: String? {
        get {
            switch storage.type {
            case .set(let type): type
            case .received: Self.mimeType(of: value(forHTTPHeaderField: "content-type"))
            }
        }
        set { change { $0.type = .set(newValue) } }
    }

    /// The protocol as the status line names it (`HTTP/1.1`, `HTTP/2`); nil when not known.
    public var httpVersion: String? {
        get { storage.httpVersion }
        set { change { $0.httpVersion = newValue } }
    }

    /// Makes the head of an answer.
    public init(
        url: URL?, statusCode: Int? = nil, allHeaderFields: [String: String] = [:],
        expectedContentLength: Int? = nil, mimeType: String? = nil, httpVersion: String? = nil
    ) {
        storage = Storage(
            url: url, statusCode: statusCode, fields: .listed(allHeaderFields), length: expectedContentLength,
            type: .set(mimeType), version: httpVersion)
    }

    /// Makes the head of an answer of the lines that came; the length and the type are what they declare.
    package init(url: URL?, statusCode: Int?, received: ReceivedFields, httpVersion: String?) {
        storage = Storage(
            url: url, statusCode: statusCode, fields: .received(received), length: received.bodyLength,
            type: .received, version: httpVersion)
    }

    /// The value of a header field, its name in any case.
    public func value(forHTTPHeaderField field: String) -> String? {
        switch storage.fields {
        case .listed(let fields): fields[field.lowercased()] ?? fields.first { $0.key.isSame(asField: field) }?.value
        case .received(let received): received.value(of: field)
        }
    }

    /// The declared type without parameters and blanks, in lower case.
    private static func mimeType(of field: String?) -> String? {
        guard let field, !field.isEmpty else { return nil }
        let isPlain = field.utf8.allSatisfy { $0 > 0x20 && $0 != UInt8(ascii: ";") && $0 == $0.lowercasedASCII }
        if isPlain { return field }
        let type = field.utf8.prefix { $0 != UInt8(ascii: ";") }.filter { $0 > 0x20 }.map(\.lowercasedASCII)
        return type.isEmpty ? nil : String(decoding: type, as: UTF8.self)
    }
}

extension WebImageResponse: Hashable {
    /// Whether every member is the same.
    public static func == (left: Self, right: Self) -> Bool {
        left.storage === right.storage
            || left.url == right.url && left.statusCode == right.statusCode
                && left.expectedContentLength == right.expectedContentLength && left.httpVersion == right.httpVersion
                && left.mimeType == right.mimeType && left.allHeaderFields == right.allHeaderFields
    }

    /// Of URL, status and fields.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(url)
        hasher.combine(statusCode)
        hasher.combine(allHeaderFields)
    }
}

extension String {
    /// Whether this is the same header field, in any case.
    fileprivate func isSame(asField other: String) -> Bool {
        utf8.count == other.utf8.count && zip(utf8, other.utf8).allSatisfy { $0.lowercasedASCII == $1.lowercasedASCII }
    }
}
