public import Foundation

extension WebImageError: CustomStringConvertible, LocalizedError {
    /// A description of the failure in one line: "*kind* (*code*) at *stage* of *URL*: *cause*. *Next step*".
    /// Missing parts are omitted. Each failure of an earlier source follows after "Before:".
    public var description: String {
        var line = "\(code.words) (\(code.rawValue)) at \(stage.rawValue)"
        if let url { line += " of \(url.redacted)" }
        if let underlying { line += ": \(underlying)" }
        if let hint { line += ". \(hint)" }
        for failure in earlierFailures { line += " Before: \(failure)" }
        return line
    }

    /// The same line as ``description``.
    public var errorDescription: String? { description }

    /// The names and values that a log record of this error contains. The values contain no secrets.
    package var logMetadata: [String: String] {
        var metadata = ["error.type": "\(code)", "webimage.error.stage": stage.rawValue]
        metadata["server.address"] = url?.host?.lowercased()
        return metadata
    }

    /// Whether the error was caused by a cancellation.
    public var isCancellation: Bool { code == .cancelled }
}

extension WebImageError.Code {
    /// The kind of failure as text.
    public var words: String {
        switch self {
        case .invalidURL: "invalid URL"
        case .badImageData: "not a readable picture"
        case .cacheNotModified: "not modified"
        case .blackListed: "failed before and not tried again"
        case .limitExceeded: "over a limit"
        case .encodingFailed: "cannot be encoded"
        case .fileSystem: "file system failure"
        case .notCached: "not in the cache"
        case .unsupportedFormat: "a format no coder reads"
        case .outOfMemory: "out of memory"
        case .decoderFailed: "decoder process failed"
        case .sandboxUnavailable: "no decoder process can be started"
        case .noPreview: "a page without a picture"
        case .invalidDownloadOperation: "no download possible"
        case .invalidDownloadStatusCode: "unacceptable HTTP status"
        case .cancelled: "cancelled"
        case .invalidDownloadResponse: "unacceptable response"
        case .invalidDownloadContentType: "unacceptable content type"
        case .transport: "connection failed"
        }
    }
}

extension WebImageError.Underlying: CustomStringConvertible {
    /// The cause, with the message of the component that reported it.
    public var description: String {
        switch self {
        case .curl(let code, let message): "curl \(code): \(message)"
        case .codec(let library, let message): "\(library): \(message)"
        case .posix(let errno, let message): "errno \(errno): \(message)"
        case .http(let status): "HTTP \(status)"
        case .limit(let limit, let actual, let allowed):
            actual == .max ? "\(limit.rawValue) over \(allowed)" : "\(limit.rawValue) \(actual) over \(allowed)"
        case .sqlite(let code, let message): "sqlite \(code): \(message)"
        case .message(let message): message
        }
    }
}

extension URL {
    /// The URL without user, password, query and fragment, because these parts can contain secrets. `?…` replaces a
    /// query. `data:…` replaces a whole data URL.
    public var redacted: String {
        if scheme?.lowercased() == "data" { return "data:…" }
        guard var parts = URLComponents(url: self, resolvingAgainstBaseURL: false) else { return "(unreadable URL)" }
        parts.user = nil
        parts.password = nil
        let hadQuery = parts.query != nil
        parts.query = nil
        parts.fragment = nil
        return (parts.string ?? "(unreadable URL)") + (hadQuery ? "?…" : "")
    }
}
