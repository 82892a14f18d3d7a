public import Foundation
import WebImageCore

/// One HTTP request as a value. The members have the same names as in `URLRequest`.
public struct WebImageRequest: Sendable, Hashable {
    /// The URL to fetch.
    public var url: URL
    /// The HTTP method. The default is `GET`.
    public var httpMethod = "GET"
    /// The header fields; names are case-insensitive.
    public private(set) var allHTTPHeaderFields: [String: String] = [:]
    /// The body to send.
    public var httpBody: Data?
    /// The request fails if it receives no bytes for this time, in seconds. The default is 15.
    public var timeoutInterval: TimeInterval = 15
    /// Whether cookies are sent and stored.
    public var httpShouldHandleCookies = false
    /// Whether every server certificate is accepted, even an invalid one.
    public var allowsInvalidCertificates = false
    /// The maximum length of the response body in bytes. The request fails as soon as a longer body is detected.
    public var maxBodyBytes = DecodingLimits.default.maxEncodedBytes

    /// Creates a `GET` request.
    public init(url: URL) { self.url = url }

    /// Returns the value of a header field; the name is case-insensitive.
    public func value(forHTTPHeaderField field: String) -> String? {
        allHTTPHeaderFields.first { $0.key.isSameIgnoringCase(field) }?.value
    }

    /// Sets a header field; nil removes the field. Replaces a field whose name differs only in case.
    public mutating func setValue(_ value: String?, forHTTPHeaderField field: String) {
        for name in allHTTPHeaderFields.keys where name.isSameIgnoringCase(field) {
            allHTTPHeaderFields[name] = nil
        }
        if let value { allHTTPHeaderFields[field] = value }
    }
}
