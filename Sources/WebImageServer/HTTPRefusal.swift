import Foundation
public import WebImageService

/// A head or a connection that an ``HTTPServer`` refuses.
public struct HTTPRefusal: Sendable, Hashable {
    /// The status of the refusal: 400, 405, 413, 414, 429, 431, 503 or 505.
    public var status: Int
    /// The cause in one sentence. It contains no byte of the head, so it can be logged.
    public var message: String
    /// The numeric address of the connection's peer; nil for a Unix socket.
    ///
    /// The address that a proxy forwards is part of the head and therefore not known.
    public var client: String?
    /// The request that is refused; nil for a head or a connection. An accepted request is refused when the server stops
    /// before the request has an answer.
    public var accepted: ServiceRequest?

    /// The time in seconds after which a retry may succeed; nil if a retry fails in the same way.
    public var retryAfter: Int? { [429, 503].contains(status) ? 1 : nil }

    /// A short text as an answer.
    var response: ServiceResponse {
        var response = ServiceResponse(status: status, body: .bytes(Data((message + "\n").utf8)))
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"
        if status == 405 { response.headers["Allow"] = "GET, HEAD, OPTIONS" }
        if let retryAfter { response.headers["Retry-After"] = "\(retryAfter)" }
        return response
    }

    /// The request for a log. Method and target of a refused head are not trusted, and the target can be secret.
    var request: ServiceRequest { accepted ?? ServiceRequest(method: "-", target: "-", client: client) }
}

extension HeadError {
    /// The refusal of requests that are unanswered when the server stops.
    static let stopping = HeadError(503, "the service is stopping")
}
