import Foundation

/// Appends directories to a TIFF structure.
struct TIFFDirectoryWriter {
    /// An entry of a directory.
    struct Field {
        var tag: Int
        /// The number of the type (TIFF 6.0 §2).
        var type: Int
        var count: Int
        /// The values in the byte order of the structure. Up to 4 bytes are stored in the entry.
        var values: Data
    }

    static let entryBytes = 12
    let isBigEndian: Bool

    /// A field with the offset of another directory.
    func pointer(_ tag: Int, to offset: Int) -> Field { Field(tag: tag, type: 4, count: 1, values: number(offset, 4)) }

    func number(_ value: Int, _ count: Int) -> Data {
        let little = (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
        return Data(isBigEndian ? little.reversed() : little)
    }

    /// Appends a directory at an even offset, and then the values that do not fit into its entries.
    ///
    /// - Parameter next: The offset of the next directory in the chain, or 0.
    /// - Returns: The offset of the directory.
    @discardableResult
    func append(_ fields: [Field], next: Int = 0, to data: inout Data) -> Int {
        if data.count % 2 == 1 { data.append(0) }
        let start = data.count
        var place = start + 6 + Self.entryBytes * fields.count
        var behind = Data()
        data.append(number(fields.count, 2))
        for field in fields.sorted(by: { $0.tag < $1.tag }) {
            data.append(number(field.tag, 2) + number(field.type, 2) + number(field.count, 4))
            guard field.values.count > 4 else {
                data.append(field.values + Data(count: 4 - field.values.count))
                continue
            }
            data.append(number(place, 4))
            behind.append(field.values)
            if field.values.count % 2 == 1 { behind.append(0) }
            place += (field.values.count + 1) & ~1
        }
        data.append(number(next, 4) + behind)
        return start
    }
}
