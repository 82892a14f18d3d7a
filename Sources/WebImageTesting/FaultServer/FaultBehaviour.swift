public import Foundation

/// The behaviour of a ``FaultServer`` for a request.
public enum FaultBehaviour: Sendable {
    /// Sends a response, which may have faults.
    case respond(FaultResponse)
    /// Reads the request and sends nothing until the client disconnects or the server stops.
    case hang
    /// Sends bytes instead of an HTTP response and closes the connection.
    case raw(Data)
    /// Closes the connection without sending a byte.
    case close
    /// Closes the connection with a TCP reset.
    case reset
    /// Waits until the gate is open, then performs another behaviour.
    indirect case gated(FaultGate, FaultBehaviour)
    /// Performs the behaviour that a closure returns for the request.
    case dynamic(@Sendable (FaultRequest) -> FaultBehaviour)

    /// Returns a well-formed response.
    public static func body(
        _ data: Data, type: String = "image/png", status: Int = 200, headers: [String: String] = [:]
    ) -> FaultBehaviour {
        .respond(
            FaultResponse(
                .data(data), status: status, headers: headers.merging(["Content-Type": type]) { own, _ in own }))
    }

    /// Returns a response with a status and a short text as its body. A response without a body by its status (1xx, 204,
    /// 304) has none.
    public static func status(_ status: Int) -> FaultBehaviour {
        .body(Data("status \(status)\n".utf8), type: "text/plain", status: status)
    }

    /// Returns a redirect to a path of this server or to an absolute URL.
    public static func redirect(to location: String, status: Int = 302) -> FaultBehaviour {
        .respond(FaultResponse(.data(Data()), status: status, headers: ["Location": location]))
    }
}

/// A response and its faults. The faults can be combined. A response with status 1xx, 204 or 304 is sent without a body
/// and without a length; a client would take a body for the next response. To send one nevertheless, use
/// ``FaultBehaviour/raw(_:)``.
public struct FaultResponse: Sendable {
    /// The content of the body.
    public enum Body: Sendable {
        /// Bytes in memory.
        case data(Data)
        /// The given number of bytes, each of value 0. The bytes are generated while they are sent.
        case zeros(Int)
        /// Bytes of value 0 until the client disconnects.
        case endless

        var count: Int? {
            switch self {
            case .data(let data): data.count
            case .zeros(let count): count
            case .endless: nil
            }
        }
    }

    /// How a response marks the end of its body.
    public enum Framing: Sendable {
        /// The correct `Content-Length`.
        case contentLength
        /// `Content-Length` with the given value, even if the body has another length.
        case claimedLength(Int)
        /// Chunked transfer coding.
        case chunked
        /// No length: the body ends when the connection closes.
        case untilClose
    }

    /// The body.
    public var body: Body
    /// The status.
    public var status = 200
    /// Further header fields.
    public var headers: [String: String] = [:]
    /// How the response marks the end of its body. `contentLength` is not possible for an endless body.
    public var framing = Framing.contentLength
    /// The time before the first byte is sent.
    public var delay = Duration.zero
    /// The number of body bytes per write. To send a body slowly, set a small number and an ``interval``.
    public var piece = 64 * 1024
    /// The number of bytes in the first write; nil for ``piece``.
    public var firstPiece: Int?
    /// The time between two writes.
    public var interval = Duration.zero
    /// The number of body bytes after which the connection is closed; nil sends the whole body.
    public var closeAfter: Int?
    /// Whether the connection is closed with a TCP reset after the last sent byte.
    public var resets = false
    /// A gate. The last piece of the body is sent only after the gate is open. If nil, the last piece is sent without
    /// waiting.
    package var lastPiece: FaultGate?
    /// Gates of further pieces. The piece with this number, counted from 0, is sent only after its gate is open.
    package var pieceGates: [Int: FaultGate] = [:]

    /// Whether responses with the status never have a body (RFC 9110 §6.4.1).
    var hasNoBody: Bool { (100..<200).contains(status) || status == 204 || status == 304 }

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
    /// The query without its question mark; nil if there is no query.
    public let query: String?
    /// The header fields, with names in lower case.
    public let headers: [String: String]
    /// The body.
    public let body: Data
    /// The number of the connection on which the request arrived, counted from 1.
    public let connection: Int
}
