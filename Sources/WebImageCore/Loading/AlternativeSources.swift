import Foundation

/// Further places of one picture, as a load's context names them.
struct AlternativeSources {
    /// Where to look, in this order.
    let urls: [URL]
    /// Whether the first is a smaller stand-in, which must not be stored under the picture's key.
    let beginsLow: Bool

    init(_ load: ImageDataLoad, prefersLowData: Bool) {
        // A refresh has the picture already: a stand-in would replace it by less.
        let isRefresh = load.hasCached || load.requestContext.hasLoaderCachedImage
        let low = prefersLowData && !isRefresh ? load.requestContext.lowDataSource : nil
        let others = load.requestContext.alternativeSources ?? []
        urls = [low, load.url].compactMap { $0 } + others
        beginsLow = low != nil
    }

    var isPlain: Bool { urls.count == 1 }

    /// A load for each source.
    func loads(like load: ImageDataLoad) -> [ImageDataLoad] {
        urls.map { url in
            var each = load
            each.url = url
            return each
        }
    }

    /// The first that yields bytes; the last one's error, with those before it, when none does.
    func first(
        _ load: ImageDataLoad, _ fetch: (ImageDataLoad) async throws(WebImageError) -> ImageDataResult
    ) async throws(WebImageError) -> ImageDataResult {
        var failures: [WebImageError] = []
        for (index, url) in urls.enumerated() {
            var attempt = load
            attempt.url = url
            let isStandIn = beginsLow && index == 0
            let isElsewhere = url != load.url
            // What is cached came from somewhere; only the picture's own URL can confirm it.
            if isElsewhere { attempt.cached = nil }
            attempt.finishedAfterCancel = heir(of: load, isStandIn: isStandIn, isElsewhere: isElsewhere)
            // Bytes of a source that then fails must not be taken for the beginning of the next one's.
            if index < urls.count - 1 { attempt.receivedData = nil }
            do throws(WebImageError) {
                var result = try await fetch(attempt)
                if isStandIn { (result.isStandIn, result.mayBeStored) = (true, false) }
                // The validators of another URL mean nothing to the picture's own server.
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

    /// Takes the body of an attempt that ended after the last cancel; nil for a stand-in, which is not kept.
    private func heir(
        of load: ImageDataLoad, isStandIn: Bool, isElsewhere: Bool
    ) -> (@Sendable (ImageDataResult) -> Void)? {
        guard !isStandIn, let heir = load.finishedAfterCancel else { return nil }
        guard isElsewhere else { return heir }
        return { result in
            var result = result
            result.metadata = nil
            heir(result)
        }
    }
}
