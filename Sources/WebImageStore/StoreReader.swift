import Foundation
import WebImageCore
import WebImageLoading

/// The reading connection. With a write-ahead log, this connection never waits for the writing connection.
final class StoreReader {
    let folder: StoreFolder
    private let database: Database
    private let find: Statement
    private let contains: Statement
    private let record: Statement
    private let extended: Statement
    private let metadata: Statement
    private let total: Statement
    private let pixelSize: Statement
    private let page: Statement

    init(folder: StoreFolder, database: Database) throws(DatabaseError) {
        self.folder = folder
        self.database = database
        // SQLite converts the size of its page cache to a number of pages. At the opening it does not know the size of
        // the pages yet and assumes 4 KB, so the cache would use four times as much memory. The first query reads the
        // size of the pages. Afterwards, set SQLite's default (2 MB) again.
        _ = try database.integer("PRAGMA user_version")
        try database.execute("PRAGMA cache_size = -2000")
        find = try database.prepare(
            "SELECT \(StoredEntry.columns) FROM \(StoredEntry.tables) WHERE e.key = ?")
        contains = try database.prepare("SELECT 1 FROM entry WHERE key = ? AND ifnull(expires > ?, 1)")
        record = try database.prepare("SELECT \(RecordColumns.columns) FROM entry e WHERE e.key = ?")
        extended = try database.prepare("SELECT extended FROM entry WHERE key = ?")
        metadata = try database.prepare("SELECT metadata FROM entry WHERE key = ?")
        total = try database.prepare("SELECT count, bytes FROM total")
        pixelSize = try database.prepare("SELECT width, height FROM pixel_size WHERE key = ?")
        page = try database.prepare(
            "SELECT \(StoredEntry.columns) FROM \(StoredEntry.tables) WHERE e.id > ? ORDER BY e.id LIMIT ?")
    }

    func entry(_ key: KeyHash) throws(DatabaseError) -> StoredEntry? {
        try find.first(.key(key), read: StoredEntry.init)
    }

    /// Returns whether there is an entry that has not expired at `now`, in milliseconds since 1970.
    func contains(_ key: KeyHash, now: Int) throws(DatabaseError) -> Bool {
        try contains.first(.key(key), .integer(now)) { _ in true } ?? false
    }

    func record(_ key: KeyHash) throws(DatabaseError) -> EntryRecord? {
        try record.first(.key(key)) { RecordColumns.record($0, from: 0) }
    }

    func companion(_ companion: Companion, of key: KeyHash) throws(DatabaseError) -> Data? {
        try (companion == .extended ? extended : metadata).first(.key(key)) { $0.blob(0) } ?? nil
    }

    func totals() throws(DatabaseError) -> (count: Int, bytes: Int) {
        try total.first { ($0.integer(0), $0.integer(1)) } ?? (0, 0)
    }

    func pixelSize(_ key: KeyHash) throws(DatabaseError) -> PixelSize? {
        try pixelSize.first(.key(key)) { PixelSize(width: $0.integer(0), height: $0.integer(1)) }
    }

    /// Returns up to `limit` entries whose row ids are greater than `id`, in the order of their row ids.
    func entries(after id: Int, limit: Int) throws(DatabaseError) -> [StoredEntry] {
        try page.all(.integer(id), .integer(limit), read: StoredEntry.init)
    }
}
