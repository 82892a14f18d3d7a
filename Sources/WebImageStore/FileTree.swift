import Foundation

/// The value files under a cache's folder: written completely or not at all, listed without Foundation's overhead.
enum FileTree {
    /// Creates a new file. Returns `errno` or 0; an incomplete file is removed.
    ///
    /// Uses the final name at once: no reader looks for the file before a committed row names it. A temporary name
    /// would cost a rename, a fifth of the time at 64 KB.
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
        /// The file is absent, of another size, or not a plain file; a later attempt gives the same result.
        case wrong
        /// The file cannot be read now: no descriptors, no memory, a failing disk.
        case unavailable
    }

    /// Reads a file that must have `size` bytes.
    static func read(_ path: String, size: Int) -> Reading {
        let file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return [ENOENT, ENOTDIR, ELOOP, ENXIO].contains(errno) ? .wrong : .unavailable }
        defer { close(file) }
        var status = stat()
        // The size is checked before memory is allocated, because the index may be the damaged one.
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, Int(status.st_size) == size else {
            return .wrong
        }
        guard size > 0 else { return .data(Data()) }
        guard let memory = malloc(size) else { return .unavailable }
        var done = 0
        while done < size {
            let count = Glibc.read(file, memory + done, size - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                free(memory)
                return .unavailable
            }
            done += count
        }
        return .data(Data(bytesNoCopy: memory, count: size, deallocator: .free))
    }

    /// The names in a folder; empty when it cannot be read.
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

    /// Removes the shards under `folder` and what is in them; follows no links.
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
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(file, bytes.baseAddress! + done, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 ? EIO : errno }
            done += count
        }
        return 0
    }
}
