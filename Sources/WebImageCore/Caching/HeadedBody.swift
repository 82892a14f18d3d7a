package import Foundation

/// Bytes with a description in one value, so that a stored description can never belong to other bytes.
package enum HeadedBody {
    /// The longest head that is read, in bytes.
    private static let maxHeadBytes = 64 << 10

    /// Signature (4 ASCII characters), length of the head (32 bits, little endian), head as JSON, body; empty when the head
    /// cannot be encoded.
    package static func data(_ signature: StaticString, _ head: some Encodable, _ body: Data) -> Data {
        guard let json = try? JSONEncoder().encode(head) else { return Data() }
        var data = Data("\(signature)".utf8)
        withUnsafeBytes(of: UInt32(json.count).littleEndian) { data.append(contentsOf: $0) }
        data.append(json)
        data.append(body)
        return data
    }

    /// Nil for anything that ``data(_:_:_:)`` did not write with this signature.
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
