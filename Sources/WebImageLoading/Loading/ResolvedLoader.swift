import Foundation
import WebImageCore

/// A loader and the roles that it implements. A loader is asked once for its roles: when a manager is created with it,
/// when it is added to an ``ImageLoadersManager``, or when a load names it. A dynamic cast takes longer than a whole
/// look-up in the memory cache.
final class ResolvedLoader: Sendable {
    let role: any ImageLoader
    /// The loader if it returns bytes; nil if it returns decoded images.
    let data: (any ImageDataLoader)?
    let preparing: (any PreparingDataLoader)?
    let sharedScope: (any SharedScopeLoader)?
    let schemeBound: (any SchemeBoundLoader)?
    let manager: ImageLoadersManager?

    init(_ role: any ImageLoader) {
        self.role = role
        data = role as? any ImageDataLoader
        preparing = role as? any PreparingDataLoader
        sharedScope = role as? any SharedScopeLoader
        schemeBound = role as? any SchemeBoundLoader
        manager = role as? ImageLoadersManager
    }

    /// Returns the loader that performs the load: for an ``ImageLoadersManager``, the loader that the manager chooses;
    /// for any other loader, the loader itself.
    func chosen(for load: ImageDataLoad) -> ResolvedLoader {
        guard let manager, let loader = manager.registeredLoader(of: load) else { return self }
        // The policy of another loader forbids the file. The `ImageLoadersManager` throws the refusal.
        if manager.refusal(of: load.url) != nil { return self }
        // Only the `ImageLoadersManager` can try several sources, and only with loaders that return bytes. A loader
        // that returns decoded images is used directly.
        if loader.data != nil, manager.hasFurtherSources(load) { return self }
        return loader.chosen(for: load)
    }

    /// The reason why the policy of this loader forbids a local file; nil if it may be read.
    func refusal(ofFile url: URL) -> WebImageError? {
        manager?.refusal(ofFile: url) ?? preparing?.refusal(ofFile: url)
    }

    /// Returns the scope of a load. If the loader had to prepare the load to determine the scope, also returns the
    /// prepared load. Every memory hit runs this function.
    func scope(of load: ImageDataLoad) -> (scope: CacheScope, prepared: PreparedLoad?) {
        if let manager { return manager.scope(of: load) }
        if let preparing {
            let prepared = preparing.prepareForScope(load)
            return (prepared?.identity.cacheScope ?? load.declaredScope ?? .shared, prepared)
        }
        return (data?.cacheScope(of: load) ?? load.declaredScope ?? .shared, nil)
    }
}

/// The default loader of a program that links no product with loaders. Every load fails with an error that explains
/// the missing product.
struct MissingImageLoader: ImageLoader {
    func canRequestImage(for url: URL?) -> Bool { true }

    func requestImage(
        with url: URL?, options: WebImageOptions, context: WebImageContext?,
        progress: ImageLoaderProgressBlock?, completed: ImageLoaderCompletedBlock?
    ) -> (any WebImageOperation)? {
        completed?(
            nil, nil,
            WebImageError(
                .invalidDownloadOperation, stage: .download, url: url, underlying: .message("no loader is registered"),
                hint: "Link the product WebImage, or give the manager a loader."), true)
        return nil
    }

    func shouldBlockFailedURL(with url: URL, error: WebImageError) -> Bool { false }
}
