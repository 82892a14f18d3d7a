/// The format on disk, version 2. A change of the format that older code cannot read requires a new ``version`` and a
/// migration.
///
/// A cache folder contains `index.sqlite` (with SQLite's `-wal` and `-shm`), `lock` (locked while a process opens the
/// index), and `files/<2 hex>/<32 hex of the key>-<16 hex of the generation>` for values that are too large for the
/// index. Times are milliseconds since 1970. The bytes in `extended`, `metadata` and `attributes` are opaque to the
/// store.
///
/// An entry has a record in addition to its bytes. `kind` is explained at ``RecordColumns``. `identity` is the
/// fingerprint of the entry's typed key. `source` is the fingerprint of the typed key of the entry's original. `scope`
/// is the fingerprint of the entry's scope; null means that the entry has no scope. For an original, `origin` is its
/// version. For a variant, `origin` is the version of the original from which the variant was made. `attributes`
/// describes how a variant was made. `expires` is an expiry time of this entry, which applies in addition to the age
/// limit of the cache.
enum StoreFormat {
    static let version = 2
    /// "WebI" in ASCII.
    static let applicationID = 0x5765_6249
    static let indexName = "index.sqlite"
    static let filesName = "files"
    static let lockName = "lock"
    /// The name of an empty file in a cache folder that contains imported files of SDWebImage. For an imported file,
    /// only the MD5 of the key is known.
    static let importedName = "imported"
    /// The suffix that is appended to the name of a damaged index.
    static let damagedSuffix = ".damaged"

    /// The page size of a new index in bytes. With SQLite's default of 4,096 bytes, a value of 20 KB would need a
    /// chain of five pages.
    static let pageSize = 16_384
    /// The size of the write-ahead log in bytes at which the commit itself performs a checkpoint (16 MiB).
    static let longestLog = 16 << 20
    /// The size of the write-ahead log in bytes at which a checkpoint runs in the background (4 MiB).
    static let checkpointLogBytes = 4 << 20

    /// The maximum size of a value in the index, in bytes. Small values are in the index because creating a file
    /// waits for the file system's journal and writing a row does not
    /// (`Documentation/Decisions/DiskCacheInlineThreshold.md`).
    static let inlineLimit = 32 * 1024

    /// The tables of the index. Values have a separate table, so that recording an access rewrites only a short row,
    /// not the value.
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

    /// Migrates an index of version 1 in one transaction. The entries keep their bytes, but have no recorded key.
    ///
    /// A process that opened the index as version 1 before the migration can still read and remove entries. Such a
    /// process cannot store entries, because the columns that it writes no longer exist. This is intended: the process
    /// would replace the bytes of an entry without updating the entry's record.
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
