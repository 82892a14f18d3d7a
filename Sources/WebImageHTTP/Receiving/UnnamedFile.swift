import Foundation
import WebImageCore

/// Owns a file without a name. The system frees the file when the process ends or crashes.
///
/// Mapping the file is safe, because written bytes are never changed and no other process can truncate the
/// file.
final class UnnamedFile: Sendable {
    private let descriptor: Int32

    /// Creates the file, and the folder if it is missing; nil on failure.
    init?(in folder: String) {
        guard PrivateFolder.make(folder) else { return nil }
        // The file has a name only between `open` and `unlink`. `O_TMPFILE` is not used, because not every file system
        // supports it. If the process is killed between the two calls, an empty file remains. In the default folder,
        // `ResumeStore` removes such files when they are too old.
        let path = folder + "/\(UInt64.random(in: .min ... .max)).tmp"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        HandleLedger.opened("unnamed file")
    }

    deinit {
        // `deinit` also runs when `init` returns nil. In this case the descriptor may be invalid.
        guard descriptor >= 0 else { return }
        close(descriptor)
        HandleLedger.closed("unnamed file")
    }

    /// Writes all bytes. Returns false if the system reports an error.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        SystemCall.transfer(bytes.count) { pwrite(descriptor, bytes.baseAddress! + $0, $1, off_t(offset + $0)) } == 0
    }

    /// Returns a copy of a range of the file's bytes.
    func read(_ range: Range<Int>) throws(WebImageError) -> Data {
        var data = Data(count: range.count)
        let failure = data.withUnsafeMutableBytes { target in
            SystemCall.transfer(target.count) {
                pread(descriptor, target.baseAddress! + $0, $1, off_t(range.lowerBound + $0))
            }
        }
        guard failure == 0 else { throw Self.error(failure) }
        return data
    }

    /// Returns the first bytes of the file, memory-mapped. If memory is short, the system frees mapped pages and later
    /// reads them again from the file.
    func mapped(_ count: Int) throws(WebImageError) -> Data {
        guard count > 0 else { return Data() }
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw Self.error(errno)
        }
        HandleLedger.opened("mapped body")
        return Data(
            bytesNoCopy: start, count: count,
            deallocator: .custom { start, count in
                munmap(start, count)
                HandleLedger.closed("mapped body")
            })
    }

    private static func error(_ number: Int32) -> WebImageError {
        .posix(number, stage: .download, url: nil, hint: "The disk of the cache folder may be failing.")
    }
}

/// Creates folders that only the current user can access.
enum PrivateFolder {
    /// Creates the folder if it is missing. Returns false on failure. The permissions of an existing folder are not
    /// changed.
    static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        return
            (try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: attributes)) != nil
    }
}
