/// One HTTP request as the server received it. The service uses only this value and no socket.
public struct ServiceRequest: Sendable, Hashable {
    /// The method in capital letters.
    public var method: String
    /// The request target in origin form (`/path?query`). It must not be decoded, because signatures cover the
    /// exact bytes that the client sent.
    ///
    /// The server replaces bytes that are not UTF-8 by U+FFFD. Such a target matches no signature.
    public var target: String
    /// The fields of the head.
    public var headers: ServiceHeaders
    /// The numeric address of the client without a port (`203.0.113.9`, `2001:db8::1`); nil for a Unix socket.
    ///
    /// A server behind a trusted proxy stores the address from `X-Forwarded-For` here. The limits per client use this
    /// address and count an IPv6 /64 as one client.
    public var client: String?
    /// Whether a proxy that the configuration trusts has sent the request. Its answer contains `X-Accel-Expires`.
    public var isFromTrustedProxy = false
    /// Which bodies may arrive while they are sent. A transport that can send ``ArrivingBody`` sets this property.
    public var arrivingBodies = ArrivingBodies.none

    /// The bodies whose answer may begin before they are complete.
    public enum ArrivingBodies: Sendable, Hashable {
        /// No body. Every answer contains all its bytes.
        case none
        /// Bodies with a ``ArrivingBody/byteCount``, for a client that cannot receive chunks (HTTP/1.0).
        case ofKnownLength
        /// All bodies.
        case all
    }

    /// Creates a request.
    public init(method: String = "GET", target: String, headers: ServiceHeaders = [:], client: String? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.client = client
    }
}
