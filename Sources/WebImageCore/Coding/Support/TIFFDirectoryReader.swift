/// Reads numbers of a TIFF file. Returns nil for each number outside of the file.
struct TIFFDirectoryReader {
    struct Directory {
        /// The offset of the first entry.
        var start: Int
        /// The number of entries.
        var count: Int
    }

    let bytes: UnsafeRawBufferPointer
    let isBigEndian: Bool
    let isBig: Bool
    var entryBytes: Int { isBig ? 20 : 12 }

    init?(_ bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= 8, bytes[0] == bytes[1], [0x49, 0x4D].contains(bytes[0]) else { return nil }
        self.bytes = bytes
        isBigEndian = bytes[0] == 0x4D
        let version = isBigEndian ? bytes[3] : bytes[2]
        guard [42, 43].contains(version) else { return nil }
        isBig = version == 43
    }

    var firstDirectory: Int? { isBig ? number(at: 8, bytes: 8) : number(at: 4, bytes: 4) }

    func directory(at offset: Int) -> Directory? {
        let countBytes = isBig ? 8 : 2
        guard let count = number(at: offset, bytes: countBytes) else { return nil }
        return Directory(start: offset + countBytes, count: count)
    }

    func next(after directory: Directory) -> Int? {
        number(at: directory.start + directory.count * entryBytes, bytes: isBig ? 8 : 4)
    }

    /// One entry of a directory.
    struct Entry {
        var tag: Int
        /// The number of the type (TIFF 6.0 §2).
        var type: Int
        /// The number of values.
        var count: Int
        /// The range of the values in the file.
        var values: Range<Int>
    }

    /// Maps the number of a type to the size of one value in bytes (TIFF 6.0 §2, BigTIFF).
    private static let sizes = [
        1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8, 17: 8, 18: 8,
    ]

    /// An entry with its values. Nil if the type is not known, or if the values are not inside the file.
    func entry(at index: Int, of directory: Directory) -> Entry? {
        let start = directory.start + index * entryBytes
        let wordBytes = isBig ? 8 : 4
        guard let tag = number(at: start, bytes: 2), let type = number(at: start + 2, bytes: 2),
            let size = Self.sizes[type], let count = number(at: start + 4, bytes: wordBytes), count > 0,
            count <= bytes.count
        else { return nil }
        let inline = start + 4 + wordBytes
        let isInline = size * count <= wordBytes
        guard let place = isInline ? inline : number(at: inline, bytes: wordBytes),
            let values = bytes.range(at: place, count: size * count)
        else { return nil }
        return Entry(tag: tag, type: type, count: count, values: values)
    }

    /// Nil also for a number that cannot be an offset or a size.
    func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        var value: UInt64 = 0
        for index in 0..<count {
            value = value << 8 | UInt64(bytes[offset + (isBigEndian ? index : count - 1 - index)])
        }
        return value <= UInt64(Int32.max) << 8 ? Int(value) : nil
    }
}
