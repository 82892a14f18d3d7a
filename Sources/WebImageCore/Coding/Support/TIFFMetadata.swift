package import Foundation

/// Reads and writes the metadata in the directories of a TIFF file. Reads also BigTIFF, and the raw files that have this form.
///
/// The EXIF of such a file is not in one place. Its directories are copied into a structure of their own, in the byte
/// order of the file. The entries that describe the storage of the pixels are left out, and the maker note, whose own
/// offsets would no longer be true.
package enum TIFFMetadata {
    private static let (xmp, profile) = (700, 34675)

    /// Stores EXIF, XMP, the ICC profile and the density of the first page in `properties`. Leaves out damaged values and
    /// values above the limit for ancillary data.
    package static func read(
        _ bytes: UnsafeRawBufferPointer, limits: DecodingLimits, into properties: inout ImageProperties
    ) {
        guard let reader = TIFFDirectoryReader(bytes), var offset = reader.firstDirectory else { return }
        let page = TIFFPageTable(bytes, maxPages: 1).pages.first?.directory ?? 0
        for _ in 0..<page {
            guard let next = reader.directory(at: offset).flatMap(reader.next(after:)) else { return }
            offset = next
        }
        for entry in reader.entries(at: offset) where entry.values.count <= limits.maxAncillaryChunkBytes {
            if entry.tag == xmp { properties.xmp = Data(bytes[entry.values]) }
            if entry.tag == profile { properties.iccProfile = Data(bytes[entry.values]) }
        }
        let tags = ExifFields(reader, at: offset, isBigEndian: reader.isBigEndian, limits: limits)
        guard !tags.isEmpty else { return }
        let writer = TIFFDirectoryWriter(isBigEndian: reader.isBigEndian)
        let mark: [UInt8] = reader.isBigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]
        var structure = Data(mark) + Data(count: 4)
        let start = writer.append(tags, besides: [], next: 0, to: &structure)
        structure.replaceSubrange(4..<8, with: writer.number(start, 4))
        ExifReader.read(structure, into: &properties)
    }

    /// Returns a TIFF file whose first directory also has the fields of an EXIF structure. Fields that the directory has
    /// already stay as they are, and so does a BigTIFF file.
    package static func adding(exif: Data, to file: Data) -> Data {
        file.withUnsafeBytes { bytes in
            exif.withUnsafeBytes { exifBytes in
                guard let reader = TIFFDirectoryReader(bytes), reader.entryBytes == TIFFDirectoryWriter.entryBytes,
                    let start = reader.firstDirectory, let directory = reader.directory(at: start),
                    let next = reader.next(after: directory), let source = TIFFDirectoryReader(exifBytes),
                    let first = source.firstDirectory
                else { return file }
                let tags = ExifFields(source, at: first, isBigEndian: reader.isBigEndian, limits: .unlimited)
                let old = (0..<directory.count).compactMap { reader.storedField(at: $0, of: directory) }
                guard !tags.isEmpty, old.count == directory.count, file.count < 1 << 31 else { return file }
                let writer = TIFFDirectoryWriter(isBigEndian: reader.isBigEndian)
                var result = Data(file)
                let place = writer.append(tags, besides: old, next: next, to: &result)
                result.replaceSubrange(4..<8, with: writer.number(place, 4))
                return result
            }
        }
    }
}

/// The fields of EXIF in the directories of a TIFF structure, in a wanted byte order.
private struct ExifFields {
    typealias Field = TIFFDirectoryWriter.Field

    private(set) var first: [Field] = []
    private(set) var exif: [Field] = []
    private(set) var gps: [Field] = []

    static let (exifPointer, gpsPointer) = (0x8769, 0x8825)
    /// The maker note, and the pointer to the directory of interoperability, which only names a version.
    private static let omitted: Set<Int> = [0x927C, 0xA005]
    /// The entries of the first directory that describe the picture and not its storage: description, maker, model,
    /// orientation, density with its unit, software, date, artist, computer, rating, copyright, and title, comment,
    /// author, keywords and subject of Windows.
    private static let descriptive: Set<Int> = [
        270, 271, 272, 274, 282, 283, 296, 305, 306, 315, 316, 18246, 18249, 33432, 40091, 40092, 40093, 40094, 40095,
    ]
    private static let mostEntries = 512
    /// A structure of this size fits into the segment of a JPEG. Only descriptions by microscopes are longer.
    private static let mostBytes = 60_000

    var isEmpty: Bool { first.isEmpty && exif.isEmpty && gps.isEmpty }

    init(_ reader: TIFFDirectoryReader, at offset: Int, isBigEndian: Bool, limits: DecodingLimits) {
        var left = min(Self.mostBytes, limits.maxAncillaryChunkBytes)
        let swaps = reader.isBigEndian != isBigEndian
        func fields(_ entries: [TIFFDirectoryReader.Entry]) -> [Field] {
            var fields: [Field] = []
            // The types above 12 are pointers, or belong to BigTIFF.
            for entry in entries.prefix(Self.mostEntries) where entry.type <= 12 {
                let cost = TIFFDirectoryWriter.entryBytes + entry.values.count
                guard cost <= left else { continue }
                left -= cost
                let values = Data(reader.bytes[entry.values])
                fields.append(
                    Field(
                        tag: entry.tag, type: entry.type, count: entry.count,
                        values: swaps ? Self.swapped(values, type: entry.type) : values))
            }
            return fields
        }
        let entries = reader.entries(at: offset)
        first = fields(entries.filter { Self.descriptive.contains($0.tag) })
        func directory(_ tag: Int) -> [Field] {
            guard let entry = entries.first(where: { $0.tag == tag }), [4, 8].contains(entry.values.count),
                let offset = reader.number(at: entry.values.lowerBound, bytes: entry.values.count)
            else { return [] }
            return fields(reader.entries(at: offset).filter { !Self.omitted.contains($0.tag) })
        }
        exif = directory(Self.exifPointer)
        gps = directory(Self.gpsPointer)
    }

    /// Returns values in the other byte order.
    private static func swapped(_ values: Data, type: Int) -> Data {
        let words = [3: 2, 8: 2, 4: 4, 9: 4, 5: 4, 10: 4, 11: 4, 12: 8]
        guard let word = words[type] else { return values }
        let starts = stride(from: 0, to: values.count, by: word)
        return Data(starts.flatMap { values.dropFirst($0).prefix(word).reversed() })
    }
}

extension TIFFDirectoryWriter {
    /// Appends the directories of EXIF, and last the first directory with `old` and the fields that it lacks.
    fileprivate func append(_ tags: ExifFields, besides old: [Field], next: Int, to data: inout Data) -> Int {
        var fields = old
        let known = Set(old.map(\.tag))
        for field in tags.first where !known.contains(field.tag) { fields.append(field) }
        for (tag, own) in [(ExifFields.exifPointer, tags.exif), (ExifFields.gpsPointer, tags.gps)]
        where !own.isEmpty && !known.contains(tag) {
            fields.append(pointer(tag, to: append(own, to: &data)))
        }
        return append(fields, next: next, to: &data)
    }
}

extension TIFFDirectoryReader {
    /// The entries of a directory whose values are inside the file, the first one of each tag.
    fileprivate func entries(at offset: Int) -> [Entry] {
        guard let directory = directory(at: offset), directory.count <= 4096 else { return [] }
        var known: Set<Int> = []
        return (0..<directory.count).compactMap { entry(at: $0, of: directory) }
            .filter { known.insert($0.tag).inserted }
    }

    /// The entry as it is stored, with its value or the offset of its values.
    fileprivate func storedField(at index: Int, of directory: Directory) -> TIFFDirectoryWriter.Field? {
        let start = directory.start + index * entryBytes
        guard let tag = number(at: start, bytes: 2), let type = number(at: start + 2, bytes: 2),
            let count = number(at: start + 4, bytes: 4), let value = bytes.range(at: start + 8, count: 4)
        else { return nil }
        return .init(tag: tag, type: type, count: count, values: Data(bytes[value]))
    }
}
