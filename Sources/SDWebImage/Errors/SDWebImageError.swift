public import Foundation
public import WebImage

/// The domain of errors that have a code of ``SDWebImageError/Code``.
public let SDWebImageErrorDomain = "SDWebImageErrorDomain"
/// In `userInfo`: the `WebImageResponse` that was refused.
public let SDWebImageErrorDownloadResponseKey = "SDWebImageErrorDownloadResponseKey"
/// In `userInfo`: the HTTP status that was refused, an `NSNumber`.
public let SDWebImageErrorDownloadStatusCodeKey = "SDWebImageErrorDownloadStatusCodeKey"
/// In `userInfo`: the content type that was refused.
public let SDWebImageErrorDownloadContentTypeKey = "SDWebImageErrorDownloadContentTypeKey"

/// A failure in the form that code for SDWebImage expects: an `NSError` with SDWebImage's domains, codes and keys.
///
/// Failures of the connection have the domain `NSURLErrorDomain` and its codes; all others have
/// ``SDWebImageErrorDomain``. A subclass of `NSError` is needed because Swift on Linux does not convert other errors by
/// `error as NSError`.
public final class SDWebImageError: NSError, @unchecked Sendable {
    // Unchecked is correct because both properties are immutable values, and those of `NSError` never change.

    /// The kinds of failure; ``WebImageCore/WebImageError/Code``.
    public typealias Code = WebImageError.Code

    /// The complete error.
    public let webImageError: WebImageError

    /// Wraps a failure.
    public init(_ error: WebImageError) {
        webImageError = error
        let (domain, code) = error.originalsDomainAndCode
        super.init(domain: domain, code: code, userInfo: error.originalsUserInfo)
    }

    /// Always nil: errors are not archived.
    public required init?(coder: NSCoder) { nil }

    /// The failure in one line; URLs have no query, user or password.
    public override var description: String { webImageError.description }
}

// The cases of SDWebImage's enumeration, as members of the error.
extension SDWebImageError {
    /// The URL is nil, empty or malformed.
    public static let invalidURL = Code.invalidURL
    /// The data is not an image.
    public static let badImageData = Code.badImageData
    /// The cached image has not changed on the server.
    public static let cacheNotModified = Code.cacheNotModified
    /// The URL failed before.
    public static let blackListed = Code.blackListed
    /// No download could be made.
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
