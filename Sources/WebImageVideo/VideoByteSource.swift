public import Foundation
public import WebImageCore

/// The bytes of a video that are read in parts, such as those of a file, or of an answer of a server.
///
/// Of a large video, a poster needs about one megabyte: the header, which can be at the end, and the first key frames.
public struct VideoByteSource: Sendable {
    /// The number of bytes of the whole video.
    public let byteCount: Int
    let read: @Sendable (Range<Int>) throws(WebImageError) -> Data

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - byteCount: The number of bytes of the whole video.
    ///   - read: Returns the bytes of a range, which is not empty, ends within the video and has at most 32 KiB. It may
    ///     return fewer bytes, but at least one. It is called on the thread that decodes, and may block it. An error ends
    ///     the decode and is its error.
    public init(byteCount: Int, read: @escaping @Sendable (Range<Int>) throws(WebImageError) -> Data) {
        (self.byteCount, self.read) = (byteCount, read)
    }

    /// Opens a file, which must not become shorter while it is read.
    ///
    /// - Throws: `.fileSystem` if the file cannot be opened.
    public init(contentsOf file: URL) throws(WebImageError) {
        let opened = try OpenFile(file)
        self.init(byteCount: opened.byteCount) { range throws(WebImageError) in try opened.bytes(range) }
    }
}

/// Owns the descriptor of an open file.
private final class OpenFile: Sendable {
    let byteCount: Int
    private let descriptor: Int32
    private let file: URL

    init(_ file: URL) throws(WebImageError) {
        descriptor = SystemCall.retrying { open(file.path, O_RDONLY | O_CLOEXEC) }
        self.file = file
        guard descriptor >= 0 else { throw .posix(errno, stage: .decode, url: file) }
        let end = lseek(descriptor, 0, SEEK_END)
        guard end >= 0 else {
            let error = WebImageError.posix(errno, stage: .decode, url: file)
            close(descriptor)
            throw error
        }
        byteCount = Int(end)
    }

    deinit { close(descriptor) }

    func bytes(_ range: Range<Int>) throws(WebImageError) -> Data {
        var data = Data(count: range.count)
        let count = data.withUnsafeMutableBytes { buffer in
            SystemCall.retrying { pread(descriptor, buffer.baseAddress, range.count, off_t(range.lowerBound)) }
        }
        guard count >= 0 else { throw .posix(errno, stage: .decode, url: file) }
        return data.prefix(count)
    }
}
