public import Foundation

/// What a ``FaultServer`` does with a request.
public enum FaultBehaviour: Sendable {
    /// Answers, well or badly, as the response says.
    case respond(FaultResponse)
    /// Reads the request and never answers, until the client leaves or the server stops.
    case hang
    /// Sends these bytes instead of an answer and closes.
    case raw(Data)
    /// Closes without a byte.
    case close
    /// Closes with a TCP reset.
    case reset
    /// Waits until the gate opens, then does the other.
    indirect case gated(FaultGate, FaultBehaviour)
    /// Decides by the request.
    case dynamic(@Sendable (FaultRequest) -> FaultBehaviour)

    /// A well-formed answer.
    public static func body(
        _ data: Data, type: String = "image/png", status: Int = 200, headers: [String: String] = [:]
    ) -> FaultBehaviour {
        .respond(
            FaultResponse(
                .data(data), status: status, headers: headers.merging(["Content-Type": type]) { own, _ in own }))
    }

    /// An answer of this status with a short text.
    public static func status(_ status: Int) -> FaultBehaviour {
        .body(Data("status \(status)\n".utf8), type: "text/plain", status: status)
    }

    /// A redirect to a path of this server or to a whole URL.
    public static func redirect(to location: String, status: Int = 302) -> FaultBehaviour {
        .respond(FaultResponse(.data(Data()), status: status, headers: ["Location": location]))
    }
}

/// An answer and its faults; they combine.
public struct FaultResponse: Sendable {
    /// What the body is made of.
    public enum Body: Sendable {
        /// These bytes.
        case data(Data)
        /// So many zero bytes, made while sending.
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

    /// How the end of the body is told.
    public enum Framing: Sendable {
        /// `Content-Length`, true.
        case contentLength
        /// `Content-Length` with this value, whatever the body has.
        case claimedLength(Int)
        /// Chunked transfer coding.
        case chunked
        /// Nothing; the connection's end is the body's.
        case untilClose
    }

    /// What is sent.
    public var body: Body
    /// The status line's number.
    public var status = 200
    /// Further header fields.
    public var headers: [String: String] = [:]
    /// How the end is told; endless bodies are never given a true length.
    public var framing = Framing.contentLength
    /// Wait before the first byte.
    public var delay = Duration.zero
    /// Bytes of body per write; with ``interval`` a drip.
    public var piece = 64 * 1024
    /// Wait between two writes.
    public var interval = Duration.zero
    /// Close after so many bytes of body.
    public var closeAfter: Int?
    /// Whether that close is a TCP reset.
    public var resets = false
    /// Holds the last piece of the body back until it opens.
    package var lastPiece: FaultGate?

    /// A good answer until its members are changed.
    public init(_ body: Body, status: Int = 200, headers: [String: String] = [:]) {
        self.body = body
        self.status = status
        self.headers = headers
    }
}

/// A request as a ``FaultServer`` saw it.
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
    /// Which connection it came over, counted from 1.
    public let connection: Int
}
