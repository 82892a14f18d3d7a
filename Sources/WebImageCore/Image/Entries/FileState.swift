package import Foundation

/// The device, inode number, size and times of a regular file. At least one of these values changes when the file
/// changes. An image that was read from a `file:` URL belongs to one state of the file.
///
/// A class, because the key of every load has a place for it, and most loads have none.
package final class FileState: Sendable {
    private struct Values: Hashable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var modified: SIMD2<Int>
        var changed: SIMD2<Int>
    }

    private let values: Values

    /// Reads the state of the file that a URL names. Nil if the URL has another scheme, or if the path is not that of a
    /// regular file. Costs one call of `stat`.
    package convenience init?(_ url: URL) {
        guard url.isFileURL else { return nil }
        self.init(fileURL: url, text: url.absoluteString)
    }

    /// - Parameter text: The text of the URL, whose scheme is `file`. Each hit in memory reads a state, so that the path is
    ///   taken from the text if it can be: Foundation's parts of a URL take longer than `stat`.
    package init?(fileURL url: URL, text: String) {
        let known = text.utf8.withContiguousStorageIfAvailable { Self.readPlain($0) } ?? nil
        guard let read = known ?? Self.path(of: url).map({ Self.read($0) }), let values = read else { return nil }
        self.values = values
    }

    /// - Parameter path: The path as a C string. The bytes of a path need not be UTF-8.
    package init?(path: [CChar]) {
        guard let values = Self.read(path) else { return nil }
        self.values = values
    }

    private static func read(_ path: UnsafePointer<CChar>) -> Values? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Values(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
            modified: [status.st_mtim.tv_sec, status.st_mtim.tv_nsec],
            changed: [status.st_ctim.tv_sec, status.st_ctim.tv_nsec])
    }

    /// Reads the state of the file of a URL that begins with `file:///` and has none of `%`, `?` and `#`. Nil for another
    /// URL; a nil state if there is no such regular file.
    private static func readPlain(_ url: UnsafeBufferPointer<UInt8>) -> Values?? {
        guard let start = url.baseAddress, url.count > 8, memcmp(start, "file:///", 8) == 0,
            memchr(start, 0x25, url.count) == nil, memchr(start, 0x3F, url.count) == nil,
            memchr(start, 0x23, url.count) == nil
        else { return nil }
        let count = url.count - 7
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: count + 1) { path -> Values? in
            guard let place = path.baseAddress else { return nil }
            memcpy(place, start + 7, count)
            path[count] = 0
            return read(place)
        }
    }

    /// The state as text, for the metadata of an entry.
    package var text: String {
        let (modified, changed) = (values.modified, values.changed)
        return "file \(values.device) \(values.inode) \(values.size) "
            + "\(modified[0]).\(modified[1]) \(changed[0]).\(changed[1])"
    }

    /// Whether the file was changed in the current tick of the kernel's clock, which takes up to 10 ms. A further
    /// change within the same tick does not change the times.
    package var isOfThisTick: Bool {
        var now = timespec()
        guard clock_gettime(CLOCK_REALTIME_COARSE, &now) == 0 else { return false }
        let age = (now.tv_sec - values.changed[0]) * 1_000_000_000 + now.tv_nsec - values.changed[1]
        // The clock of a file server may be ahead.
        return age <= 0 && age > -1_000_000_000
    }
}

extension FileState: Hashable {
    package static func == (left: FileState, right: FileState) -> Bool { left.values == right.values }
    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}

// Paths.
extension FileState {
    /// The path of a `file:` URL as a C string; nil if the URL has no absolute path.
    package static func path(of url: URL) -> [CChar]? {
        guard let path = bytes(of: url.path(percentEncoded: true)), path.first == UInt8(ascii: "/"), !path.contains(0)
        else { return nil }
        return path.map { CChar(bitPattern: $0) } + [0]
    }

    /// Decodes percent escapes to bytes; nil if an escape is damaged. The bytes need not be UTF-8, because a file name
    /// on Linux can be any bytes. GIO writes such a name as escapes.
    private static func bytes(of path: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(path.utf8.count)
        var rest = path.utf8.makeIterator()
        while let byte = rest.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.next().flatMap({ Character(UnicodeScalar($0)).hexDigitValue }),
                let low = rest.next().flatMap({ Character(UnicodeScalar($0)).hexDigitValue })
            else { return nil }
            bytes.append(UInt8(high << 4 | low))
        }
        return bytes
    }
}
