import Foundation
import WebImageCore
import WebImageLoading

extension ServiceRefusal {
    /// Maps a library error to a status and a message. The message never contains a local path.
    init(_ error: WebImageError) {
        switch error.code {
        case .cancelled: self.init(499, .gone, "the client disconnected")
        case .invalidURL: self.init(400, .target, "the source is not a URL that can be fetched")
        case .invalidDownloadOperation: self.init(403, .source, "the source is not allowed by the download policy")
        case .invalidDownloadStatusCode: self = Self.status(error.underlying)
        case .invalidDownloadContentType, .badImageData, .unsupportedFormat:
            self.init(415, .notPicture, "the source is not a picture that can be read")
            isSubstitute = error.code == .badImageData && !error.shouldBlockURL
        case .limitExceeded: self = Self.limit(error.underlying)
        case .fileSystem: self = Self.file(error.underlying)
        case .transport: self = Self.transport(error.underlying)
        case .invalidDownloadResponse:
            var text = "the source's server sent an answer that cannot be used"
            if case .message(let problem) = error.underlying, problem.contains("Content-Encoding") {
                text += ": \(Printable(problem))"
            }
            self.init(502, .upstream, text)
        case .outOfMemory: self.init(503, .queue, "there is not enough memory now", retryAfter: 1)
        case .decoderFailed where error.crashedDecoder:
            self.init(415, .notPicture, "the source is not a picture that can be read")
        case .decoderFailed, .sandboxUnavailable:
            self.init(503, .queue, "the source cannot be decoded now", retryAfter: 1)
        case .encodingFailed: self.init(500, .internalError, "the result could not be encoded")
        default: self.init(500, .internalError, "the picture could not be made")
        }
    }

    private static func status(_ underlying: WebImageError.Underlying?) -> ServiceRefusal {
        guard case .http(let status) = underlying else {
            return ServiceRefusal(502, .upstreamStatus, "the source's server answered with an error")
        }
        if [404, 410].contains(status) { return ServiceRefusal(404, .upstreamStatus, "the source does not exist") }
        var refusal = ServiceRefusal(502, .upstreamStatus, "the source's server answered \(status)")
        // The server has closed an idle connection, or asks for the same request a little later.
        refusal.isFleeting = status == 408 || status == 425
        // The server works and does not give the picture, for example because it was withdrawn.
        refusal.isDenial = (400..<500).contains(status) && ![408, 425, 429].contains(status)
        return refusal
    }

    private static func limit(_ underlying: WebImageError.Underlying?) -> ServiceRefusal {
        guard case .limit(let limit, _, let allowed) = underlying else {
            return ServiceRefusal(413, .limit, "the source exceeds a limit")
        }
        return ServiceRefusal(413, .limit, "the source exceeds the limit of \(limit) (\(allowed))")
    }

    private static func file(_ underlying: WebImageError.Underlying?) -> ServiceRefusal {
        guard case .posix(let number, _) = underlying else {
            return ServiceRefusal(500, .internalError, "the source cannot be read")
        }
        switch number {
        case ENOENT, ENOTDIR, EISDIR, ENAMETOOLONG:
            return ServiceRefusal(404, .upstreamStatus, "the source does not exist")
        case EACCES, EPERM, ELOOP: return ServiceRefusal(403, .source, "the source may not be read")
        default: return ServiceRefusal(500, .internalError, "the source cannot be read")
        }
    }

    private static func transport(_ underlying: WebImageError.Underlying?) -> ServiceRefusal {
        // 28 is CURLE_OPERATION_TIMEDOUT.
        if case .curl(code: 28, _) = underlying {
            return ServiceRefusal(504, .upstreamTimeout, "the source's server took too long")
        }
        return ServiceRefusal(502, .upstream, "the source's server cannot be reached")
    }

    /// Whether the source's server caused the failure and a retry may succeed. After such a failure, the service sends
    /// the stale result if one is stored and its lifetime allows this.
    var isUpstreamFault: Bool {
        [.upstream, .upstreamTimeout].contains(reason) || (reason == .upstreamStatus && status == 502 && !isDenial)
            || isSubstitute
    }

    /// Whether the failure is likely to last for some time. The service remembers such a failure, so that further
    /// requests do not fetch the source again.
    var isRemembered: Bool {
        !isFleeting
            && [.upstream, .upstreamTimeout, .upstreamStatus, .notPicture, .limit, .source].contains(reason)
    }

    /// The time in seconds for which the service and other caches may use the refusal again; 0 if they must not.
    ///
    /// - Parameter negativeTTL: The time of the settings.
    func secondsOfUse(_ negativeTTL: Int) -> Int { isRemembered ? min(lifetime ?? negativeTTL, negativeTTL) : 0 }
}
