import Foundation
import WebImage

/// Writes output files. A file is written completely or not at all.
enum OutputFile {
    static let standardOutput = "-"
    /// The permissions of an output, before the user's mask is applied. Only such a file keeps those of the file that it
    /// replaces.
    private static let usualMode: mode_t = 0o666

    /// Writes data to a file, or to standard output if the path is `-`.
    ///
    /// - Parameters:
    ///   - replaces: Whether an existing file is replaced. If false, the write fails and the existing file does not
    ///     change.
    ///   - mode: The permissions of the file, before the user's mask is applied.
    static func write(
        _ data: Data, to path: String, replaces: Bool = true, mode: mode_t = usualMode
    ) throws(WebImageError) {
        try write(to: path, replaces: replaces, mode: mode) { descriptor throws(WebImageError) in
            let outcome = data.withUnsafeBytes { bytes in
                Result { () throws(WebImageError) in try writeAll(bytes, to: descriptor, path: path) }
            }
            try outcome.get()
        }
    }

    /// Writes the rows of a pixel buffer without the padding that rows have in memory.
    static func writeRows(of pixels: PixelBuffer, to path: String, replaces: Bool) throws(WebImageError) {
        let rowBytes = pixels.width * pixels.format.bytesPerPixel
        try write(to: path, replaces: replaces) { descriptor throws(WebImageError) in
            try pixels.withUnsafeBytes { bytes throws(WebImageError) in
                guard pixels.bytesPerRow != rowBytes else { return try writeAll(bytes, to: descriptor, path: path) }
                // Collect rows, so that there is one write per MiB instead of one write per row.
                let rowsAtOnce = max(1, (1 << 20) / rowBytes)
                let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: rowsAtOnce * rowBytes, alignment: 64)
                defer { packed.deallocate() }
                for first in stride(from: 0, to: pixels.height, by: rowsAtOnce) {
                    let count = min(rowsAtOnce, pixels.height - first)
                    for row in 0..<count {
                        let source = bytes.baseAddress! + (first + row) * pixels.bytesPerRow
                        memcpy(packed.baseAddress! + row * rowBytes, source, rowBytes)
                    }
                    try writeAll(
                        UnsafeRawBufferPointer(rebasing: packed[..<(count * rowBytes)]), to: descriptor, path: path)
                }
            }
        }
    }

    /// Creates a folder and the folders above it if they are missing.
    ///
    /// - Parameter mode: The permissions of created folders, before the user's mask is applied.
    static func makeFolder(_ path: String, mode: mode_t = 0o777) throws(WebImageError) {
        let number = PathCalls.makeFolder(path, mode: mode)
        guard number == 0 else { throw failure(path, number, hint: "The folder cannot be made; name another one.") }
    }

    /// Returns the error for an output file that already exists.
    ///
    /// - Parameter canSkip: Whether the command has the option `--skip-existing`.
    static func exists(_ path: String, canSkip: Bool = true) -> WebImageError {
        failure(
            path, EEXIST, hint: "Use --overwrite to replace it" + (canSkip ? ", or --skip-existing to keep it." : "."))
    }

    /// The temporary files of this process.
    private struct Temporaries {
        /// The number of files that were created so far.
        var count = 0
        /// The paths of the files that exist.
        var paths: Set<[CChar]> = []
    }

    private static let temporaries = Locked(Temporaries())

    /// Removes the temporary files that exist. A process that ends at once calls this function before.
    static func removeTemporaries() {
        temporaries.withLock { $0.paths.forEach { unlink($0) } }
    }

    /// Replaces the content of a file that exists.
    ///
    /// - Parameter prepare: Called with the descriptor of the complete new file, before it gets its name. An error of it
    ///   leaves the old file alone.
    static func replace(
        _ path: String, with data: Data, prepare: (Int32) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        try write(to: path, replaces: true, mode: 0o600) { descriptor throws(WebImageError) in
            let outcome = data.withUnsafeBytes { bytes in
                Result { () throws(WebImageError) in try writeAll(bytes, to: descriptor, path: path) }
            }
            try outcome.get()
            try prepare(descriptor)
        }
    }

    /// Writes a file under a temporary name and then renames the file. An interrupted command thus leaves no partial
    /// picture under the final name. A file that is replaced keeps its permissions, and a link the file that it leads to; a pipe
    /// or a device receives the bytes.
    private static func write(
        to path: String, replaces: Bool, mode: mode_t = usualMode, _ body: (Int32) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        guard path != standardOutput else { return try body(STDOUT_FILENO) }
        let existing = replaces ? ExistingOutput(path) : nil
        if existing?.isStream == true { return try writeStream(path, body) }
        let final = existing?.path ?? RawText.cString(path)
        let temporary = makeTemporaryPath(beside: final)
        defer { temporaries.withLock { _ = $0.paths.remove(temporary) } }
        let permissions = mode == usualMode ? existing?.permissions : nil
        let descriptor = open(
            temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, permissions.map { mode & $0 } ?? mode)
        guard descriptor >= 0 else { throw failure(path) }
        do throws(WebImageError) {
            try body(descriptor)
        } catch {
            close(descriptor)
            unlink(temporary)
            throw error
        }
        // Not all file systems have permissions.
        if let permissions { fchmod(descriptor, permissions) }
        guard close(descriptor) == 0, replaces ? rename(temporary, final) == 0 : place(temporary, final) else {
            let error = errno == EEXIST ? exists(path) : failure(path)
            unlink(temporary)
            throw error
        }
    }

    /// Names a file in the folder of an output. The name does not contain that of the output, which can already have the
    /// maximum length.
    private static func makeTemporaryPath(beside final: [CChar]) -> [CChar] {
        let folder = final.lastIndex(of: CChar(UInt8(ascii: "/"))).map { final[...$0] } ?? []
        return temporaries.withLock { temporaries in
            temporaries.count += 1
            let path = folder + RawText.cString(".webimage-\(getpid())-\(temporaries.count).part")
            temporaries.paths.insert(Array(path))
            return Array(path)
        }
    }

    private static func writeStream(
        _ path: String, _ body: (Int32) throws(WebImageError) -> Void
    ) throws(WebImageError) {
        let descriptor = open(RawText.cString(path), O_WRONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        try body(descriptor)
    }

    /// Moves the temporary file to its final name. Fails if the name is in use. Creates a hard link, because a rename
    /// would replace an existing file.
    private static func place(_ temporary: [CChar], _ path: [CChar]) -> Bool {
        if link(temporary, path) == 0 {
            unlink(temporary)
            return true
        }
        // Some file systems do not support hard links. On these, check for the file and then rename.
        guard errno == EPERM || errno == ENOTSUP || errno == ENOSYS else { return false }
        guard access(path, F_OK) != 0 else {
            errno = EEXIST
            return false
        }
        return rename(temporary, path) == 0
    }

    private static func writeAll(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, path: String
    ) throws(WebImageError) {
        let error = SystemCall.transfer(bytes.count) { Foundation.write(descriptor, bytes.baseAddress! + $0, $1) }
        guard error == 0 else { throw failure(path, error) }
    }

    private static func failure(
        _ path: String, _ number: Int32 = errno, hint: String? = nil
    ) -> WebImageError {
        let usual =
            switch number {
            case ENOENT: "The folder does not exist; make it, or name another one."
            case EISDIR: "This is a folder; name a file."
            case ENAMETOOLONG: "Choose a shorter name."
            case ENOSPC: "The disk is full."
            default: "Name a file that can be written."
            }
        return .posix(number, stage: .store, url: URL(fileURLWithPath: path), hint: hint ?? usual)
    }
}

/// What an output replaces.
private struct ExistingOutput {
    /// The path of the file, without links.
    let path: [CChar]
    let permissions: mode_t
    /// Whether it is a pipe or a device, whose place no file can take.
    let isStream: Bool

    /// Nil if there is nothing, or something that no output can replace.
    init?(_ path: String) {
        let name = RawText.cString(path)
        var facts = stat()
        guard stat(name, &facts) == 0, let resolved = realpath(name, nil) else { return nil }
        defer { free(resolved) }
        self.path = Array(UnsafeBufferPointer(start: resolved, count: strlen(resolved) + 1))
        permissions = facts.st_mode & 0o777
        switch facts.st_mode & S_IFMT {
        case S_IFREG: isStream = false
        case S_IFIFO, S_IFCHR, S_IFBLK: isStream = true
        default: return nil
        }
    }
}
