import Foundation
import WebImageCore

/// Removing what is too old and what is too much, oldest first, in batches of known cost.
extension StoreWriter {
    /// Rows removed in one transaction. The keys' tree is in no order of age, so that even few rows touch most of its
    /// pages, and a commit writes each once: many rows share that. Other processes write in between.
    static let trimBatch = 16_384
    /// Those among them that have files: as many stay behind, for a sweep to find, when the process is killed between the
    /// commit and their removal.
    static let trimmedFiles = 512

    /// Makes the index that orders entries by a date; the one by access exists always.
    func prepareOrder(by column: String) throws(DatabaseError) {
        try database.execute("CREATE INDEX IF NOT EXISTS entry_\(column) ON entry(\(column))")
    }

    /// Removes up to one batch of entries whose date is at or before `deadline`; tells whether there may be more.
    func removeExpired(by column: String, deadline: Int) throws(DatabaseError) -> Bool {
        try removeOldest(by: column) { date, _ in date > deadline }
    }

    /// Removes up to one batch of entries whose own time is over, in milliseconds; tells whether there may be more.
    func removeOver(by now: Int) throws(DatabaseError) -> Bool {
        var rows: [Removable] = []
        try transaction { superseded throws(DatabaseError) in
            rows = try database.prepareOnce(
                "SELECT id, size, file, key FROM entry WHERE expires <= ? ORDER BY expires LIMIT \(Self.trimmedFiles)"
            ).all(.integer(now)) {
                Removable(id: $0.integer(0), size: $0.integer(1), file: $0.text(2), order: $0.key(3)?.order ?? 0)
            }
            try remove(rows, &superseded)
        }
        return rows.count == Self.trimmedFiles
    }

    /// Removes up to one batch of the oldest entries until their bytes are at most `target`; tells whether there may be
    /// more to remove.
    func removeOldest(by column: String, downTo target: Int) throws(DatabaseError) -> Bool {
        try removeOldest(by: column) { _, bytes in bytes <= target }
    }

    private func removeOldest(
        by column: String, until isEnough: (_ date: Int, _ bytes: Int) -> Bool
    ) throws(DatabaseError) -> Bool {
        var isFull = false
        try transaction { superseded throws(DatabaseError) in
            var bytes = try totals().bytes
            var rows: [Removable] = []
            var files = 0
            try oldest(by: column).each { row in
                isFull = rows.count == Self.trimBatch || files == Self.trimmedFiles
                if isFull || isEnough(row.integer(3), bytes) { return true }
                rows.append(
                    Removable(
                        id: row.integer(0), size: row.integer(1), file: row.text(2), order: row.key(4)?.order ?? 0))
                bytes -= row.integer(1)
                if rows[rows.count - 1].file != nil { files += 1 }
                return false
            }
            try remove(rows, &superseded)
        }
        return isFull
    }

    /// Removes every entry and every remembered pixel size.
    func removeAll() throws(DatabaseError) {
        try transaction { _ throws(DatabaseError) in
            try database.execute(
                "DELETE FROM entry; DELETE FROM value; DELETE FROM pixel_size; UPDATE total SET count = 0, bytes = 0")
        }
        // Renamed first: a process that writes meanwhile makes a new folder and loses nothing.
        let doomed = folder.files + "-" + KeyHash.hex(UInt64.random(in: 0 ... .max))
        if rename(folder.files, doomed) == 0 { FileTree.remove(doomed) }
        _ = StoreFolder.makeFolders(folder.files)
        try database.execute("PRAGMA incremental_vacuum")
    }

    /// Gives free pages back to the file system when there are many, some at a time.
    func releaseFreePages() throws(DatabaseError) {
        guard let free = try database.integer("PRAGMA freelist_count"), free > 1024 else { return }
        try database.execute("PRAGMA incremental_vacuum(1024)")
    }

    /// Counts anew; for a verification that finds the totals wrong.
    func repairTotals() throws(DatabaseError) {
        try database.execute(
            "UPDATE total SET count = (SELECT count(*) FROM entry), bytes = (SELECT ifnull(sum(size), 0) FROM entry)")
    }

    /// Removes files in one of the 256 shards that no row names: left by a kill between two steps.
    ///
    /// Younger ones may be another process's, written and not yet committed.
    func sweep(shard: UInt8, olderThan seconds: Int = 3600) throws(DatabaseError) {
        let digits = String(shard, radix: 16)
        let path = folder.files + "/" + (digits.count == 1 ? "0" : "") + digits
        // Left by a kill in the middle of removing everything.
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
    /// The key a value file was named for; nil for any other name.
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
