public import Foundation

/// One HTTP request as a value, with `URLRequest`'s member names.
public struct WebImageRequest: Sendable, Hashable {
    /// What to fetch.
    public var url: URL
    /// The method; `GET` unless changed.
    public var httpMethod = "GET"
    /// Header fields; names compare without case.
    public private(set) var allHTTPHeaderFields: [String: String] = [:]
    /// The body to send.
    public var httpBody: Data?
    /// Seconds without a byte after which the load fails.
    public var timeoutInterval: TimeInterval = 15
    /// Whether cookies are sent and kept.
    public var httpShouldHandleCookies = false
    /// Whether any server certificate is accepted.
    public var allowsInvalidCertificates = false
    /// Bytes the body may have; a longer one fails as soon as it is known to be.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes

    /// A `GET` of a URL.
    public init(url: URL) { self.url = url }

    /// The value of a header field, its name in any case.
    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields.first { $0.key.isSameIgnoringCase(field) }?.value
    }

    /// Sets a header field, replacing one of the same name in any case; nil removes it.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in allHTTPHeaderFields.keys where name.isSameIgnoringCase(field) {
            allHTTPHeaderFields[name] = nil
        }
        if let value { allHTTPHeaderFields[field] = value }
    }
}

/// The head of a server's answer as a value, with `HTTPURLResponse`'s member names.
public struct WebImageResponse: Sendable, Hashable {
    /// The URL that answered, after redirects.
    public var url: URL?
    /// The HTTP status; nil for what is not HTTP (`file:`, `data:`).
    public var statusCode: Int?
    /// Header fields, names in lower case, repeated ones joined by `, `.
    public var allHeaderFields: [String: String]
    /// Bytes the body is said to have; nil when not said.
    public var expectedContentLength: Int?
    /// The declared type without parameters, in lower case.
    public var mimeType: String?
    /// The protocol as the status line names it (`HTTP/1.1`, `HTTP/2`); nil when not known.
    public var httpVersion: String?

    /// Makes the head of an answer.
    public init(
        url: URL?, statusCode: Int? = nil, allHeaderFields: [String: String] = [:],
        expectedContentLength: Int? = nil, mimeType: String? = nil, httpVersion: String? = nil
    ) {
        self.url = url
        self.statusCode = statusCode
        self.allHeaderFields = allHeaderFields
        self.expectedContentLength = expectedContentLength
        self.mimeType = mimeType
        self.httpVersion = httpVersion
    }

    /// The value of a header field, its name in any case.
    public func value(forHTTPHeaderField field: String) -> String? { allHeaderFields[field.lowercased()] }
}
