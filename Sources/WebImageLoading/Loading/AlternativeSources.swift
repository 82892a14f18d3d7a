import Foundation
import WebImageCore

/// The URLs from which a load can fetch its image: the URL of the load, and the URLs in its context.
struct AlternativeSources {
    /// The URLs in the order of the attempts.
    let urls: [URL]
    /// Whether the first URL is the URL of `.lowDataSource`. The smaller image from this URL must not be stored under
    /// the key of the full image.
    let startsWithLowDataSource: Bool

    init(_ load: ImageDataLoad, prefersLowData: Bool) {
        // For a refresh, do not use the smaller image: it would replace the full image, which is already cached.
        let isRefresh = load.hasCached || load.request.cachedImage != nil
        let low = prefersLowData && !isRefresh ? load.request.lowDataURL : nil
        let others = load.request.alternativeURLs ?? []
        urls = [low, load.url].compactMap { $0 } + others
        startsWithLowDataSource = low != nil
    }

    var isPlain: Bool { urls.count == 1 }

    /// Returns one copy of the load for each source, in the order of the attempts.
    func loads(like load: ImageDataLoad) -> [ImageDataLoad] {
        urls.map { url in
            var each = load
            each.url = url
            return each
        }
    }

    /// Tries the sources in their order and returns the result of the first source that returns bytes.
    ///
    /// - Throws: `.cancelled` after a cancel; no further source is tried. If all sources fail, throws the last error.
    ///   This error contains the earlier errors.
    func first(
        _ load: ImageDataLoad, _ fetch: (ImageDataLoad) async throws(WebImageError) -> ImageDataResult
    ) async throws(WebImageError) -> ImageDataResult {
        var failures: [WebImageError] = []
        for (index, url) in urls.enumerated() {
            var attempt = load
            attempt.url = url
            let isLowDataImage = startsWithLowDataSource && index == 0
            let isElsewhere = url != load.url
            // Any source may have supplied the cached bytes, but their validators always belong to the URL of the load.
            // Therefore a request to another URL cannot revalidate the bytes.
            if isElsewhere { attempt.cached = nil }
            attempt.finishedAfterCancel = receiverAfterCancel(
                of: load, isLowDataImage: isLowDataImage, isElsewhere: isElsewhere)
            // Only the last source reports bytes during the download. If an earlier source reported bytes and then
            // failed, the receiver would treat these bytes as the beginning of the next source's body.
            if index < urls.count - 1 { attempt.receivedData = nil }
            do throws(WebImageError) {
                var result = try await fetch(attempt)
                if isLowDataImage { (result.isLowDataImage, result.mayBeStored) = (true, false) }
                // Do not store the validators of another URL. Otherwise the next revalidation would send them to the
                // server of the load's URL.
                if isElsewhere { result.metadata = nil }
                return result
            } catch {
                guard error.code != .cancelled else { throw error.with(url: load.url) }
                failures.append(error.with(url: url))
            }
        }
        guard var last = failures.popLast() else { throw .missingURL }
        last.earlierFailures = failures
        throw last
    }

    /// Returns the value of `finishedAfterCancel` for one attempt. The value is nil for the smaller image, because this
    /// image is not stored. For another URL than the URL of the load, the closure removes the metadata, because it
    /// contains the validators of the other URL.
    private func receiverAfterCancel(
        of load: ImageDataLoad, isLowDataImage: Bool, isElsewhere: Bool
    ) -> (@Sendable (ImageDataResult) -> Void)? {
        guard !isLowDataImage, let receiverAfterCancel = load.finishedAfterCancel else { return nil }
        guard isElsewhere else { return receiverAfterCancel }
        return { result in
            var result = result
            result.metadata = nil
            receiverAfterCancel(result)
        }
    }
}
