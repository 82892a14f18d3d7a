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
        // A process that was killed leaves its latest commits in the log, for a new index even the schema. SQLite reads
        // the log if the file of shared memory is there too. An immutable index is read without its log.
        if folder.logBytes > 0 {
            do throws(DatabaseError) {
                return try checkedReadOnly(folder, mode: .readOnly)
            } catch let error {
                if [newer, older, foreign].contains(error) { throw error }
            }
        }
        return try checkedReadOnly(folder, mode: .immutable)
    }

    private static func checkedReadOnly(
        _ folder: StoreFolder, mode: Database.Mode
    ) throws(DatabaseError) -> Database {
        let database = try Database(path: folder.index, mode: mode)
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

/// The folder of a cache on disk, with the names of its files and its permissions.
struct StoreFolder {
    let path: String
    /// Whether the folder is read-only. If so, the index is read but never changed.
    let isReadOnly: Bool
    /// A function that returns the type number (statfs(2)) of the file system that contains a path; nil if the type is
    /// unknown.
    typealias FileSystemType = @Sendable (_ path: String) -> UInt32?
    private let fileSystemType: FileSystemType

    var index: String { path + "/" + StoreFormat.indexName }
    var importedMark: String { path + "/" + StoreFormat.importedName }
    var files: String { path + "/" + StoreFormat.filesName }

    /// Returns the path of an entry's file from its name in the index; nil for an invalid name.
    func file(_ name: String) -> String? {
        guard name.utf8.count == Self.nameLength, name.utf8.allSatisfy(Self.isNameByte) else { return nil }
        return files + "/" + name.prefix(2) + "/" + name
    }

    static func name(of key: KeyHash, generation: UInt64) -> String { key.hex + "-" + KeyHash.hex(generation) }

    static let nameLength = 32 + 1 + 16

    private static func isNameByte(_ byte: UInt8) -> Bool {
        byte == 0x2D || byte.isASCIIDigit || (0x61...0x66).contains(byte)
    }

    /// Opens the folder. Creates it if it does not exist.
    init(path: String, fileSystemType: @escaping FileSystemType = realFileSystemType) throws(WebImageError) {
        let made = Self.makeFolders(path)
        if made != 0, access(path + "/" + StoreFormat.indexName, R_OK) != 0 {
            throw .posix(
                made, stage: .store, hint: "The disk cache's folder cannot be created; loads continue without it.")
        }
        self.path = path
        self.fileSystemType = fileSystemType
        isReadOnly = made != 0 || access(path, W_OK) != 0
        if !isReadOnly { _ = Self.makeFolders(path + "/" + StoreFormat.filesName) }
    }

    /// Creates a folder and its parents with mode 0700, like `mkdir -p`. Returns `errno` or 0.
    static func makeFolders(_ path: String) -> Int32 {
        if mkdir(path, 0o700) == 0 { return 0 }
        let cause = errno
        if cause == EEXIST {
            var status = stat()
            return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR ? 0 : ENOTDIR
        }
        let parent = (path as NSString).deletingLastPathComponent
        guard cause == ENOENT, !parent.isEmpty, parent != path else { return cause }
        let made = makeFolders(parent)
        if made != 0 { return made }
        return mkdir(path, 0o700) == 0 || errno == EEXIST ? 0 : errno
    }

    /// Whether the folder is on a network file system (statfs(2)). On such a file system, shared memory and locks are
    /// unreliable.
    var isOnNetwork: Bool { fileSystemType(path).map(Self.networkTypes.contains) ?? false }

    static let realFileSystemType: FileSystemType = { path in
        var status = statfs()
        return statfs(path, &status) == 0 ? UInt32(truncatingIfNeeded: status.f_type) : nil
    }

    /// The type numbers of NFS, SMB, SMB2, CIFS, FUSE, 9P, AFS, Ceph, Lustre, GFS2 and Coda.
    private static let networkTypes: Set<UInt32> = [
        0x6969, 0x517B, 0xFE53_4D42, 0xFF53_4D42, 0x6573_5546, 0x0102_1997, 0x5346_414F, 0x00C3_6400, 0x0BD0_0BD0,
        0x0116_1970, 0x7375_7245,
    ]

    /// The free space in bytes that an unprivileged process can use.
    var freeBytes: Int {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return 0 }
        let (bytes, overflow) = Int(status.f_bavail).multipliedReportingOverflow(by: Int(status.f_frsize))
        return overflow ? .max : bytes
    }

    /// The size of the write-ahead log in bytes.
    var logBytes: Int {
        var status = stat()
        return stat(index + "-wal", &status) == 0 ? Int(status.st_size) : 0
    }

    /// The inode of the index file; 0 if the file does not exist. A changed inode means that the opened file was
    /// replaced.
    var indexInode: UInt64 {
        var status = stat()
        return stat(index, &status) == 0 ? UInt64(status.st_ino) : 0
    }
}
