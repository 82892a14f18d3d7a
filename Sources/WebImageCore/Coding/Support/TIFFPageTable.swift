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
        guard let reader = TIFFDirectoryReader(bytes), var offset = reader.firstDirectory else { return }
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

extension TIFFDirectoryReader {
    fileprivate struct Fields {
        var isCopy = false
        var size = PixelSize(width: 0, height: 0)
    }

    fileprivate func fields(_ directory: Directory) -> Fields {
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
}
