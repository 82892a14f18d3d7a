import Foundation
import WebImageCore

/// Removes expired and excess entries, oldest first, in batches of limited cost.
extension StoreWriter {
    /// The maximum number of rows that one transaction removes. Keys are not in the order of age, so even few rows
    /// change most pages of the tree of keys. A commit writes each changed page once, so a large batch costs little
    /// more than a small batch. The batch is limited because other processes can write only between transactions.
    static let trimBatch = 16_384
    /// The maximum number of rows with files that one transaction removes. If the process is killed between the
    /// commit and the removal of the files, at most this number of files remains until a sweep removes them.
    static let trimmedFiles = 512

    /// Creates the SQL index that sorts entries by a date column. The SQL index of the access date always exists.
    func prepareOrder(by column: String) throws(DatabaseError) {
        try database.execute("CREATE INDEX IF NOT EXISTS entry_\(column) ON entry(\(column))")
    }

    /// Removes up to one batch of entries whose date is at or before `deadline`. Returns whether more such entries
    /// may remain.
    func removeExpired(by column: String, deadline: Int) throws(DatabaseError) -> Bool {
        try removeOldest(by: column) { date, _ in date > deadline }
    }

    /// Removes up to one batch of entries whose own expiry time is at or before `now`, in milliseconds. Returns
    /// whether more such entries may remain.
    func removeExpiredByOwnDate(by now: Int) throws(DatabaseError) -> Bool {
        var rows: [RemovableRow] = []
        try transaction { superseded throws(DatabaseError) in
            rows = try database.prepareOnce(
                "SELECT id, size, file, key FROM entry WHERE expires <= ? ORDER BY expires LIMIT \(Self.trimmedFiles)"
            ).all(.integer(now)) {
                RemovableRow(id: $0.integer(0), size: $0.integer(1), file: $0.text(2), order: $0.key(3)?.order ?? 0)
            }
            try remove(rows, &superseded)
        }
        return rows.count == Self.trimmedFiles
    }

    /// Removes up to one batch of the oldest entries, but stops when at most `target` bytes are left. Returns whether
    /// more entries may have to be removed.
    func removeOldest(by column: String, downTo target: Int) throws(DatabaseError) -> Bool {
        try removeOldest(by: column) { _, bytes in bytes <= target }
    }

    private func removeOldest(
        by column: String, until isEnough: (_ date: Int, _ bytes: Int) -> Bool
    ) throws(DatabaseError) -> Bool {
        var isFull = false
        try transaction { superseded throws(DatabaseError) in
            var bytes = try totals().bytes
            var rows: [RemovableRow] = []
            var files = 0
            try oldest(by: column).each { row in
                isFull = rows.count == Self.trimBatch || files == Self.trimmedFiles
                if isFull || isEnough(row.integer(3), bytes) { return true }
                rows.append(
                    RemovableRow(
                        id: row.integer(0), size: row.integer(1), file: row.text(2), order: row.key(4)?.order ?? 0))
                bytes -= row.integer(1)
                if rows[rows.count - 1].file != nil { files += 1 }
                return false
            }
            try remove(rows, &superseded)
        }
        return isFull
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

    /// If the free pages of the index have more than `bytes` bytes, returns pages to the file system: at least enough
    /// of them, and at most 1,024 in one call.
    func releaseFreePages(above bytes: Int) throws(DatabaseError) {
        let excess = try pages("freelist_count") - bytes / pageSize
        guard excess > 0 else { return }
        // Each call is a transaction, after which the log can be copied into the index. One large transaction would make
        // a long log, because it writes a page for each page that it frees.
        var left = min(max(excess, Self.releasedPages), 1024)
        while left > 0 {
            try database.execute("PRAGMA incremental_vacuum(\(min(left, Self.releasedPages)))")
            left -= Self.releasedPages
        }
    }

    /// The number of pages that one transaction returns to the file system.
    private static let releasedPages = 32

    /// The size of all used pages of the index in bytes. Reads only the header of the index.
    var indexBytes: Int {
        get throws(DatabaseError) { (try pages("page_count") - pages("freelist_count")) * pageSize }
    }

    /// The size of the files of all values in bytes, in whole blocks of 4 KiB. Reads only the SQL index of these sizes.
    var fileBytes: Int {
        get throws(DatabaseError) {
            try database.execute("CREATE INDEX IF NOT EXISTS entry_file ON entry(size) WHERE file IS NOT NULL")
            return try database.prepareOnce(
                "SELECT ifnull(sum((size + 4095) / 4096 * 4096), 0) FROM entry WHERE file IS NOT NULL"
            ).first { $0.integer(0) } ?? 0
        }
    }

    private func pages(_ pragma: String) throws(DatabaseError) -> Int { try database.integer("PRAGMA \(pragma)") ?? 0 }

    /// Computes the totals again from all rows. Used by ``DiskStore/verify()``.
    func repairTotals() throws(DatabaseError) {
        try database.execute(
            "UPDATE total SET count = (SELECT count(*) FROM entry), bytes = (SELECT ifnull(sum(size), 0) FROM entry)")
    }

    /// Removes the orphaned files of one of the 256 shards. An orphaned file is a file that no row names. Such a file
    /// remains if a process was killed before it committed the row of a new file, or before it removed the file of a
    /// removed row.
    ///
    /// Files younger than `seconds` are kept, because they may belong to an uncommitted write of another process.
    func sweep(shard: UInt8, olderThan seconds: Int = 3600) throws(DatabaseError) {
        let digits = String(shard, radix: 16)
        let path = folder.files + "/" + (digits.count == 1 ? "0" : "") + digits
        // Remove renamed folders. They remain if a process was killed in `removeAll`.
        for name in FileTree.names(in: folder.path) where name.hasPrefix(StoreFormat.filesName + "-") {
            FileTree.remove(folder.path + "/" + name)
        }
        let named = try filesOfKey
        for name in FileTree.names(in: path) {
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0, status.st_mtim.tv_sec < time(nil) - seconds else { continue }
            if let key = KeyHash(fileName: name), try named.first(.key(key), read: { $0.text(0) }) == name { continue }
            unlink(path + "/" + name)
        }
    }

    private func oldest(by column: String) throws(DatabaseError) -> Statement {
        try database.prepareOnce("SELECT id, size, file, \(column), key FROM entry ORDER BY \(column)")
    }

    private var filesOfKey: Statement {
        get throws(DatabaseError) { try database.prepareOnce("SELECT file FROM entry WHERE key = ?") }
    }
}

extension KeyHash {
    /// Creates a hash from the name of a value file; nil for any other name.
    fileprivate init?(fileName: String) {
        let digits = Array(fileName.utf8.prefix(32))
        guard fileName.utf8.count == StoreFolder.nameLength, digits.count == 32 else { return nil }
        var bytes: [UInt8] = []
        for index in stride(from: 0, to: 32, by: 2) {
            guard let byte = UInt8(String(decoding: digits[index..<index + 2], as: UTF8.self), radix: 16) else {
                return nil
            }
            bytes.append(byte)
        }
        self = bytes.withUnsafeBytes { KeyHash(bytes: $0) }
    }
}
