public import Foundation

/// One HTTP request as a value, with `URLRequest`'s member names.
public struct WebImageRequest: Sendable, Hashable {
    /// The URL to fetch.
    public var url: URL
    /// The method. Default `GET`.
    public var httpMethod = "GET"
    /// The header fields; names are case-insensitive.
    public private(set) var allHTTPHeaderFields: [String: String] = [:]
    /// The body to send.
    public var httpBody: Data?
    /// Maximum time without received bytes, in seconds. Default 15.
    public var timeoutInterval: TimeInterval = 15
    /// Whether cookies are sent and kept.
    public var httpShouldHandleCookies = false
    /// Whether any server certificate is accepted.
    public var allowsInvalidCertificates = false
    /// Limit of the response body in bytes; a longer body fails as soon as its length is known.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes

    /// Creates a `GET` request.
    public init(url: URL) { self.url = url }

    /// Returns the value of a header field; the name is case-insensitive.
    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields.first { $0.key.isSameIgnoringCase(field) }?.value
    }

    /// Sets a header field and replaces one whose name differs only in case; nil removes it.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in allHTTPHeaderFields.keys where name.isSameIgnoringCase(field) {
            allHTTPHeaderFields[name] = nil
        }
        if let value { allHTTPHeaderFields[field] = value }
    }
}
