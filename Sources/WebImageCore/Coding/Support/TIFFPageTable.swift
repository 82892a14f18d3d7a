/// The pages of a TIFF or BigTIFF file. Reads only the chain of directories, never their contents.
///
/// A directory whose `NewSubfileType` declares a smaller copy or a transparency mask is no page. If all directories
/// are such copies, the first directory is the only page.
///
/// The decoder selects pages by this table. The host of decoder processes uses it too, to check the size of a page that
/// a decoder process returns.
package struct TIFFPageTable: Sendable, Equatable {
    package struct Page: Sendable, Equatable {
        /// The position of the page's directory in the chain of directories.
        package var directory: Int
        /// The size of the upright page. A side is 0 if the directory declares none.
        package var size: PixelSize
    }

    package private(set) var pages: [Page] = []

    /// The longest directory that libtiff reads.
    private static let mostEntries = 4096

    /// Reads the directories up to the first page after `maxPages` pages. The pages are empty if the bytes are no TIFF
    /// file.
    package init(_ bytes: UnsafeRawBufferPointer, maxPages: Int) {
        guard let reader = Reader(bytes), var offset = reader.firstDirectory else { return }
        var first: Page?
        var visited: Set<Int> = []
        // Directories that do not overlap cannot have more entries. Overlapping ones could make the time quadratic.
        var budget = bytes.count / reader.entryBytes + Self.mostEntries
        while offset > 0, pages.count <= maxPages, visited.insert(offset).inserted {
            guard let directory = reader.directory(at: offset), directory.count <= min(budget, Self.mostEntries) else {
                break
            }
            budget -= directory.count
            let fields = reader.fields(directory)
            let page = Page(directory: visited.count - 1, size: fields.size)
            first = first ?? page
            if !fields.isCopy { pages.append(page) }
            offset = reader.next(after: directory) ?? 0
        }
        if pages.isEmpty, let first { pages = [first] }
    }
}

/// Reads numbers of a TIFF file. Returns nil for each number outside of the file.
private struct Reader {
    struct Directory {
        /// The offset of the first entry.
        var start: Int
        /// The number of entries.
        var count: Int
    }

    struct Fields {
        var isCopy = false
        var size = PixelSize(width: 0, height: 0)
    }

    private let bytes: UnsafeRawBufferPointer
    private let isBigEndian: Bool
    private let isBig: Bool
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

    func fields(_ directory: Directory) -> Fields {
        var fields = Fields()
        var (newType, oldType): (Int?, Int?)
        var isTurned = false
        for index in 0..<directory.count {
            let entry = directory.start + index * entryBytes
            guard let tag = number(at: entry, bytes: 2), let value = value(ofEntryAt: entry) else { continue }
            switch tag {
            case 254: newType = value
            case 255: oldType = value
            case 256: fields.size.width = value
            case 257: fields.size.height = value
            case 274: isTurned = (5...8).contains(value)
            default: break
            }
        }
        // Bit 0 of the new field declares a smaller copy and bit 2 a mask. The old field has the value 2 for a smaller
        // copy.
        fields.isCopy = newType.map { $0 & 0b101 != 0 } ?? (oldType == 2)
        if isTurned { fields.size = PixelSize(width: fields.size.height, height: fields.size.width) }
        return fields
    }

    /// The first number of an entry. Nil for a type that no field of this table has.
    private func value(ofEntryAt entry: Int) -> Int? {
        let place = entry + (isBig ? 12 : 8)
        return switch number(at: entry + 2, bytes: 2) {
        case 1: number(at: place, bytes: 1)
        case 3: number(at: place, bytes: 2)
        case 4: number(at: place, bytes: 4)
        case 16 where isBig: number(at: place, bytes: 8)
        default: nil
        }
    }

    /// Nil also for a number that cannot be an offset or a size.
    private func number(at offset: Int, bytes count: Int) -> Int? {
        guard offset >= 0, offset <= bytes.count - count else { return nil }
        var value: UInt64 = 0
        for index in 0..<count {
            value = value << 8 | UInt64(bytes[offset + (isBigEndian ? index : count - 1 - index)])
        }
        return value <= UInt64(Int32.max) << 8 ? Int(value) : nil
    }
}
