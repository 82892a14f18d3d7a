package import Foundation

/// A value of the Valkey and Redis protocol, RESP2 and RESP3
/// ([specification](https://valkey.io/topics/protocol/)).
package enum RESPValue: Sendable, Hashable {
    case null
    case text(String)
    /// An error that the server reports, such as `OOM command not allowed`.
    case error(String)
    case integer(Int)
    case bulk(Data)
    /// An array or a set. A map is an array of its keys and values in turn.
    case array([RESPValue])
    /// A message that answers no command, such as an invalidation.
    case push([RESPValue])

    /// The bytes of a bulk string or of a text; nil for other values.
    package var data: Data? {
        switch self {
        case .bulk(let data): data
        case .text(let text): Data(text.utf8)
        default: nil
        }
    }

    /// A bulk string or a text in UTF-8; nil for other values.
    package var string: String? { data.flatMap { String(data: $0, encoding: .utf8) } }

    /// The elements of an array; nil for other values.
    package var elements: [RESPValue]? { if case .array(let elements) = self { elements } else { nil } }
}

/// The maximum sizes of a server's answer. The parser checks a size before it allocates memory.
package struct RESPLimits: Sendable {
    /// The largest bulk string, in bytes.
    var bulkBytes = 64 << 20
    /// The largest number of elements of one array.
    package var elements = 100_000
    /// The largest number of values in one answer, at all depths.
    package var values = 200_000
    /// The largest number of arrays within each other.
    package var depth = 8
    /// The longest line, in bytes.
    var lineBytes = 64 << 10

    package init() {}
}

/// The server's bytes are not RESP, or exceed a limit. The connection cannot be used any further.
package struct RESPViolation: Error, Hashable, CustomStringConvertible {
    package var description: String
}
