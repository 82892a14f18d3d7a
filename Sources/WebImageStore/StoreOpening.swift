import CWebImageSQLite
import Foundation
import WebImageCore

/// Opens an index. The index can be new or damaged, or can have the current, an older or a newer format.
enum StoreOpening {
    /// Returns the folder that the cache uses and a connection to its index. The schema of the index is created or
    /// checked.
    ///
    /// An index of a newer format stays unchanged, and the cache uses another folder, whose name has the suffix `.v2`.
    /// A damaged index is renamed and replaced. Processes that open the folder at the same time wait for each other
    /// with a lock file.
    static func open(
        path: String, fileSystemType: @escaping StoreFolder.FileSystemType
    ) throws(WebImageError) -> (folder: StoreFolder, database: Database) {
        let folder = try StoreFolder(path: path, fileSystemType: fileSystemType)
        do throws(DatabaseError) {
            return (folder, try open(folder))
        } catch let error {
            guard error == newer else { throw error.asWebImageError }
        }
        FailureLog.log(.warning, "disk cache \(path) has a newer format; a folder beside it is used")
        let beside = try StoreFolder(path: path + ".v\(StoreFormat.version)", fileSystemType: fileSystemType)
        do throws(DatabaseError) {
            return (beside, try open(beside))
        } catch let error {
            throw error.asWebImageError
        }
    }

    private static let newer = DatabaseError(code: SQLITE_SCHEMA, message: "newer format")
    private static let older = DatabaseError(
        code: SQLITE_READONLY, message: "an older format, which cannot be migrated without writing")
    private static let foreign = DatabaseError(code: SQLITE_NOTADB, message: "another program's database")

    private static func open(_ folder: StoreFolder) throws(DatabaseError) -> Database {
        if folder.isReadOnly { return try openReadOnly(folder) }
        let lock = FolderLock(folder.path + "/" + StoreFormat.lockName)
        defer { lock?.release() }
        do throws(DatabaseError) {
            return try openChecked(folder)
        } catch let error {
            guard error.isCorruption else { throw error }
            FailureLog.log(.warning, "disk cache \(folder.path) is damaged (\(error.message)); a new index is created")
            setAside(folder)
            return try openChecked(folder)
        }
    }

    private static func openReadOnly(_ folder: StoreFolder) throws(DatabaseError) -> Database {
        let database = try Database(path: folder.index, mode: .immutable)
        guard try database.integer("PRAGMA application_id") == StoreFormat.applicationID else { throw foreign }
        let version = try database.integer("PRAGMA user_version") ?? 0
        guard version >= StoreFormat.version else { throw older }
        guard version == StoreFormat.version else { throw newer }
        return database
    }

    private static func openChecked(_ folder: StoreFolder) throws(DatabaseError) -> Database {
        var status = stat()
        if lstat(folder.index, &status) == 0 {
            // Refuse a symbolic link. With a link, another user could choose which file is written.
            guard status.st_mode & S_IFMT == S_IFREG else { throw foreign }
        } else {
            // Create the index with the right permissions before SQLite opens it, because SQLite copies the
            // permissions of the index to the log files.
            let file = Glibc.open(folder.index, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
            if file >= 0 { close(file) }
        }
        let database = try Database(path: folder.index, mode: .readWrite)
        let identity = try database.integer("PRAGMA application_id") ?? 0
        let version = try database.integer("PRAGMA user_version") ?? 0
        if identity == 0, version == 0, try database.integer("SELECT count(*) FROM sqlite_master") == 0 {
            try database.execute("PRAGMA page_size = \(StoreFormat.pageSize); PRAGMA auto_vacuum = INCREMENTAL")
            try setJournal(of: database, in: folder)
            try database.execute("BEGIN IMMEDIATE;" + StoreFormat.schema + "COMMIT;")
            return database
        }
        guard identity == StoreFormat.applicationID else { throw foreign }
        guard version <= StoreFormat.version else { throw newer }
        try setJournal(of: database, in: folder)
        if version < StoreFormat.version { try migrate(database, folder) }
        return database
    }

    /// Migrates an older index. The caller holds the folder's lock. An index that cannot be migrated is renamed.
    private static func migrate(_ database: Database, _ folder: StoreFolder) throws(DatabaseError) {
        do throws(DatabaseError) {
            try database.execute("BEGIN IMMEDIATE;" + StoreFormat.migration + "COMMIT;")
            FailureLog.log(.info, "disk cache \(folder.path) was migrated to format \(StoreFormat.version)")
        } catch let error {
            try? database.execute("ROLLBACK")
            // Keep the index in these cases: another process held the lock of the index for too long, or nothing can be
            // written now. A later opening tries the migration again.
            guard !error.isWaiting, !error.isReadOnly, !error.isFull else { throw error }
            throw DatabaseError(code: SQLITE_CORRUPT, message: "an older format: \(error.message)")
        }
    }

    /// Uses a write-ahead log, or a rollback journal on a network file system.
    private static func setJournal(of database: Database, in folder: StoreFolder) throws(DatabaseError) {
        _ = try database.integer("PRAGMA journal_mode = \(folder.isOnNetwork ? "TRUNCATE" : "WAL")")
        // A checkpoint waits for the disk twice, so it usually runs in the background. A commit performs a checkpoint
        // only if writes arrive faster than the background checkpoints.
        let pages = StoreFormat.longestLog / (try database.integer("PRAGMA page_size") ?? StoreFormat.pageSize)
        try database.execute(
            """
            PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = \(pages);
            PRAGMA journal_size_limit = \(StoreFormat.longestLog / 4)
            """)
    }

    /// Renames the damaged index whose inode is `inode`, unless another process has already replaced this index.
    static func setAside(_ folder: StoreFolder, inode: UInt64) {
        let lock = FolderLock(folder.path + "/" + StoreFormat.lockName)
        defer { lock?.release() }
        if folder.indexInode == inode { setAside(folder) }
    }

    /// Renames the damaged index, so that a person can inspect it. The renamed index replaces an index that was renamed
    /// earlier. Removes the value files, because their rows are in the damaged index. The caller must hold the folder's
    /// lock.
    private static func setAside(_ folder: StoreFolder) {
        rename(folder.index, folder.index + StoreFormat.damagedSuffix)
        for suffix in ["-wal", "-shm", "-journal"] { unlink(folder.index + suffix) }
        FileTree.remove(folder.files)
        _ = StoreFolder.makeFolders(folder.files)
    }
}

/// An advisory lock between processes, held while an index is opened.
private struct FolderLock {
    private let file: Int32

    init?(_ path: String) {
        file = Glibc.open(path, O_CREAT | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard file >= 0 else { return nil }
        _ = SystemCall.retrying { flock(file, LOCK_EX) }
    }

    func release() { close(file) }
}
