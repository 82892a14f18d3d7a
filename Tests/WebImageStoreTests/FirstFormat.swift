import Foundation

@testable import WebImageStore

/// Simulates a process that uses the first format of the cache folder. The process creates the folder and prepares its
/// statements. It continues to use these statements after a newer process has opened the folder.
final class FirstFormatProcess {
    private let database: Database
    private let insert: Statement
    private let update: Statement
    private let setValue: Statement
    private let setMetadata: Statement
    private let find: Statement
    private let read: Statement
    private let delete: Statement

    static let schema = """
        CREATE TABLE entry(
          id INTEGER PRIMARY KEY, key BLOB NOT NULL UNIQUE, generation INTEGER NOT NULL, size INTEGER NOT NULL,
          checksum INTEGER NOT NULL, file TEXT, created INTEGER NOT NULL, modified INTEGER NOT NULL,
          accessed INTEGER NOT NULL, changed INTEGER NOT NULL, format INTEGER NOT NULL, width INTEGER, height INTEGER,
          extended BLOB, metadata BLOB, name TEXT);
        CREATE INDEX entry_accessed ON entry(accessed);
        CREATE TABLE value(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE total(id INTEGER PRIMARY KEY CHECK(id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO total VALUES(1, 0, 0);
        CREATE TABLE pixel_size(key BLOB PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA application_id = 1466262089;
        PRAGMA user_version = 1;
        """

    init(path: String) throws {
        try FileManager.default.createDirectory(atPath: path + "/files", withIntermediateDirectories: true)
        database = try Database(path: path + "/index.sqlite", mode: .readWrite)
        if try database.integer("PRAGMA user_version") == 0 {
            try database.execute("PRAGMA page_size = 16384; PRAGMA auto_vacuum = INCREMENTAL")
            _ = try database.integer("PRAGMA journal_mode = WAL")
            try database.execute("BEGIN IMMEDIATE;" + Self.schema + "COMMIT;")
        }
        insert = try database.prepare(
            """
            INSERT INTO entry(key, generation, size, checksum, file, created, modified, accessed, changed, format, name)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?6, ?6, ?6, ?7, ?8)
            """)
        update = try database.prepare(
            """
            UPDATE entry SET generation = ?2, size = ?3, checksum = ?4, file = ?5, modified = ?6, accessed = ?6,
            changed = ?6, format = ?7, name = ?8, width = NULL, height = NULL, extended = NULL, metadata = NULL
            WHERE id = ?1
            """)
        setValue = try database.prepare("INSERT OR REPLACE INTO value(id, bytes) VALUES(?, ?)")
        setMetadata = try database.prepare("UPDATE entry SET metadata = ?2 WHERE key = ?1")
        find = try database.prepare("SELECT id FROM entry WHERE key = ?")
        read = try database.prepare(
            "SELECT v.bytes FROM entry e LEFT JOIN value v ON v.id = e.id WHERE e.key = ?")
        delete = try database.prepare("DELETE FROM entry WHERE key = ?")
    }

    /// Stores a small value in one transaction, as the first format did.
    func store(_ data: Data, _ key: String, metadata: Data? = nil) throws {
        try database.execute("BEGIN IMMEDIATE")
        do {
            let hash = KeyHash(key)
            // The generation is only a unique number. No result depends on it, so the random numbers need no seed.
            let common: [Statement.Value] = [
                .integer(Int.random(in: 1 ... .max)), .integer(data.count), .integer(Checksum.of(data)), .null,
                .integer(Int(Date().timeIntervalSince1970 * 1000)), .integer(1), .null,
            ]
            if let old = try find.first(.key(hash), read: { $0.integer(0) }) {
                try update.run(all: [.integer(old)] + common)
                try setValue.run(.integer(old), .blob(data))
            } else {
                try insert.run(all: [.key(hash)] + common)
                try setValue.run(.integer(database.lastInsertedRow), .blob(data))
                try database.execute("UPDATE total SET count = count + 1, bytes = bytes + \(data.count)")
            }
            if let metadata { try setMetadata.run(.key(hash), .blob(metadata)) }
            try database.execute("COMMIT")
        } catch {
            try? database.execute("ROLLBACK")
            throw error
        }
    }

    func data(_ key: String) throws -> Data? { try read.first(.key(KeyHash(key))) { $0.blob(0) } ?? nil }

    func remove(_ key: String) throws { try delete.run(.key(KeyHash(key))) }
}
