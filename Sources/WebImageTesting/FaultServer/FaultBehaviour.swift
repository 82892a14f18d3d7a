public import Foundation

/// The behaviour of a ``FaultServer`` for a request.
public enum FaultBehaviour: Sendable {
    /// Sends this response, correct or faulty.
    case respond(FaultResponse)
    /// Reads the request and never responds, until the client leaves or the server stops.
    case hang
    /// Sends these bytes instead of a response and closes.
    case raw(Data)
    /// Closes without a byte.
    case close
    /// Closes with a TCP reset.
    case reset
    /// Waits until the gate opens, then continues with the other behaviour.
    indirect case gated(FaultGate, FaultBehaviour)
    /// Uses the behaviour that the closure returns for the request.
    case dynamic(@Sendable (FaultRequest) -> FaultBehaviour)

    /// Returns a well-formed response.
    public static func body(
        _ data: Data, type: String = "image/png", status: Int = 200, headers: [String: String] = [:]
    ) -> FaultBehaviour {
        .respond(
            FaultResponse(
                .data(data), status: status, headers: headers.merging(["Content-Type": type]) { own, _ in own }))
    }

    /// Returns a response with this status and a short text.
    public static func status(_ status: Int) -> FaultBehaviour {
        .body(Data("status \(status)\n".utf8), type: "text/plain", status: status)
    }

    /// Returns a redirect to a path of this server or to an absolute URL.
    public static func redirect(to location: String, status: Int = 302) -> FaultBehaviour {
        .respond(FaultResponse(.data(Data()), status: status, headers: ["Location": location]))
    }
}

/// A response and its faults, which can be combined.
public struct FaultResponse: Sendable {
    /// The content of the body.
    public enum Body: Sendable {
        /// These bytes.
        case data(Data)
        /// This number of zero bytes, generated while sending.
        case zeros(Int)
        /// Zero bytes until the client leaves.
        case endless

        var count: Int? {
            switch self {
            case .data(let data): data.count
            case .zeros(let count): count
            case .endless: nil
            }
        }
    }

    /// How the client learns the end of the body.
    public enum Framing: Sendable {
        /// The correct `Content-Length`.
        case contentLength
        /// `Content-Length` with this value, even if the body has another length.
        case claimedLength(Int)
        /// Chunked transfer coding.
        case chunked
        /// No length; the body ends with the connection.
        case untilClose
    }

    /// The body.
    public var body: Body
    /// The status.
    public var status = 200
    /// Further header fields.
    public var headers: [String: String] = [:]
    /// The framing of the body; an endless body never has a correct length.
    public var framing = Framing.contentLength
    /// The wait before the first byte.
    public var delay = Duration.zero
    /// The body bytes per write; with ``interval`` the body is sent slowly.
    public var piece = 64 * 1024
    /// The wait between two writes.
    public var interval = Duration.zero
    /// The number of body bytes after which the connection closes; nil sends all.
    public var closeAfter: Int?
    /// Whether that close is a TCP reset.
    public var resets = false
    /// Holds back the last piece of the body until it opens.
    package var lastPiece: FaultGate?

    /// Makes a response without faults.
    public init(_ body: Body, status: Int = 200, headers: [String: String] = [:]) {
        self.body = body
        self.status = status
        self.headers = headers
    }
}

/// A request as a ``FaultServer`` received it.
public struct FaultRequest: Sendable {
    /// The method.
    public let method: String
    /// The path without its query.
    public let path: String
    /// The query without its question mark; nil without one.
    public let query: String?
    /// Header fields, names in lower case.
    public let headers: [String: String]
    /// The body.
    public let body: Data
    /// The number of its connection, counted from 1.
    public let connection: Int
}
