import Foundation
import WebImage

/// Reads the encoded bytes of pictures. An operand specifies each picture: a URL, a file path, or `-` for standard
/// input.
enum InputSource {
    static let standardInput = "-"

    /// Returns the URL of an operand. An operand is a URL if it begins with a scheme and `://`, with `data:` or with
    /// `file:/`. Every other operand is the path of a file, even if the name contains a colon.
    static func url(_ operand: String) -> URL { address(operand) ?? URL(fileURLWithPath: operand) }

    /// The URL of an operand that is a URL; nil for the path of a file.
    private static func address(_ operand: String) -> URL? {
        isURL(operand) ? URL(webAddress: String(addressBytes: RawText.bytes(of: operand))) : nil
    }

    /// Returns the path of a local file. Nil if the operand is standard input or a URL that is not a file URL.
    static func localPath(_ operand: String) -> String? {
        guard operand != standardInput else { return nil }
        guard let url = address(operand) else { return operand }
        // The path of the URL would be empty if its bytes were not UTF-8.
        return url.isFileURL ? RawText.string(PercentEncoding.decoded(url.path(percentEncoded: true).utf8)) : nil
    }

    private static func isURL(_ operand: String) -> Bool {
        // Blanks and line ends around an address, as in a copied line, are no part of it.
        guard operand.utf8.contains(where: { $0 <= 0x20 }) else { return hasScheme(operand) }
        let marks = operand.utf8.drop { $0 <= 0x20 }.filter { !"\t\n\r".utf8.contains($0) }
        return hasScheme(String(decoding: marks, as: UTF8.self))
    }

    private static func hasScheme(_ operand: String) -> Bool {
        let scheme = operand.utf8.prefix { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
                || "+-.".utf8.contains(byte)
        }
        let rest = operand.utf8[scheme.endIndex...]
        guard rest.first == UInt8(ascii: ":"), let first = scheme.first,
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20
        else { return false }
        if rest.starts(with: "://".utf8) { return true }
        return switch operand[..<scheme.endIndex].lowercased() {
        case "data": true
        case "file": rest.starts(with: ":/".utf8)
        case "http", "https": rest.starts(with: ":\\\\".utf8)
        default: false
        }
    }

    /// Returns the URL that the path of a missing file was probably meant to be: a URL with one slash after its scheme,
    /// or a URL without its scheme, such as `example.org/a.jpg`. Nil for other paths.
    static func intendedURL(_ operand: String) -> String? {
        for scheme in ["http:/", "https:/"] where operand.lowercased().hasPrefix(scheme) && !isURL(operand) {
            return scheme + "/" + operand.dropFirst(scheme.count)
        }
        let parts = operand.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let host = parts.first, !isURL(operand), !PathCalls.exists(String(host)) else {
            return nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        let isHost =
            labels.count > 1 && (labels.last.map { $0.count > 1 && $0.allSatisfy(\.isLetter) } ?? false)
            && labels.allSatisfy { label in
                !label.isEmpty
                    && label.utf8.allSatisfy { byte in
                        UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                            || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-")
                    }
            }
        return isHost ? "https://" + operand : nil
    }

    /// Reads the encoded bytes of the picture of an operand. Reads standard input for `-`, and otherwise uses the
    /// shared loaders. Of a video on a server, the data can consist of the parts that `demand` needs.
    static func data(
        _ operand: String, limits: DecodingLimits, requests: RequestFlags, for demand: PictureDemand = .whole
    ) async throws(WebImageError) -> Data {
        if operand == standardInput { return try await StandardInput.data(limit: limits.maxEncodedBytes) }
        var source = url(operand)
        var descriptor: Int32 = -1
        if let path = localPath(operand), RawText.isRaw(path) {
            // A URL of Foundation cannot contain this name, so the file is opened here and named by its descriptor.
            descriptor = open(RawText.cString(path), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
            guard descriptor >= 0 else { throw .posix(errno, stage: .download, url: source, hint: "Check the path.") }
            source = URL(fileURLWithPath: "/proc/self/fd/\(descriptor)")
        }
        defer { if descriptor >= 0 { close(descriptor) } }
        let load = ImageDataLoad(requests.request(for: source, limits: limits))
        if let parts = try await VideoOnServer.parts(load, for: demand, limits: limits) { return parts }
        return try await ImageLoadersManager.shared.loadData(for: load, progress: nil).data
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
