/// The format on disk, version 2. A change that old code cannot read needs a new ``version`` and a migration.
///
/// A cache folder holds `index.sqlite` (with SQLite's `-wal` and `-shm`), `lock` (held while opening), and
/// `files/<2 hex>/<32 hex of the key>-<16 hex of the generation>` for values too large for the index.
/// Times are milliseconds since 1970. Bytes in `extended`, `metadata` and `attributes` are opaque here.
///
/// An entry has a record beside its bytes: `kind` (``RecordColumns``), `identity` and `source` (fingerprints of its
/// typed key and of its original's), `scope` (a fingerprint; null is unscoped), `origin` (the version of the original
/// that it is, or was made from), `attributes` (how a variant was made) and `expires`.
enum StoreFormat {
    static let version = 2
    /// "WebI" in ASCII.
    static let applicationID = 0x5765_6249
    static let indexName = "index.sqlite"
    static let filesName = "files"
    static let lockName = "lock"
    /// Marks a folder with imported files of SDWebImage's layout, of whose keys only the MD5 is known.
    static let importedName = "imported"
    /// Appended to the name of an index that could not be read.
    static let damagedSuffix = ".damaged"

    /// The page size of a new index in bytes: with SQLite's usual 4096 a value of 20 KB needs a chain of five pages.
    static let pageSize = 16_384
    /// The bytes of write-ahead log at which a commit checkpoints it itself.
    static let longestLog = 16 << 20
    /// The bytes of write-ahead log at which it is checkpointed in the background.
    static let checkpointLogBytes = 4 << 20

    /// The maximum number of bytes of a value in the index. Creating a file waits for the file system's journal,
    /// writing a row does not (`Documentation/Decisions/DiskCacheInlineThreshold.md`).
    static let inlineLimit = 32 * 1024

    /// Values have their own table, so that an access rewrites a short row and not the value.
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
          extended BLOB,
          metadata BLOB,
          name TEXT,
          kind INTEGER NOT NULL DEFAULT 0,
          identity BLOB,
          source BLOB,
          scope BLOB,
          origin BLOB,
          attributes BLOB,
          expires INTEGER);
        CREATE INDEX entry_accessed ON entry(accessed);
        \(indexes)
        CREATE TABLE value(id INTEGER PRIMARY KEY, bytes BLOB NOT NULL);
        CREATE TABLE total(id INTEGER PRIMARY KEY CHECK(id = 1), count INTEGER NOT NULL, bytes INTEGER NOT NULL);
        INSERT INTO total VALUES(1, 0, 0);
        CREATE TABLE pixel_size(key BLOB PRIMARY KEY, width INTEGER NOT NULL, height INTEGER NOT NULL) WITHOUT ROWID;
        PRAGMA application_id = \(applicationID);
        PRAGMA user_version = \(version);
        """

    private static let indexes = """
        CREATE INDEX entry_source ON entry(source) WHERE kind = 3;
        CREATE INDEX entry_expires ON entry(expires) WHERE expires IS NOT NULL;
        """

    /// Migrates version 1, in one transaction. Its entries keep their bytes and become entries without a recorded key.
    ///
    /// A process that still has the index open as version 1 can read and remove entries. It cannot store, because the
    /// columns it writes no longer exist; otherwise it could replace the bytes of an entry and leave a record of other
    /// bytes.
    static let migration = """
        ALTER TABLE entry DROP COLUMN format;
        ALTER TABLE entry DROP COLUMN width;
        ALTER TABLE entry DROP COLUMN height;
        ALTER TABLE entry ADD COLUMN kind INTEGER NOT NULL DEFAULT 0;
        ALTER TABLE entry ADD COLUMN identity BLOB;
        ALTER TABLE entry ADD COLUMN source BLOB;
        ALTER TABLE entry ADD COLUMN scope BLOB;
        ALTER TABLE entry ADD COLUMN origin BLOB;
        ALTER TABLE entry ADD COLUMN attributes BLOB;
        ALTER TABLE entry ADD COLUMN expires INTEGER;
        \(indexes)
        PRAGMA user_version = 2;
        """
}
