import CWebImageSQLite
import Foundation
import WebImageCore

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
