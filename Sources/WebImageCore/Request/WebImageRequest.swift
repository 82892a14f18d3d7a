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
