public import Foundation

/// Why a load, a decode or a store failed: what happened, at which stage, caused by what, and what to do next.
public struct WebImageError: Error, Sendable {
    /// The kind of failure, with the original's numbers where it has one.
    public enum Code: Int, Sendable, Hashable {
        /// The URL is nil, empty or malformed.
        case invalidURL = 1000
        /// The data is no picture, a damaged one, or one of no pixels.
        case badImageData = 1001
        /// The server says that the cached picture is still the newest.
        case cacheNotModified = 1002
        /// The URL failed before for a reason of its own and `.retryFailed` is absent.
        case blackListed = 1003
        /// A limit of ``DecodingLimits`` or of the download fired (no number in the original).
        case limitExceeded = 1100
        /// The picture cannot be encoded (no number in the original).
        case encodingFailed = 1101
        /// A file or a cache folder cannot be read or written (no number in the original).
        case fileSystem = 1102
        /// A miss of a load that may not use the loader (the original completes with neither image nor error).
        case notCached = 1103
        /// No coder reads this format; adding one may help (the original says 1001).
        case unsupportedFormat = 1104
        /// There is no memory for the pixels now (no number in the original).
        case outOfMemory = 1105
        /// No download could be made of the request.
        case invalidDownloadOperation = 2000
        /// The HTTP status is not an acceptable one.
        case invalidDownloadStatusCode = 2001
        /// The load was cancelled.
        case cancelled = 2002
        /// The response modifier refused the response, or there was none.
        case invalidDownloadResponse = 2003
        /// The content type is not an acceptable one.
        case invalidDownloadContentType = 2004
        /// The connection failed: name, route, TLS, time-out, early close (the original passes the system's error).
        case transport = 2100
    }

    /// The part of a load that failed.
    public enum Stage: String, Sendable, Hashable {
        /// Reading the request: URL, options, context.
        case request
        /// Looking the picture up.
        case cache
        /// Fetching the bytes.
        case download
        /// Turning bytes into pixels.
        case decode
        /// Changing the pixels.
        case transform
        /// Turning pixels into bytes.
        case encode
        /// Keeping the result.
        case store
    }

    /// The cause below this library, captured as values.
    public enum Underlying: Sendable, Hashable {
        /// libcurl's `CURLcode` and words.
        case curl(code: Int, message: String)
        /// A codec library's name and words.
        case codec(library: String, message: String)
        /// The system's `errno` and words.
        case posix(errno: Int32, message: String)
        /// An HTTP status.
        case http(status: Int)
        /// A limit, the value that passed it (.max when it cannot be told) and the value allowed.
        case limit(DecodingLimits.Limit, actual: Int, allowed: Int)
        /// SQLite's extended result code and words.
        case sqlite(code: Int, message: String)
        /// Words alone.
        case message(String)
    }

    /// The kind of failure.
    public var code: Code
    /// Where it happened.
    public var stage: Stage
    /// The URL that was asked for; descriptions show it without query, user and password.
    public var url: URL?
    /// What caused it.
    public var underlying: Underlying?
    /// What to do next, as a sentence.
    public var hint: String?
    /// The head of the answer that was refused by its status or its type; nil for every other failure.
    public var response: WebImageResponse?
    /// The failures of the sources that were tried before this one, in order.
    public var earlierFailures: [WebImageError] = []
    /// The error of a loader of the user's, as it reported it.
    package var foreignError: (any Error)?

    /// Makes an error.
    public init(_ code: Code, stage: Stage, url: URL? = nil, underlying: Underlying? = nil, hint: String? = nil) {
        self.code = code
        self.stage = stage
        self.url = url
        self.underlying = underlying
        self.hint = hint
    }

    /// The error every cancelled load ends with.
    public static let cancelled = WebImageError(.cancelled, stage: .request)

    /// The same error, naming the URL when it named none.
    public func with(url: URL?) -> WebImageError {
        var copy = self
        copy.url = self.url ?? url
        return copy
    }

    /// A limit that fired.
    public static func limit(
        _ limit: DecodingLimits.Limit, actual: Int, allowed: Int, stage: Stage = .decode
    ) -> WebImageError {
        WebImageError(
            .limitExceeded, stage: stage, underlying: .limit(limit, actual: actual, allowed: allowed),
            hint: "Raise the limit if you trust the file, or ask for a smaller picture.")
    }

    /// A codec that refused its input.
    public static func badData(_ library: String, _ message: String, hint: String? = nil) -> WebImageError {
        WebImageError(.badImageData, stage: .decode, underlying: .codec(library: library, message: message), hint: hint)
    }

    /// The system's words for `errno` at this moment.
    public static func posix(
        _ errno: Int32, _ code: Code = .fileSystem, stage: Stage, url: URL? = nil, hint: String? = nil
    ) -> WebImageError {
        WebImageError(
            code, stage: stage, url: url,
            underlying: .posix(errno: errno, message: String(cString: strerror(errno))), hint: hint)
    }
}
