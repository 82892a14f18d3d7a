import Foundation
import WebImageCore

/// Owns a file without a name, so that nothing remains on disk when the process ends or crashes.
///
/// Written bytes are never changed, and no other process can truncate the file; this makes mapping them safe.
final class UnnamedFile: Sendable {
    private let descriptor: Int32

    /// Creates the file, and the folder when it is missing; nil on failure.
    init?(in folder: String) {
        guard PrivateFolder.make(folder) else { return nil }
        // The file has a name only between these two calls, because not every file system supports `O_TMPFILE`. A
        // process killed in between leaves an empty file, which the resume store removes when it trims.
        let path = folder + "/\(UInt64.random(in: .min ... .max)).tmp"
        descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return nil }
        unlink(path)
        HandleLedger.opened("unnamed file")
    }

    deinit {
        // Also called when `init` returns nil; then there may be no descriptor.
        guard descriptor >= 0 else { return }
        close(descriptor)
        HandleLedger.closed("unnamed file")
    }

    /// Writes all bytes; false when the system reports an error.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Bool {
        var rest = bytes[...]
        var offset = offset
        while !rest.isEmpty {
            let count = pwrite(
                descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count, off_t(offset))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
            offset += count
        }
        return true
    }

    /// Returns a copy of some of its bytes.
    func read(_ range: Range<Int>) throws(WebImageError) -> Data {
        var data = Data(count: range.count)
        var done = 0
        var failure: Int32 = 0
        data.withUnsafeMutableBytes { target in
            while done < target.count, failure == 0 {
                let count = pread(
                    descriptor, target.baseAddress! + done, target.count - done, off_t(range.lowerBound + done))
                if count < 0, errno == EINTR { continue }
                if count > 0 { done += count } else { failure = count < 0 ? errno : EIO }
            }
        }
        guard failure == 0 else { throw Self.error(failure) }
        return data
    }

    /// Returns its first bytes, mapped; the system can reclaim this memory at any time.
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

/// Folders that only this user can access.
enum PrivateFolder {
    /// Creates the folder when it is missing; false on failure.
    static func make(_ path: String) -> Bool {
        if mkdir(path, 0o700) == 0 || errno == EEXIST { return true }
        let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
        return
            (try? FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: attributes)) != nil
    }
}
