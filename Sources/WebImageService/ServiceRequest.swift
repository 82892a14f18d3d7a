/// One HTTP request as a transport received it; the service reads it and knows no socket.
public struct ServiceRequest: Sendable, Hashable {
    /// The method in capital letters.
    public var method: String
    /// The request target in origin form (`/path?query`), byte for byte as it was received: signatures cover it undecoded.
    ///
    /// Bytes that are no UTF-8 are replaced by U+FFFD by the transport; such a target matches no signature.
    public var target: String
    /// The fields of the head.
    public var headers: ServiceHeaders
    /// The numeric address of the client without a port (`203.0.113.9`, `2001:db8::1`); nil for a local socket.
    ///
    /// A transport behind a trusted proxy puts the address of `X-Forwarded-For` here. Limits per client use it: IPv6
    /// addresses count by their /64.
    public var client: String?

    /// Describes a request.
    public init(method: String = "GET", target: String, headers: ServiceHeaders = [:], client: String? = nil) {
        self.method = method
        self.target = target
        self.headers = headers
        self.client = client
    }
}
