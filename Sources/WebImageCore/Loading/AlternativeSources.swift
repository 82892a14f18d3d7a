import Foundation

/// The sources of an image, according to a load's context.
struct AlternativeSources {
    /// The URLs in the order of the attempts.
    let urls: [URL]
    /// Whether the first URL is the smaller image of `.lowDataSource`, which must not be stored under the key of the
    /// full image.
    let startsWithLowDataSource: Bool

    init(_ load: ImageDataLoad, prefersLowData: Bool) {
        // A refresh already has the full image. The smaller image would replace it.
        let isRefresh = load.hasCached || load.requestContext.hasLoaderCachedImage
        let low = prefersLowData && !isRefresh ? load.requestContext.lowDataSource : nil
        let others = load.requestContext.alternativeSources ?? []
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

    /// Returns the result of the first source that returns bytes. If all sources fail, throws the last error with the
    /// earlier errors attached.
    func first(
        _ load: ImageDataLoad, _ fetch: (ImageDataLoad) async throws(WebImageError) -> ImageDataResult
    ) async throws(WebImageError) -> ImageDataResult {
        var failures: [WebImageError] = []
        for (index, url) in urls.enumerated() {
            var attempt = load
            attempt.url = url
            let isLowDataImage = startsWithLowDataSource && index == 0
            let isElsewhere = url != load.url
            // The cached bytes may come from any source, but their validators belong to the image's own URL. Another
            // URL cannot revalidate them.
            if isElsewhere { attempt.cached = nil }
            attempt.finishedAfterCancel = receiverAfterCancel(
                of: load, isLowDataImage: isLowDataImage, isElsewhere: isElsewhere)
            // Only the last source reports bytes as they arrive. If an earlier source failed after a part of its
            // body, the receiver would treat that part as the beginning of the next source's body.
            if index < urls.count - 1 { attempt.receivedData = nil }
            do throws(WebImageError) {
                var result = try await fetch(attempt)
                if isLowDataImage { (result.isLowDataImage, result.mayBeStored) = (true, false) }
                // Do not store validators of another URL: the next revalidation would send them to the server of the
                // image's own URL.
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

    /// Returns the receiver of a body whose download completes after its last subscriber cancelled. Nil for the smaller
    /// image, because it is not stored.
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
