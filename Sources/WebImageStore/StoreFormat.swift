/// What is on disk, version 1. A change that old code cannot read needs a new ``version`` and a migration.
///
/// A cache folder holds `index.sqlite` (with SQLite's `-wal` and `-shm`), `lock` (held while opening), and
/// `files/<2 hex>/<32 hex of the key>-<16 hex of the generation>` for values too large for the index.
/// Times are milliseconds since 1970. Bytes in `extended` and `metadata` are opaque here.
enum StoreFormat {
    static let version = 1
    /// "WebI" in ASCII.
    static let applicationID = 0x5765_6249
    static let indexName = "index.sqlite"
    static let filesName = "files"
    static let lockName = "lock"
    /// Stands where files of the original's layout were taken over: their keys are known by MD5 alone.
    static let importedName = "imported"
    /// Appended to the name of an index that could not be read.
    static let damagedSuffix = ".damaged"

    /// Bytes of a page of a new index: with SQLite's usual 4096 a value of 20 KB is a chain of five.
    static let pageSize = 16_384
    /// Bytes of write-ahead log at which a commit folds it back itself.
    static let longestLog = 16 << 20
    /// Bytes of write-ahead log at which it is folded back in the background.
    static let foldableLog = 4 << 20

    /// Bytes up to which a value is kept in the index: making a file waits for the file system's journal, writing a row
    /// does not (`Documentation/Decisions/DiskCacheInlineThreshold.md`).
    static let inlineLimit = 64 * 1024

    /// Values stand in a table of their own, so that noting an access rewrites a short row and not the value.
    static let schema = """
        CREATE TABLE entry(
          id INTEGER PRIMARY KEY,
          key BLOB NOT NULL UNIQUE,
          generation INTEGER NOT NULL,
          size INTEGER NOT NULL,
          checksum INTEGER NOT NULL,
          file TEXT,
          created INTEGER NOT NULL,
          modified INTEGER NOT NULL,
          accessed INTEGER NOT NULL,
          changed INTEGER NOT NULL,
          format INTEGER NOT NULL,
          width INTEGER,
          height INTEGER,
          extended BLOB,
          metadata BLOB,
          name TEXT);
        CREATE INDEX entry_accessed ON entry(accessed);
        CREATE TABLE value(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE total(id INTEGER PRIMARY KEY CHECK(id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO total VALUES(1, 0, 0);
        CREATE TABLE pixel_size(key BLOB PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """
}
