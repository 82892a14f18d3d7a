import Foundation
import WebImage

/// Reads the encoded bytes of pictures. An operand specifies each picture: a URL, a file path, or `-` for standard
/// input.
enum InputSource {
    static let standardInput = "-"

    /// Returns the URL of an operand. An operand without a scheme is the path of a file.
    static func url(_ operand: String) -> URL {
        if let url = URL(string: operand), let scheme = url.scheme, scheme.count > 1 { return url }
        return URL(fileURLWithPath: operand)
    }

    /// Reads the encoded bytes of the picture of an operand. Reads standard input for `-`, and otherwise uses the
    /// shared loaders.
    static func data(
        _ operand: String, limits: DecodingLimits, requests: RequestFlags
    ) async throws(WebImageError) -> Data {
        if operand == standardInput { return try await StandardInput.data(limit: limits.maxEncodedBytes) }
        var context = requests.context
        context[.decodingLimits] = limits
        return try await ImageLoadersManager.shared.loadData(
            for: ImageDataLoad(url: url(operand), context: context), progress: nil
        ).data
    }
}

/// Reads standard input.
enum StandardInput {
    private static let url = URL(fileURLWithPath: "/dev/stdin")

    /// Reads to the end on a separate thread, because reading can block for an unlimited time.
    ///
    /// - Throws: The errors of ``read(atMost:isCancelled:)``, or an error that reports an empty body if standard input
    ///   is empty.
    static func data(limit: Int) async throws(WebImageError) -> Data {
        let isCancelled = Locked(false)
        return try await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                Thread.detachNewThread {
                    let result = Result { () throws(WebImageError) in
                        let data = try read(atMost: limit) { isCancelled.withLock { $0 } }
                        guard !data.isEmpty else { throw .emptyBody(url) }
                        return data
                    }
                    continuation.resume(returning: result)
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
        }.get()
    }

    /// Reads to the end. Blocks until standard input ends or `isCancelled` returns true.
    ///
    /// - Throws: `.limitExceeded` if standard input contains more than `limit` bytes, `.fileSystem` if a read fails,
    ///   `.cancelled` if `isCancelled` returns true.
    static func read(atMost limit: Int, isCancelled: () -> Bool = { false }) throws(WebImageError) -> Data {
        var data = Data()
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            guard !isCancelled() else { throw .cancelled }
            // Wait with a time limit, so that an interrupt ends the command even if no byte arrives.
            var ready = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            if poll(&ready, 1, 100) == 0 { continue }
            let count = Foundation.read(STDIN_FILENO, &piece, piece.count)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            guard count >= 0 else { throw .posix(errno, stage: .download, url: url, hint: "Pipe a picture in.") }
            if count == 0 { return data }
            guard count <= limit - data.count else {
                throw .limit(.encodedBytes, actual: .max, allowed: limit, stage: .download).with(url: url)
            }
            data.append(contentsOf: piece[..<count])
        }
    }
}
