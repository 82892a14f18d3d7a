public import Foundation

/// The failure of a load, a decode or a store: its kind, stage, cause and next step.
public struct WebImageError: Error, Sendable {
    /// A URL in one word of memory, because most errors have none.
    package final class FetchedURL: Sendable {
        package let url: URL
        package init(_ url: URL) { self.url = url }
    }

    /// The kind of failure. A kind that SDWebImage defines has the same number as in SDWebImage.
    public enum Code: Int, Sendable, Hashable {
        /// The URL is nil, empty or malformed.
        case invalidURL = 1000
        /// The data is not an image, is damaged, or has no pixels.
        case badImageData = 1001
        /// The server reported that the cached image is still current, so there is no new image.
        case cacheNotModified = 1002
        /// An earlier load of this URL failed permanently, and the option `.retryFailed` is not set.
        case blackListed = 1003
        /// The input exceeded a limit of ``DecodingLimits`` or of the download (SDWebImage has no number for this).
        case limitExceeded = 1100
        /// The image cannot be encoded (SDWebImage has no number for this).
        case encodingFailed = 1101
        /// A file or a cache folder cannot be read or written (SDWebImage has no number for this).
        case fileSystem = 1102
        /// No cache contains the image, and the options do not allow a download. In this case, SDWebImage completes
        /// the load with neither an image nor an error.
        case notCached = 1103
        /// No registered coder reads this format. Registering a coder for the format can help. SDWebImage uses 1001
        /// for this failure.
        case unsupportedFormat = 1104
        /// The memory for the pixels could not be allocated. A later attempt can succeed (SDWebImage has no
        /// number for this).
        case outOfMemory = 1105
        /// The decoder process that decoded the image ended or gave an invalid answer. If the underlying cause is
        /// `.codec`, the file made its decoder crash; otherwise a later attempt can succeed (SDWebImage has no number for
        /// this).
        case decoderFailed = 1106
        /// Images are to be decoded in decoder processes, and none can be started (SDWebImage has no number for this).
        case sandboxUnavailable = 1107
        /// A web page names no picture, or none of its pictures can be loaded. SDWebImageLinkPlugin has an error domain of its
        /// own.
        case noPreview = 1108
        /// The downloader could not create a download for the request.
        case invalidDownloadOperation = 2000
        /// The HTTP status is not one of the accepted statuses.
        case invalidDownloadStatusCode = 2001
        /// The load was cancelled.
        case cancelled = 2002
        /// The response modifier rejected the response, or there was no response.
        case invalidDownloadResponse = 2003
        /// The content type is not one of the accepted types.
        case invalidDownloadContentType = 2004
        /// The connection failed. Possible causes are name resolution, routing, TLS, a time-out or an early close.
        /// SDWebImage returns the system's error instead.
        case transport = 2100
    }

    /// The part of a load that failed.
    public enum Stage: String, Sendable, Hashable {
        /// Reading the request: URL, options, context.
        case request
        /// Looking up the image in the caches.
        case cache
        /// Fetching the bytes.
        case download
        /// Decoding bytes to pixels.
        case decode
        /// Transforming the pixels.
        case transform
        /// Encoding pixels to bytes.
        case encode
        /// Storing the result.
        case store
    }

    /// The cause reported by a lower layer, captured as values.
    public enum Underlying: Sendable, Hashable {
        /// The `CURLcode` and message of libcurl.
        case curl(code: Int, message: String)
        /// The name and message of a codec library.
        case codec(library: String, message: String)
        /// The `errno` and message of the system.
        case posix(errno: Int32, message: String)
        /// An HTTP status.
        case http(status: Int)
        /// The name of a limit, the value that exceeded the limit (`.max` when unknown) and the allowed value.
        case limit(DecodingLimits.Limit, actual: Int, allowed: Int)
        /// The extended result code and message of SQLite.
        case sqlite(code: Int, message: String)
        /// A message without further values.
        case message(String)
    }

    /// The kind of failure.
    public var code: Code
    /// The stage that failed.
    public var stage: Stage
    /// The URL of the load. ``description`` contains this URL without user, password, query and fragment.
    public var url: URL?
    /// The cause.
    public var underlying: Underlying?
    /// A sentence that tells the user what to do next.
    public var hint: String?
    /// The head of the response, if the response was rejected because of its status or its content type. Nil for other
    /// failures.
    public var response: WebImageResponse?
    /// The failures of the earlier sources in the order of the attempts. Empty if only one source was tried.
    public var earlierFailures: [WebImageError] = []
    /// The URL that was fetched, if loads of several URLs have shared the fetch; otherwise nil. A load of another URL can
    /// then try its own.
    package var fetched: FetchedURL?
    /// The original error that a custom loader reported.
    package var foreignError: (any Error)?

    /// Makes an error.
    public init(_ code: Code, stage: Stage, url: URL? = nil, underlying: Underlying? = nil, hint: String? = nil) {
        self.code = code
        self.stage = stage
        self.url = url
        self.underlying = underlying
        self.hint = hint
    }

    /// The error that every cancelled load returns.
    public static let cancelled = WebImageError(.cancelled, stage: .request)

    /// Returns a copy of the error with this URL. An error that already has a URL keeps it.
    public func with(url: URL?) -> WebImageError {
        var copy = self
        copy.url = self.url ?? url
        return copy
    }

    /// Makes the error for an exceeded limit.
    public static func limit(
        _ limit: DecodingLimits.Limit, actual: Int, allowed: Int, stage: Stage = .decode
    ) -> WebImageError {
        WebImageError(
            .limitExceeded, stage: stage, underlying: .limit(limit, actual: actual, allowed: allowed),
            hint: "Raise the limit if you trust the file, or request a smaller image.")
    }

    /// Makes the error for input that a codec rejected.
    public static func badData(_ library: String, _ message: String, hint: String? = nil) -> WebImageError {
        WebImageError(.badImageData, stage: .decode, underlying: .codec(library: library, message: message), hint: hint)
    }

    /// Makes the error for an `errno`. The error contains the system's message for this `errno`.
    public static func posix(
        _ errno: Int32, _ code: Code = .fileSystem, stage: Stage, url: URL? = nil, hint: String? = nil
    ) -> WebImageError {
        WebImageError(
            code, stage: stage, url: url,
            underlying: .posix(errno: errno, message: String(cString: strerror(errno))), hint: hint)
    }
}
