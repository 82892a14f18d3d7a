import Foundation

/// Further places of one picture, as a load's context names them.
struct AlternativeSources {
    /// Where to look, in this order.
    let urls: [URL]
    /// Whether the first is a smaller stand-in, which must not be stored under the picture's key.
    let beginsLow: Bool

    init(_ load: ImageDataLoad, prefersLowData: Bool) {
        let low = prefersLowData ? load.context?.read(.lowDataSource, as: URL.self) : nil
        let others = load.context?.read(.alternativeSources, as: [URL].self) ?? []
        urls = [low, load.url].compactMap { $0 } + others
        beginsLow = low != nil
    }

    var isPlain: Bool { urls.count == 1 }

    /// The first that yields bytes; the last one's error, with those before it, when none does.
    func first(
        _ load: ImageDataLoad, _ fetch: (ImageDataLoad) async throws(WebImageError) -> ImageDataResult
    ) async throws(WebImageError) -> ImageDataResult {
        var failures: [WebImageError] = []
        for (index, url) in urls.enumerated() {
            var attempt = load
            attempt.url = url
            // What is cached came from somewhere; only the picture's own URL can confirm it.
            if url != load.url { attempt.cached = nil }
            // Bytes of a source that then fails must not be taken for the beginning of the next one's.
            if index < urls.count - 1 { attempt.receivedData = nil }
            do throws(WebImageError) {
                var result = try await fetch(attempt)
                if beginsLow, index == 0 { (result.mayBeStored, result.resourceMetadata) = (false, nil) }
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
}
