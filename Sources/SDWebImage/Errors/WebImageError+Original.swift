import Foundation
import WebImage

extension WebImageError {
    /// The domain and code of the `NSError`. An error of a custom loader keeps its own domain and code. Connection
    /// failures have the domain `NSURLErrorDomain`; all other failures have ``SDWebImageErrorDomain``.
    var originalsDomainAndCode: (domain: String, code: Int) {
        if let foreignError { return (foreignError._domain, foreignError._code) }
        guard code == .transport else { return (SDWebImageErrorDomain, code.rawValue) }
        guard case .curl(let number, _) = underlying else { return (NSURLErrorDomain, Self.unknownURLError) }
        return (NSURLErrorDomain, Self.urlErrors[number] ?? Self.unknownURLError)
    }

    /// The `userInfo` of the `NSError`. It contains SDWebImage's keys and the message.
    var originalsUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedDescriptionKey: foreignError?.localizedDescription ?? description]
        if let foreign = foreignError as? NSError { info.merge(foreign.userInfo) { $1 } }
        if let hint { info[NSLocalizedRecoverySuggestionErrorKey] = hint }
        if let url { info[NSURLErrorFailingURLErrorKey] = url.redacted }
        if case .http(let status) = underlying {
            info[SDWebImageErrorDownloadStatusCodeKey] = NSNumber(value: status)
        }
        if let response {
            info[SDWebImageErrorDownloadResponseKey] = response
            if code == .invalidDownloadContentType { info[SDWebImageErrorDownloadContentTypeKey] = response.mimeType }
        }
        return info
    }

    /// Converts the error that a custom loader reports. The error can have any type.
    init(original error: any Error) {
        switch error {
        case let own as WebImageError: self = own
        case let bridged as SDWebImageError: self = bridged.webImageError
        case is CancellationError: self = .cancelled
        case let error as NSError:
            let known = error.domain == SDWebImageErrorDomain ? Code(rawValue: error.code) : nil
            let isCancel = error.domain == NSURLErrorDomain && error.code == Self.cancelledURLError
            self.init(
                known ?? (isCancel ? .cancelled : .transport), stage: .download,
                underlying: .message("\(error.domain) \(error.code): \(error.localizedDescription)"))
            foreignError = error
        default:
            self.init(.transport, stage: .download, underlying: .message("\(error)"))
            foreignError = error
        }
    }

    private static let unknownURLError = -1
    private static let cancelledURLError = -999

    /// Maps curl's error codes to codes of `NSURLErrorDomain`.
    private static let urlErrors: [Int: Int] = [
        1: -1002, 3: -1000, 5: -1003, 6: -1003, 7: -1004, 8: -1011, 18: -1005, 28: -1001, 35: -1200, 47: -1007,
        52: -1005, 55: -1005, 56: -1005, 58: -1205, 60: -1202, 61: -1016, 77: -1206, 92: -1005, 97: -1004,
    ]
}
