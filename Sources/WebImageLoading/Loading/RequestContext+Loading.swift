import Foundation
import WebImageCore

// Typed access to the context values for loaders: the loader, its sources, and the objects that change the HTTP request
// and response.
extension RequestContext {
    var imageLoader: (any ImageLoader)? { has(.imageLoader) ? value(.imageLoader) : nil }
    package var requestModifier: (any WebImageDownloaderRequestModifierProtocol)? { value(.downloadRequestModifier) }
    package var hasRequestModifier: Bool { has(.downloadRequestModifier) }
    package var responseModifier: (any WebImageDownloaderResponseModifierProtocol)? {
        value(.downloadResponseModifier)
    }
    package var decryptor: (any WebImageDownloaderDecryptorProtocol)? { value(.downloadDecryptor) }

    var alternativeSources: [URL]? { has(.alternativeSources) ? value(.alternativeSources) : nil }
    var lowDataSource: URL? { has(.lowDataSource) ? value(.lowDataSource) : nil }
    var hasFurtherSources: Bool { has(.alternativeSources) || has(.lowDataSource) }
    var hasAlternativeSources: Bool { has(.alternativeSources) }
    var hasLoaderCachedImage: Bool { has(.loaderCachedImage) }
}
