package import Foundation
import WebImageCore

/// Combines a body and a JSON description ("head") in one value. If body and head were stored as two values, a reader
/// could receive the head of one body with the bytes of another body.
package enum HeadedBody {
    /// The maximum length of a head in bytes. Reading rejects longer heads.
    private static let maxHeadBytes = 256 << 10

    /// Returns the combined bytes; empty data when the head cannot be encoded.
    ///
    /// The layout is: signature (4 ASCII characters), length of the head (32 bits, little endian), head as JSON, body.
    package static func data(_ signature: StaticString, _ head: some Encodable, body: Data) -> Data {
        guard let json = try? JSONEncoder().encode(head) else { return Data() }
        var data = Data("\(signature)".utf8)
        withUnsafeBytes(of: UInt32(json.count).littleEndian) { data.append(contentsOf: $0) }
        data.append(json)
        data.append(body)
        return data
    }

    /// Returns the head and the body. Returns nil if the data is not a result of ``data(_:_:body:)`` with this signature.
    package static func read<Head: Decodable>(
        _ signature: StaticString, _ head: Head.Type, from data: Data
    ) -> (head: Head, body: Data)? {
        guard data.count > 8, data.starts(with: Data("\(signature)".utf8)) else { return nil }
        let start = data.startIndex
        let count = data[(start + 4)..<(start + 8)].reversed().reduce(0) { $0 << 8 | Int($1) }
        guard count <= maxHeadBytes, data.count >= 8 + count,
            let head = try? JSONDecoder().decode(head, from: data[(start + 8)..<(start + 8 + count)])
        else { return nil }
        return (head, data[(start + 8 + count)...])
    }
}
