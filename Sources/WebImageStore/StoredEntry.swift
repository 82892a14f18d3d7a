import CWebImageDeflate
import Foundation
import WebImageCore
import WebImageLoading

/// One row that was read from the index.
struct StoredEntry {
    let id: Int
    let generation: Int
    let size: Int
    let checksum: Int
    /// The name of the value's file; nil if the value is in the index.
    let file: String?
    let inline: Data?
    let record: EntryRecord
    /// The extended data of the entry; nil if it has none.
    let extended: Data?
    let metadata: Data?

    /// Reads an entry from the columns ``columns``, beginning at index 0.
    init(_ row: Statement) {
        id = row.integer(0)
        generation = row.integer(1)
        size = row.integer(2)
        checksum = row.integer(3)
        file = row.text(4)
        inline = file == nil ? row.blob(5) : nil
        record = RecordColumns.record(row, from: 6)
        extended = row.blob(6 + RecordColumns.count)
        metadata = row.blob(7 + RecordColumns.count)
    }

    static let columns =
        "e.id, e.generation, e.size, e.checksum, e.file, v.bytes, \(RecordColumns.columns), e.extended, e.metadata"
    static let tables = "entry e LEFT JOIN value v ON v.id = e.id"

    /// Returns whether the entry has expired. A read of an expired entry is a miss.
    func isExpired(at now: Date) -> Bool { record.expires.map { $0 <= now } ?? false }

    /// Returns the value; `.wrong` if its length or its checksum does not match the row.
    func value(in folder: StoreFolder) -> FileTree.Reading {
        let reading: FileTree.Reading
        if let file {
            reading = folder.file(file).map { FileTree.read($0, size: size) } ?? .wrong
        } else {
            reading = inline.map { .data($0) } ?? .wrong
        }
        guard case .data(let data) = reading else { return reading }
        return data.count == size && Checksum.of(data) == checksum ? reading : .wrong
    }
}

/// Converts the record of an entry to and from the columns of the index.
enum RecordColumns {
    /// The values of the column `kind`. SQL texts also contain the value 3, for example the definition of the SQL index
    /// `entry_source`.
    private enum Kind: Int {
        /// The entry was stored by version 1 of the format, or was imported from a folder of SDWebImage. Only the
        /// string of its key is known.
        case legacy = 0
        case named = 1
        case original = 2
        case variant = 3
    }

    /// The columns of a table with the alias `e`.
    static let columns = "e.kind, e.identity, e.source, e.scope, e.origin, e.attributes, e.expires"
    static let count: Int32 = 7

    static func values(_ record: EntryRecord) -> [Statement.Value] {
        let kind: Kind
        var identity: KeyFingerprint?
        switch record.identity {
        case .legacy: kind = .legacy
        case .named: kind = .named
        case .typed(let fingerprint, let isVariant):
            kind = isVariant ? .variant : .original
            identity = fingerprint
        }
        return [
            .integer(kind.rawValue), .words(identity?.words), .words(record.source?.words), .words(record.scope?.words),
            .words(record.version?.words), .blob(record.attributes?.data),
            record.expires.map { .integer(milliseconds($0)) } ?? .null,
        ]
    }

    /// Reads a record from the columns that begin at index `first`. The record of an invalid row has the identity
    /// `.legacy`.
    static func record(_ row: Statement, from first: Int32) -> EntryRecord {
        let identity: EntryRecord.Identity
        switch (Kind(rawValue: row.integer(first)), KeyFingerprint(row.blob(first + 1))) {
        case (.named, _): identity = .named
        case (.original, let fingerprint?): identity = .typed(fingerprint, isVariant: false)
        case (.variant, let fingerprint?): identity = .typed(fingerprint, isVariant: true)
        default: identity = .legacy
        }
        return EntryRecord(
            identity, source: KeyFingerprint(row.blob(first + 2)), scope: KeyFingerprint(row.blob(first + 3)),
            version: ContentDigest(stored: row.blob(first + 4)),
            attributes: VariantAttributes(stored: row.blob(first + 5)),
            expires: row.isNull(first + 6) ? nil : Date(timeIntervalSince1970: Double(row.integer(first + 6)) / 1000))
    }

    /// Returns a date in milliseconds since 1970. Dates outside the range of the index are clamped to this
    /// range.
    private static func milliseconds(_ date: Date) -> Int {
        let value = date.timeIntervalSince1970 * 1000
        return value.isNaN ? 0 : Int(min(max(value, -9e15), 9e15))
    }
}

/// A checksum that detects damaged bytes: CRC-32 (ISO 3309). It is stored in the index with the length of the bytes.
///
/// libdeflate takes 5 µs for 20 KB (zlib: 12 µs). libdeflate is optimised even in debug builds. The checksum detects
/// only accidental damage: an attacker with write access to the folder can write a matching checksum.
enum Checksum {
    static func of(_ data: Data) -> Int {
        data.withUnsafeBytes { Int(libdeflate_crc32(0, $0.baseAddress, $0.count)) }
    }
}
