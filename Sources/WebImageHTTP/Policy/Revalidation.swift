import Foundation
import WebImageCore
import WebImageLoading

/// The conditional header fields for a cached body. They are sent only to the URL that sent the body, because another
/// URL may use an equal `ETag` for another picture (RFC 9110 §8.8.3).
struct DownloadValidators: Sendable, Hashable {
    var fields: [String: String] = [:]
    /// The digest of the URL that sent the body, if redirects led to it; nil for the URL of the load.
    var source: String?

    static let none = DownloadValidators()

    /// Whether the fields may be sent to a URL.
    ///
    /// - Parameter isFirst: Whether no redirect led to the URL.
    func belong(to url: URL, isFirst: Bool) -> Bool {
        guard !fields.isEmpty else { return false }
        guard let source else { return isFirst }
        return url.sourceDigest == source
    }
}

/// Decides whether a cached body must be revalidated, and makes the results that use the cached body.
///
/// A response without an explicit lifetime is always revalidated. A heuristic lifetime is not used, because a load
/// receives a cached body only if its caller wants to find changes (`.refreshCached`).
struct Revalidation: Sendable {
    let decision: HTTPCachePolicy.Decision
    private let cached: EncodedResource
    private let stored: StoredResponse
    private let request: WebImageRequest
    private let verdict: (@Sendable (EncodedResource) -> CachedVerdict)?
    private static let policy = HTTPCachePolicy(heuristicFraction: 0)

    /// Returns nil if the body was cached without its response fields. Such a body cannot be revalidated. The caller
    /// fetches the body again and compares the new bytes with the cached bytes.
    ///
    /// - Parameter verdict: The caller's own rules for the cached body; nil for those of a private cache.
    init?(
        _ cached: EncodedResource, _ request: WebImageRequest, now: TimeInterval,
        verdict: (@Sendable (EncodedResource) -> CachedVerdict)? = nil
    ) {
        guard let stored = cached.metadata.flatMap(StoredResponse.init(serialized:)) else { return nil }
        self.cached = cached
        self.stored = stored
        self.request = request
        self.verdict = verdict
        // Metadata of an older version does not name the URL that sent the validators. The entry may be that of a
        // redirect's target, so fetch the body without validators.
        if stored.source == nil {
            decision = .fetch
        } else if let verdict {
            let fields = HTTPCachePolicy.validators(stored)
            if !stored.matches(request) {
                decision = .fetch
            } else if verdict(cached) == .fresh {
                decision = .fresh
            } else {
                decision = fields.isEmpty ? .fetch : .revalidate(fields)
            }
        } else {
            decision = Self.policy.decision(stored, for: request, now: now)
        }
    }

    /// The validators of the cached body with the URL to which they may be sent.
    func validators(_ fields: [String: String]) -> DownloadValidators {
        DownloadValidators(fields: fields, source: stored.redirects.isEmpty ? nil : stored.source)
    }

    /// The result with the cached body, for use without an HTTP request.
    var freshResult: ImageDataResult {
        result(WebImageResponse(url: request.url, expectedContentLength: cached.data.count), metadata: cached.metadata)
    }

    /// The result with the cached body, for use after a failed fetch.
    var staleResult: ImageDataResult { freshResult }

    /// Whether ``staleResult`` may be used after a fetch failed with `error`. Only for faults of the network and of the server
    /// (status 500 and above): an answer such as 404 replaces the body.
    ///
    /// - Parameter now: The current time in seconds since 1970.
    func mayServe(after error: WebImageError, now: TimeInterval) -> Bool {
        let isServerFault: Bool
        switch (error.code, error.underlying) {
        case (.transport, _): isServerFault = true
        case (_, .http(let status)): isServerFault = status >= 500
        default: isServerFault = false
        }
        guard isServerFault else { return false }
        if let verdict { return stored.matches(request) && verdict(cached) != .unusable }
        return Self.policy.mayServeAfterError(stored, for: request, now: now)
    }

    /// Returns the cached body after a 304, with metadata that contains the fields of the 304. Nil if the 304 belongs to
    /// another picture.
    func confirmed(by answer: ImageDataResult) -> ImageDataResult? {
        guard HTTPCachePolicy.confirms(answer.response, stored) else { return nil }
        // The downloader's record of the 304: when it was asked for and came, and by which redirects.
        let times = answer.metadata.flatMap(StoredResponse.init(serialized:))
        let merged = stored.merged(
            with: answer.response, to: request, requestTime: times?.requestTime ?? stored.requestTime,
            responseTime: times?.responseTime ?? stored.responseTime)
        return result(answer.response, metadata: merged.reached(as: times ?? merged).serialized)
    }

    private func result(_ response: WebImageResponse, metadata: Data?) -> ImageDataResult {
        var result = ImageDataResult(data: cached.data, response: response)
        result.isNotModified = true
        result.metadata = metadata
        return result
    }
}
