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
