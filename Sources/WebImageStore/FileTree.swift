import Foundation
import WebImageCore

/// Reads, writes and lists the value files in a cache's folder, without the overhead of Foundation. A file is written
/// completely or not at all.
enum FileTree {
    /// Creates a new file. Returns `errno` or 0. If the write fails, the incomplete file is removed.
    ///
    /// Writes directly under the final name, because no reader opens the file before a committed row names it. A
    /// temporary name would require a rename. For a file of 64 KB, the rename would take a fifth of the total time.
    static func write(_ data: Data, to path: String) -> Int32 {
        var file = create(path)
        if file < 0, errno == ENOENT {
            _ = StoreFolder.makeFolders((path as NSString).deletingLastPathComponent)
            file = create(path)
        }
        guard file >= 0 else { return errno }
        var cause = data.withUnsafeBytes { writeAll($0, to: file) }
        if close(file) != 0, cause == 0 { cause = errno }
        if cause != 0 { unlink(path) }
        return cause
    }

    /// The result of reading a file.
    enum Reading {
        case data(Data)
        /// The file does not exist, has another size, or is not a regular file. A later attempt would give the same
        /// result.
        case wrong
        /// The file cannot be read now: the process has no free descriptor or not enough memory, or the disk failed.
        case unavailable
    }

    /// Reads a file that must have `size` bytes.
    static func read(_ path: String, size: Int) -> Reading {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(errno) ? .wrong : .unavailable }
        defer { close(file) }
        var status = stat()
        // Check the size before allocating memory, because the size in the index may be damaged and huge.
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == size else {
            return .wrong
        }
        guard size > 0 else { return .data(Data()) }
        guard let memory = malloc(size) else { return .unavailable }
        guard SystemCall.transfer(size, { Glibc.read(file, memory + $0, $1) }) == 0 else {
            free(memory)
            return .unavailable
        }
        return .data(Data(bytesNoCopy: memory, count: size, deallocator: .free))
    }

    /// Returns the names in a folder; empty if the folder cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// Removes the shard folders in `folder` and their files. Does not follow symbolic links.
    static func remove(_ folder: String) {
        for shard in names(in: folder) {
            for name in names(in: folder + "/" + shard) { unlink(folder + "/" + shard + "/" + name) }
            if rmdir(folder + "/" + shard) != 0 { unlink(folder + "/" + shard) }
        }
        rmdir(folder)
    }

    private static func create(_ path: String) -> Int32 {
        open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW | O_CLOEXEC, 0o600)
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: Int32) -> Int32 {
        SystemCall.transfer(bytes.count) { Glibc.write(file, bytes.baseAddress! + $0, $1) }
    }
}
