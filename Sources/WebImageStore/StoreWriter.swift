import CWebImageSQLite
import Foundation
import WebImageCore
import WebImageLoading

/// The writing connection. Every change of the index is a transaction of this connection.
///
/// The order of the steps makes `kill -9` harmless. The file of a value is complete before the row that names it is
/// committed, and an old file is removed only after the removal of its row was committed.
final class StoreWriter {
    let folder: StoreFolder
    let database: Database
    let indexInode: UInt64
    let pageSize: Int
    /// The size of the log in bytes at which a commit performs a checkpoint.
    private var logBytes = StoreFormat.longestLog
    private let find: Statement
    private let findRow: Statement
    private let insert: Statement
    private let update: Statement
    private let setValue: Statement
    private let dropValue: Statement
    private let delete: Statement
    private let touch: Statement
    private let addTotal: Statement
    private let readTotal: Statement
    private let setExtended: Statement
    private let setMetadata: Statement
    private let setSize: Statement
    private let variants: Statement
    private let family: Statement

    init(folder: StoreFolder, database: Database) throws(DatabaseError) {
        self.folder = folder
        self.database = database
        indexInode = folder.indexInode
        pageSize = max(try database.integer("PRAGMA page_size") ?? StoreFormat.pageSize, 512)
        // Use a page cache of 16 MB. SQLite's default of 2 MB has room for 128 pages. A batch of removals changes more
        // than 128 pages and would then write some pages twice. Debian's SQLite overwrites all freed bytes with zeros.
        // With Debian's setting, evicting values of 20 KB takes four times as long. `FAST` overwrites freed bytes only
        // in pages that are written anyway. This is sufficient, because removed files are not overwritten either.
        try database.execute("PRAGMA cache_size = -16384; PRAGMA secure_delete = FAST")
        find = try database.prepare("SELECT id, size, file FROM entry WHERE key = ?")
        findRow = try database.prepare("SELECT size, file FROM entry WHERE id = ? AND generation = ?")
        insert = try database.prepare(
            """
            INSERT INTO entry(key, generation, size, checksum, file, created, modified, accessed, changed, name,
            kind, identity, source, scope, origin, attributes, expires)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14)
            """)
        update = try database.prepare(
            """
            UPDATE entry SET generation = ?2, size = ?3, checksum = ?4, file = ?5, modified = ?6, accessed = ?6,
            changed = ?6, name = ?7, extended = NULL, metadata = NULL, kind = ?8, identity = ?9, source = ?10,
            scope = ?11, origin = ?12, attributes = ?13, expires = ?14
            WHERE id = ?1
            """)
        setValue = try database.prepare("INSERT OR REPLACE INTO value(id, bytes) VALUES(?, ?)")
        dropValue = try database.prepare("DELETE FROM value WHERE id = ?")
        delete = try database.prepare("DELETE FROM entry WHERE id = ?")
        touch = try database.prepare("UPDATE entry SET accessed = ?2 WHERE key = ?1 AND accessed < ?2")
        // Without the condition, SQLite could expect several rows. It would then keep a journal of 64 KB for the statement.
        addTotal = try database.prepare("UPDATE total SET count = count + ?, bytes = bytes + ? WHERE id = 1")
        readTotal = try database.prepare("SELECT count, bytes FROM total")
        setExtended = try database.prepare("UPDATE entry SET extended = ?2, changed = ?3 WHERE key = ?1")
        setMetadata = try database.prepare("UPDATE entry SET metadata = ?2, changed = ?3 WHERE key = ?1")
        setSize = try database.prepare("INSERT OR REPLACE INTO pixel_size VALUES(?, ?, ?)")
        variants = try database.prepare(
            "SELECT \(RemovableRow.columns) FROM entry WHERE source = ? AND kind = 3 AND origin <> ? AND id <> ?")
        family = try database.prepare("SELECT \(RemovableRow.columns) FROM entry WHERE source = ? AND kind = 3")
    }

    /// Sets the size of the log in bytes at which a commit performs a checkpoint. A longer log is then truncated.
    func boundLog(_ bytes: Int) throws(DatabaseError) {
        guard bytes != logBytes else { return }
        try database.execute(
            "PRAGMA wal_autocheckpoint = \(max(bytes / pageSize, 1)); PRAGMA journal_size_limit = \(bytes)")
        logBytes = bytes
    }

    /// Runs a transaction and rolls it back if `body` throws. `body` collects its effects: before the commit, the totals
    /// are changed once; after the commit, the superseded files are removed.
    func transaction(
        _ body: (inout TransactionEffects) throws(DatabaseError) -> Void
    ) throws(DatabaseError) {
        var effects = TransactionEffects()
        try database.execute("BEGIN IMMEDIATE")
        do throws(DatabaseError) {
            try body(&effects)
            if effects.count != 0 || effects.bytes != 0 {
                try addTotal.run(.integer(effects.count), .integer(effects.bytes))
            }
            try database.execute("COMMIT")
        } catch let error {
            // Ignore an error here, because SQLite may have already rolled back, for example on a full disk.
            try? database.execute("ROLLBACK")
            throw error
        }
        for name in effects.superseded { if let path = folder.file(name) { unlink(path) } }
    }

    /// Commits pending changes. Returns the first `errno` of a value file that could not be written, or 0.
    func apply(_ pending: PendingWrites) throws(DatabaseError) -> Int32 {
        var failure: Int32 = 0
        var prepared: [PreparedWrite] = []
        prepared.reserveCapacity(pending.writes.count)
        // Write in the order of arrival. Entries of similar age, which are evicted together, are then next to each
        // other in the index.
        for (key, write) in pending.inOrder {
            prepared.append(PreparedWrite(key, write, in: folder, failure: &failure))
        }
        do throws(DatabaseError) {
            try transaction { effects throws(DatabaseError) in
                for (key, time) in pending.accesses { try touch.run(.key(key), .integer(time)) }
                for write in prepared { try apply(write, &effects) }
                for (place, addition) in pending.additions {
                    let statement = place.companion == .extended ? setExtended : setMetadata
                    try statement.run(.key(place.key), .blob(addition.data), .integer(addition.time))
                }
                for (key, size) in pending.sizes {
                    try setSize.run(.key(key), .integer(size.width), .integer(size.height))
                }
            }
        } catch let error {
            for write in prepared { if let file = write.file.flatMap(folder.file) { unlink(file) } }
            throw error
        }
        return failure
    }

    private func apply(_ write: PreparedWrite, _ effects: inout TransactionEffects) throws(DatabaseError) {
        let old = try find.first(.key(write.key)) { (id: $0.integer(0), size: $0.integer(1), file: $0.text(2)) }
        guard let data = write.data else {
            if let old { try remove(id: old.id, size: old.size, file: old.file, &effects) }
            return
        }
        let row: Int
        let common: [Statement.Value] =
            [
                .integer(write.generation), .integer(data.count), .integer(write.checksum), .text(write.file),
                .integer(write.time), .text(write.name),
            ] + RecordColumns.values(write.record)
        if let old {
            try update.run(all: [.integer(old.id)] + common)
            if let file = old.file { effects.superseded.append(file) }
            if old.file == nil, write.file != nil { try dropValue.run(.integer(old.id)) }
            row = old.id
        } else {
            try insert.run(all: [.key(write.key)] + common)
            row = database.lastInsertedRow
        }
        if write.file == nil { try setValue.run(.integer(row), .blob(data)) }
        effects.add(count: old == nil ? 1 : 0, bytes: data.count - (old?.size ?? 0))
        try removeVariants(of: write.record, but: row, &effects)
    }

    /// After an entry was stored, removes the variants that were made from another version of the entry's original.
    ///
    /// - Parameter row: The row of the stored entry. This row is not removed.
    private func removeVariants(
        of record: EntryRecord, but row: Int, _ effects: inout TransactionEffects
    ) throws(DatabaseError) {
        guard let source = record.source, let version = record.version else { return }
        let stale = try variants.all(
            .words(source.words), .words(version.words), .integer(row), read: RemovableRow.init)
        try remove(stale, &effects)
    }

    /// Removes every variant of this original.
    func removeVariants(of source: KeyFingerprint) throws(DatabaseError) {
        try transaction { effects throws(DatabaseError) in
            try remove(try family.all(.words(source.words), read: RemovableRow.init), &effects)
        }
    }

    /// Removes one row inside a transaction.
    func remove(id: Int, size: Int, file: String?, _ effects: inout TransactionEffects) throws(DatabaseError) {
        try delete.run(.integer(id))
        if let file { effects.superseded.append(file) } else { try dropValue.run(.integer(id)) }
        effects.add(count: -1, bytes: -size)
    }

    /// Removes many rows inside a transaction. Rows are removed from each table's tree in the order of that tree. A
    /// large tree does not fit into memory, and in another order its pages would be read and written repeatedly.
    func remove(_ rows: [RemovableRow], _ effects: inout TransactionEffects) throws(DatabaseError) {
        guard !rows.isEmpty else { return }
        for row in rows.sorted(by: { $0.order < $1.order }) { try delete.run(.integer(row.id)) }
        for row in rows.sorted(by: { $0.id < $1.id }) where row.file == nil { try dropValue.run(.integer(row.id)) }
        effects.superseded += rows.compactMap(\.file)
        effects.add(count: -rows.count, bytes: -rows.reduce(0) { $0 + $1.size })
    }

    /// Removes a damaged entry, unless the entry has been replaced since it was read. Returns whether the entry was
    /// removed.
    @discardableResult
    func remove(row id: Int, generation: Int) throws(DatabaseError) -> Bool {
        var isRemoved = false
        try transaction { effects throws(DatabaseError) in
            let row = try findRow.first(.integer(id), .integer(generation)) { ($0.integer(0), $0.text(1)) }
            guard let row else { return }
            try remove(id: id, size: row.0, file: row.1, &effects)
            isRemoved = true
        }
        return isRemoved
    }

    /// Removes every entry and every stored pixel size.
    func removeAll() throws(DatabaseError) {
        try transaction { _ throws(DatabaseError) in
            try database.execute(
                "DELETE FROM entry; DELETE FROM value; DELETE FROM pixel_size; UPDATE total SET count = 0, bytes = 0")
        }
        // Rename the folder first. A process that writes during the removal then creates a new folder, and the files in
        // the new folder are not lost.
        let doomed = folder.files + "-" + KeyHash.hex(UInt64.random(in: 0 ... .max))
        if rename(folder.files, doomed) == 0 { FileTree.remove(doomed) }
        _ = StoreFolder.makeFolders(folder.files)
        try database.execute("PRAGMA incremental_vacuum")
    }

    func totals() throws(DatabaseError) -> (count: Int, bytes: Int) {
        try readTotal.first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    /// Computes the totals again from all rows. Used by ``DiskStore/verify()``.
    func repairTotals() throws(DatabaseError) {
        try database.execute(
            "UPDATE total SET count = (SELECT count(*) FROM entry), bytes = (SELECT ifnull(sum(size), 0) FROM entry)")
    }
}

/// What remains to be done at the end of a transaction.
struct TransactionEffects {
    /// The names of the files that are removed after the commit.
    var superseded: [String] = []
    /// The change of the totals.
    private(set) var count = 0
    private(set) var bytes = 0

    mutating func add(count: Int, bytes: Int) {
        self.count += count
        self.bytes += bytes
    }
}

/// The data of a row that is to be removed.
struct RemovableRow {
    let id: Int
    let size: Int
    let file: String?
    /// The ``KeyHash/order`` of the row's key.
    let order: UInt64

    /// The columns that a `SELECT` must list first.
    static let columns = "id, size, file, key"
    static let columnCount: Int32 = 4

    /// Reads the current row of a statement.
    init(_ row: Statement) {
        (id, size, file, order) = (row.integer(0), row.integer(1), row.text(2), row.key(3)?.order ?? 0)
    }
}

/// A write that is ready for the transaction. If the value needs a file, the file is already written.
private struct PreparedWrite {
    let key: KeyHash
    let data: Data?
    let time: Int
    let name: String?
    let generation: Int
    let checksum: Int
    let record: EntryRecord
    private(set) var file: String?

    init(_ key: KeyHash, _ write: PendingWrite, in folder: StoreFolder, failure: inout Int32) {
        self.key = key
        time = write.time
        name = write.name
        generation = Int.random(in: 1 ... .max)
        var data = write.data
        checksum = data.map(Checksum.of) ?? 0
        record = write.record
        if let bytes = data, bytes.count > StoreFormat.inlineLimit {
            let name = StoreFolder.name(of: key, generation: UInt64(generation))
            let cause = folder.file(name).map { FileTree.write(bytes, to: $0) } ?? EINVAL
            if cause == 0 {
                file = name
            } else {
                // The new value cannot be stored. Remove the old value anyway, because it is outdated.
                data = nil
                if failure == 0 { failure = cause }
            }
        }
        self.data = data
    }
}
