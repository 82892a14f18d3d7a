public import Foundation
public import WebImage

/// The `NSError` domain of this package. The code of an error in this domain is the raw value of an
/// ``SDWebImageError/Code``.
public let SDWebImageErrorDomain = "SDWebImageErrorDomain"
/// The `userInfo` key for the response of a failed download. The value is a `WebImageResponse`.
public let SDWebImageErrorDownloadResponseKey = "SDWebImageErrorDownloadResponseKey"
/// The `userInfo` key for an HTTP status that is not accepted. The value is an `NSNumber`.
public let SDWebImageErrorDownloadStatusCodeKey = "SDWebImageErrorDownloadStatusCodeKey"
/// The `userInfo` key for a content type that is not accepted. The value is a `String`.
public let SDWebImageErrorDownloadContentTypeKey = "SDWebImageErrorDownloadContentTypeKey"

/// A failure as an `NSError`. Programs that were written for SDWebImage expect an `NSError` with SDWebImage's domains,
/// codes and `userInfo` keys.
///
/// An error of a custom loader keeps its own domain and code. Connection failures have the domain `NSURLErrorDomain`
/// and a code of that domain. All other failures have the domain ``SDWebImageErrorDomain``.
///
/// This type is a subclass of `NSError`, because on Linux `error as NSError` does not convert other error types.
public final class SDWebImageError: NSError, @unchecked Sendable {
    // Unchecked is correct because all stored properties, including those of `NSError`, are immutable.

    /// The kind of a failure. SDWebImage's name for ``WebImageCore/WebImageError/Code``.
    public typealias Code = WebImageError.Code

    /// The error that this object wraps, with all details.
    public let webImageError: WebImageError

    /// Wraps a failure.
    public init(_ error: WebImageError) {
        webImageError = error
        let (domain, code) = error.originalsDomainAndCode
        super.init(domain: domain, code: code, userInfo: error.originalsUserInfo)
    }

    /// Wraps the failure with a code of SDWebImage's list. Nil for another number.
    public convenience init?(rawValue: Int) {
        guard let code = Code(rawValue: rawValue) else { return nil }
        self.init(WebImageError(code, stage: .request))
    }

    /// The number of the failure, for example 2002 for `.cancelled`.
    public var rawValue: Int { webImageError.code.rawValue }

    /// Always returns nil, because errors cannot be archived.
    public required init?(coder: NSCoder) { nil }

    /// The failure in one line. URLs in the text have no query, user name or password.
    public override var description: String { webImageError.description }
}

// SDWebImage's errors. Each has the number of its code as `rawValue`.
extension SDWebImageError {
    /// The URL is nil, empty or malformed.
    public static let invalidURL = SDWebImageError(WebImageError(.invalidURL, stage: .request))
    /// The data is not an image.
    public static let badImageData = SDWebImageError(WebImageError(.badImageData, stage: .request))
    /// The server reported that the cached image is still current, so there is no new image.
    public static let cacheNotModified = SDWebImageError(WebImageError(.cacheNotModified, stage: .request))
    /// An earlier load of the URL failed permanently, so the manager did not try the URL again.
    public static let blackListed = SDWebImageError(WebImageError(.blackListed, stage: .request))
    /// The downloader could not create a download for the request.
    public static let invalidDownloadOperation = SDWebImageError(
        WebImageError(.invalidDownloadOperation, stage: .request))
    /// The HTTP status is not one of the accepted statuses.
    public static let invalidDownloadStatusCode = SDWebImageError(
        WebImageError(.invalidDownloadStatusCode, stage: .request))
    /// The load was cancelled.
    public static let cancelled = SDWebImageError(WebImageError(.cancelled, stage: .request))
    /// The response modifier rejected the response, or there was no response.
    public static let invalidDownloadResponse = SDWebImageError(
        WebImageError(.invalidDownloadResponse, stage: .request))
    /// The content type is not one of the accepted types.
    public static let invalidDownloadContentType = SDWebImageError(
        WebImageError(.invalidDownloadContentType, stage: .request))
}

/// Whether `number` is the raw value of `code`. Expressions such as `error.code == .cancelled` use this operator.
public func == (number: Int?, code: SDWebImageError.Code) -> Bool { number == code.rawValue }

/// Whether `number` is not the raw value of `code`. Expressions such as `error.code != .cancelled` use this operator.
public func != (number: Int?, code: SDWebImageError.Code) -> Bool { number != code.rawValue }

/// Whether `error` is a failure with the code `code`. The pattern `case SDWebImageError.Code.cancelled` in a `switch` or
/// `catch` uses this operator.
public func ~= (code: SDWebImageError.Code, error: any Error) -> Bool { WebImageError(original: error).code == code }

/// Whether `error` is a failure with the code of `known`. The pattern `case SDWebImageError.cancelled` in a `switch` or
/// `catch` uses this operator.
public func ~= (known: SDWebImageError, error: any Error) -> Bool {
    WebImageError(original: error).code == known.webImageError.code
}

/// Whether `number` is the raw value of `code`. A `switch` over the `code` of an optional error uses this operator.
public func ~= (code: SDWebImageError.Code, number: Int?) -> Bool { number == code.rawValue }

/// Whether `number` is the raw value of `code`. A `switch` over the `code` of an error uses this operator.
public func ~= (code: SDWebImageError.Code, number: Int) -> Bool { number == code.rawValue }
