public import Foundation

extension WebImageManager {
    /// The cache key of the full-size, untransformed image of a URL; nil where nothing would be kept.
    public func cacheKey(for url: URL?) -> String? {
        guard let url else { return "" }
        return LoadKeys.base(url, context: nil, filter: settings.values.cacheKeyFilter)
    }

    /// The cache key of the image as a context wants it: thumbnail size, transformer and cache scope included.
    public func cacheKey(for url: URL?, context: WebImageContext?) -> String? {
        guard let url else { return "" }
        return LoadRequest(url, [], context, settings, self).keys.variant?.string
    }
}

extension WebImageManager {
    /// Stages under way or held, over all loads.
    package var sharedTaskCount: Int { variants.count + transforms.count + decodes.count + originals.count }

    /// Who waits for a variant of this URL.
    package func subscriberCount(of url: URL) -> Int { variants.subscriberCount { $0.decoded.original.url == url } }
}
