import Foundation

/// Removes what no entry uses from one of the 256 shards of a store: orphaned files and excess pixel sizes. A shard
/// contains the keys that begin with one byte, and the files in the folder of this byte.
struct StoreSweep {
    private let writer: StoreWriter
    private let shard: UInt8

    init(_ writer: StoreWriter, shard: UInt8) { (self.writer, self.shard) = (writer, shard) }

    /// Removes orphaned files. An orphaned file is a file that no row names. Such a file remains if a process was killed
    /// before it committed the row of a new file, or before it removed the file of a removed row.
    ///
    /// Files younger than `seconds` are kept, because they may belong to an uncommitted write of another process.
    func removeOrphanedFiles(olderThan seconds: Int = 3600) throws(DatabaseError) {
        let folder = writer.folder
        // Remove renamed folders. They remain if a process was killed in `StoreWriter.removeAll`.
        for name in FileTree.names(in: folder.path) where name.hasPrefix(StoreFormat.filesName + "-") {
            FileTree.remove(folder.path + "/" + name)
        }
        let path = folder.files + "/" + Self.digits(shard)
        let named = try writer.database.prepareOnce("SELECT file FROM entry WHERE key = ?")
        for name in FileTree.names(in: path) {
            var status = stat()
            guard lstat(path + "/" + name, &status) == 0, status.st_mtim.tv_sec < time(nil) - seconds else { continue }
            if let key = KeyHash(fileName: name), try named.first(.key(key), read: { $0.text(0) }) == name { continue }
            unlink(path + "/" + name)
        }
    }

    /// The maximum number of stored pixel sizes of a shard without an entry. The maximum total is 262,144 sizes, or about
    /// 10 MB.
    static let mostPixelSizes = 1024

    /// Removes pixel sizes without an entry until at most `limit` sizes are left. Sizes with an entry stay, so more than
    /// `limit` sizes can be left.
    ///
    /// The removed sizes are arbitrary, because keys are hashes and the table has no dates.
    func removeExcessPixelSizes(limit: Int = mostPixelSizes) throws(DatabaseError) {
        let end = shard == .max ? "" : " AND key < x'\(Self.digits(shard + 1))'"
        let range = "key >= x'\(Self.digits(shard))'" + end
        let count = try writer.database.integer("SELECT count(*) FROM pixel_size WHERE \(range)") ?? 0
        guard count > limit else { return }
        try writer.database.execute(
            """
            DELETE FROM pixel_size WHERE key IN (SELECT key FROM pixel_size WHERE \(range)
            AND NOT EXISTS (SELECT 1 FROM entry WHERE entry.key = pixel_size.key) LIMIT \(count - limit))
            """)
    }

    private static func digits(_ shard: UInt8) -> String { (shard < 16 ? "0" : "") + String(shard, radix: 16) }
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
