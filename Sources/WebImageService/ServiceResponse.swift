public import Foundation
import WebImageCore

/// The answer to a ``ServiceRequest`` and the log entry of the work that made it.
///
/// The server adds only the fields of the connection (`Date`, `Connection`, `Content-Length`, `Transfer-Encoding`). For
/// `HEAD`, the body is the same as for `GET`: the server sends the length of the body but not its bytes.
public struct ServiceResponse: Sendable {
    /// The bytes to send.
    public enum Body: Sendable {
        /// No bytes.
        case none
        /// Bytes in memory.
        case bytes(Data)
        /// A part of an open file, for `sendfile(2)`.
        case file(ServiceFile, Range<Int>)
        /// Bytes of an untouched source that still arrive, if ``ServiceRequest/arrivingBodies`` allows them.
        case arriving(ArrivingBody)

        /// The number of bytes, for `Content-Length`; for a body that arrives, the number of bytes that were taken, and
        /// ``ArrivingBody/byteCount`` is the length.
        public var count: Int {
            switch self {
            case .none: 0
            case .bytes(let data): data.count
            case .file(_, let range): range.count
            case .arriving(let body): body.takenCount
            }
        }

        /// Whether there are no bytes to send. Bodies that arrive have bytes.
        var isEmpty: Bool { if case .arriving = self { false } else { count == 0 } }
    }

    /// The status code.
    public var status: Int
    /// The fields of the head, without the fields of the connection.
    public var headers: ServiceHeaders
    /// The bytes to send.
    public var body: Body
    /// What logs and metrics contain about the request.
    public var logEntry: ServiceLogEntry

    /// Creates an answer.
    public init(
        status: Int, headers: ServiceHeaders = [:], body: Body = .none, logEntry: ServiceLogEntry = ServiceLogEntry()
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.logEntry = logEntry
    }
}

/// An open regular file. It is closed when the last reference to this object is released.
public final class ServiceFile: Sendable {
    /// The descriptor, open for reading and owned by this object. A server that closes descriptors after sending must
    /// send from a duplicate of this descriptor.
    public let descriptor: Int32
    /// The size in bytes at the time of opening.
    public let byteCount: Int

    /// Opens a regular file; nil if the file cannot be opened, is a symbolic link or is not a regular file. Blocks.
    public convenience init?(path: String) {
        do throws(WebImageError) { try self.init(name: path, in: AT_FDCWD) } catch { return nil }
    }

    /// Opens a regular file by its name in an open folder.
    ///
    /// - Throws: `.fileSystem` with the system's `errno`, or with `ENOENT` if the opened file is not a regular file.
    init(name: String, in folder: Int32) throws(WebImageError) {
        let descriptor = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw .posix(errno, stage: .download) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw .posix(ENOENT, stage: .download)
        }
        self.descriptor = descriptor
        byteCount = Int(status.st_size)
    }

    deinit { close(descriptor) }

    /// Identifies the current content of the file: its device, number, size and times of change. A file that was
    /// replaced or written has another version. Nil if the system cannot report these values.
    var version: String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
        return "\(status.st_dev)-\(status.st_ino)-\(status.st_size)-\(times.joined(separator: "-"))"
    }

    /// Reads the bytes of a range. Returns fewer bytes if the file was truncated after opening or cannot be read.
    /// Blocks.
    public func bytes(in range: Range<Int>) -> Data {
        var data = Data(count: range.count)
        let count = data.withUnsafeMutableBytes { buffer in
            var total = 0
            while total < buffer.count {
                let part = pread(
                    descriptor, buffer.baseAddress! + total, buffer.count - total, off_t(range.lowerBound + total))
                if part < 0, errno == EINTR { continue }
                guard part > 0 else { break }
                total += part
            }
            return total
        }
        return count == data.count ? data : data.prefix(count)
    }
}
