public import Foundation
public import WebImage

/// The domain of errors whose code is a ``SDWebImageError/Code``.
public let SDWebImageErrorDomain = "SDWebImageErrorDomain"
/// The key in `userInfo` of the refused `WebImageResponse`.
public let SDWebImageErrorDownloadResponseKey = "SDWebImageErrorDownloadResponseKey"
/// The key in `userInfo` of the refused HTTP status, an `NSNumber`.
public let SDWebImageErrorDownloadStatusCodeKey = "SDWebImageErrorDownloadStatusCodeKey"
/// The key in `userInfo` of the refused content type.
public let SDWebImageErrorDownloadContentTypeKey = "SDWebImageErrorDownloadContentTypeKey"

/// A failure as an `NSError` with SDWebImage's domains, codes and keys, which code for SDWebImage expects.
///
/// Connection failures have the domain `NSURLErrorDomain` and its codes. All other failures have
/// ``SDWebImageErrorDomain``. This type is a subclass of `NSError`, because on Linux `error as NSError` does not
/// convert other error types.
public final class SDWebImageError: NSError, @unchecked Sendable {
    // Unchecked is correct because all stored properties, including those of `NSError`, are immutable.

    /// The kinds of failure: SDWebImage's name of ``WebImageCore/WebImageError/Code``.
    public typealias Code = WebImageError.Code

    /// The original error, with all details.
    public let webImageError: WebImageError

    /// Wraps a failure.
    public init(_ error: WebImageError) {
        webImageError = error
        let (domain, code) = error.originalsDomainAndCode
        super.init(domain: domain, code: code, userInfo: error.originalsUserInfo)
    }

    /// Always nil: errors are not archived.
    public required init?(coder: NSCoder) { nil }

    /// The failure in one line. URLs in the text have no query, user name or password.
    public override var description: String { webImageError.description }
}

// The error codes of SDWebImage, as static members, so that `SDWebImageError.cancelled` compiles.
extension SDWebImageError {
    /// The URL is nil, empty or malformed.
    public static let invalidURL = Code.invalidURL
    /// The data is not an image.
    public static let badImageData = Code.badImageData
    /// The server reported that the cached image has not changed.
    public static let cacheNotModified = Code.cacheNotModified
    /// The URL is on the list of URLs that failed before, so it was not tried again.
    public static let blackListed = Code.blackListed
    /// The download operation could not be created.
    public static let invalidDownloadOperation = Code.invalidDownloadOperation
    /// The HTTP status is not one of the accepted statuses.
    public static let invalidDownloadStatusCode = Code.invalidDownloadStatusCode
    /// The load was cancelled.
    public static let cancelled = Code.cancelled
    /// The response was refused.
    public static let invalidDownloadResponse = Code.invalidDownloadResponse
    /// The content type is not one of the accepted types.
    public static let invalidDownloadContentType = Code.invalidDownloadContentType
}

/// Whether an error number has this code, as in `error.code == .cancelled`.
public func == (number: Int?, code: SDWebImageError.Code) -> Bool { number == code.rawValue }

/// Whether an error number does not have this code.
public func != (number: Int?, code: SDWebImageError.Code) -> Bool { number != code.rawValue }

/// Whether a failure has this code, for `case SDWebImageError.cancelled` in a `switch` or `catch`.
public func ~= (code: SDWebImageError.Code, error: any Error) -> Bool { WebImageError(original: error).code == code }
