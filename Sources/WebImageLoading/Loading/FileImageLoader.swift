package import Foundation
public import WebImageCore

/// Loads `file:` URLs. The loader reads only regular files, never pipes or devices. It enforces a byte limit during the
/// read.
///
/// Reads run on separate threads, not on Swift's cooperative pool. Files are never mapped into memory, because the
/// process would crash if another process truncated a mapped file.
public final class FileImageLoader: ImageLoader {
    /// The loader accepts only `file:` URLs.
    public let capabilities = LoaderCapabilities(ownSchemes: ["file"])

    /// Creates a loader. A loader has no state.
    public init() {}

    /// Always returns false. Another attempt does not use the network, and it succeeds if the file has been repaired in
    /// the meantime. Therefore it is not useful to block the URL.
    public func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }

    /// Reads the file. If the file is unchanged since ``ImageDataLoad/cached`` was stored, returns the cached bytes
    /// without a read.
    ///
    /// - Throws: `.fileSystem` with the `errno` if the file cannot be read, `.limitExceeded` if the file exceeds the
    ///   byte limit, `.invalidURL` if the URL has no absolute path on this machine, `.badImageData` if the file is
    ///   empty, `.cancelled` after a cancel.
    public func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let path = try Self.path(of: load.url)
        return try await LoaderQueue.run(load) { isCancelled in
            do throws(WebImageError) {
                let reading = FileReading(url: load.url, path: path, maxBytes: load.maxEncodedBytes)
                let state = reading.state
                if let cached = load.cached, let state, cached.metadata == state {
                    return .success(Self.result(cached.data, url: load.url, state: state, isNotModified: true))
                }
                let data = try reading.bytes(progress: progress, isCancelled: isCancelled)
                return .success(
                    Self.result(data, url: load.url, state: state, isNotModified: data == load.cached?.data))
            } catch {
                return .failure(error)
            }
        }
    }

    private static func result(_ data: Data, url: URL, state: Data?, isNotModified: Bool) -> ImageDataResult {
        let response = WebImageResponse(url: url, expectedContentLength: data.count)
        var result = ImageDataResult(data: data, response: response)
        result.isNotModified = isNotModified
        result.metadata = state
        return result
    }

    /// The path of a URL as a C string.
    private static func path(of url: URL) throws(WebImageError) -> [CChar] {
        func invalid(_ problem: String, _ hint: String) -> WebImageError {
            WebImageError(.invalidURL, stage: .request, url: url, underlying: .message(problem), hint: hint)
        }
        if let host = url.host(), !host.isEmpty, host.lowercased() != "localhost" {
            throw invalid("the file is on the host \(host)", "Use a path on this machine.")
        }
        guard let path = FileState.path(of: url) else {
            throw invalid("the path is not absolute", "Create the URL with URL(fileURLWithPath:).")
        }
        return path
    }
}

/// One read of one file.
private struct FileReading {
    let url: URL
    /// The path as a C string. The bytes of a path need not be UTF-8.
    let path: [CChar]
    let maxBytes: Int

    /// The state of the file as metadata. Nil when the path is not a regular file or its status cannot be read.
    ///
    /// Waits until a further change of the file would change its state, which takes up to 10 ms after a change. Otherwise
    /// bytes that are written later could have the same state as the bytes that are read now, and an image would stay in
    /// memory although its file was edited.
    var state: Data? {
        var state = FileState(path: path)
        for _ in 0..<20 where state?.isOfThisTick == true {
            usleep(1000)
            state = FileState(path: path)
        }
        return state.map { Data($0.text.utf8) }
    }

    func bytes(
        progress: ImageLoaderProgressBlock?, isCancelled: () -> Bool
    ) throws(WebImageError) -> Data {
        // Check the path before `open`, because `open` has side effects on some devices. Check the descriptor after
        // `open`, because the file may have been replaced between the first check and `open`.
        try checkIsRegular { stat(path, &$0) }
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw posix(errno) }
        defer { close(descriptor) }
        let size = try checkIsRegular { fstat(descriptor, &$0) }
        guard size <= maxBytes else { throw limit(actual: size) }
        progress?(0, size, url)
        return try readAll(descriptor, size: size, progress: progress, isCancelled: isCancelled)
    }

    @discardableResult
    private func checkIsRegular(_ look: (inout stat) -> Int32) throws(WebImageError) -> Int {
        var status = stat()
        guard look(&status) == 0 else { throw posix(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: return Int(status.st_size)
        case S_IFDIR: throw posix(EISDIR)
        default:
            throw WebImageError(
                .fileSystem, stage: .download, url: url, underlying: .message("not a regular file"),
                hint: "Pipes, sockets and devices are not read; copy the data into a file.")
        }
    }

    /// Reads to the end of the file. A read of `size` bytes is not sufficient, because files that the kernel generates
    /// (`/proc`) report the size 0.
    private func readAll(
        _ descriptor: Int32, size: Int, progress: ImageLoaderProgressBlock?, isCancelled: () -> Bool
    ) throws(WebImageError) -> Data {
        // Allocate one byte more than the size. The last `read`, which returns 0, requires free space in the buffer.
        // Without the additional byte, the buffer would grow before the last `read`.
        guard var buffer = FileBuffer(capacity: size == 0 ? Self.pieceBytes : size + 1) else { throw posix(ENOMEM) }
        var total = 0
        while true {
            guard !isCancelled() else { throw .cancelled.with(url: url) }
            if total == buffer.capacity {
                guard let larger = buffer.grown(keeping: total) else { throw posix(ENOMEM) }
                buffer = larger
            }
            let count = SystemCall.retrying {
                read(descriptor, buffer.start + total, min(buffer.capacity - total, Self.pieceBytes))
            }
            guard count >= 0 else { throw posix(errno) }
            if count == 0 { break }
            guard count <= maxBytes - total else { throw limit(actual: .max) }
            total += count
            progress?(total, size, url)
        }
        guard total > 0 else { throw .emptyBody(url) }
        return buffer.data(total)
    }

    /// The maximum number of bytes per call of `read` (1 MiB). After each call, the loader reports progress and
    /// checks for a cancel.
    private static let pieceBytes = 1 << 20

    private func limit(actual: Int) -> WebImageError {
        WebImageError.limit(.encodedBytes, actual: actual, allowed: maxBytes, stage: .download).with(url: url)
    }

    private func posix(_ number: Int32) -> WebImageError {
        let hint =
            switch number {
            case ENOENT, ENOTDIR: "Check the path."
            case EACCES, EPERM: "The program may not read this file; check its permissions."
            case EISDIR: "The path names a folder; name a file."
            case ELOOP: "The path contains a loop of symbolic links."
            case EMFILE, ENFILE: "Too many files are open; raise the limit (ulimit -n)."
            default: "See the system's error message."
            }
        return .posix(number, stage: .download, url: url, hint: hint)
    }
}

/// The buffer into which a file is read. The resulting `Data` usually uses the memory of the buffer, to avoid clearing
/// and copying bytes.
private final class FileBuffer {
    let start: UnsafeMutableRawPointer
    let capacity: Int

    /// Allocates a buffer; nil if the allocation fails.
    init?(capacity: Int) {
        guard let start = malloc(capacity) else { return nil }
        (self.start, self.capacity) = (start, capacity)
    }

    deinit { free(start) }

    /// Returns a buffer of twice the capacity that contains the first `count` bytes; nil if the allocation fails.
    /// This is necessary if a file is longer than its reported size.
    func grown(keeping count: Int) -> FileBuffer? {
        guard let larger = FileBuffer(capacity: capacity * 2) else { return nil }
        larger.start.copyMemory(from: start, byteCount: count)
        return larger
    }

    /// Returns the first `count` bytes. Do not write to the buffer afterwards, because the result usually shares the
    /// memory of the buffer.
    func data(_ count: Int) -> Data {
        // Copy short content, to release the buffer. For example, a file in `/proc` often has only a few bytes, but
        // its buffer has 1 MiB.
        if count < capacity / 2 { return Data(bytes: start, count: count) }
        return Data(
            bytesNoCopy: start, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }
}

extension WebImageError {
    /// The error of a load that succeeded but returned no bytes.
    package static func emptyBody(_ url: URL) -> WebImageError {
        WebImageError(
            .badImageData, stage: .download, url: url, underlying: emptyBodyCause,
            hint: "Check what the server sent or the file contains.")
    }

    static let emptyBodyCause = Underlying.message("the data is empty")
}
