import Foundation

/// The image in memory of a plain load: one that names nothing but a URL and perhaps a size and a callback queue, as
/// rows of a list do.
///
/// A short form of `LoadRequest.memoryImage`, which asks the loader for its scope to find the same key; `PlainHitTests`
/// compares both. A whole `loadImage` takes 3,600 instructions this way and 9,000 the long way.
struct PlainHit {
    let image: Image
    /// The queue that the context names.
    let queue: CallbackQueue?
}

extension WebImageManager {
    /// Returns the image in memory of a plain load; nil for a miss and for every load that names more.
    func plainHit(_ url: URL?, _ options: WebImageOptions, _ context: RequestContext) -> PlainHit? {
        guard let url, options.isDisjoint(with: Self.notPlain), let values = context.plainValues else { return nil }
        let (settings, hasFailedURLs) = settingsAndFailures
        let roles = settings.roles
        guard settings.allowsPlainHits, let cache = roles.imageCache, let loader = roles.sharedScopeLoader,
            loader.sharesPlainLoads,
            !hasFailedURLs || options.contains(.retryFailed) || failure(of: url, in: .shared) == nil
        else { return nil }
        let text = url.absoluteString
        // A load without an address fails, whatever the cache has under the empty key.
        guard !text.isEmpty else { return nil }
        let key =
            if let box = values.box {
                LoadKeys.thumbnail(LoadKeys.Thumbnail(box: box, preservesAspectRatio: true), of: text)
            } else {
                EntryKey.shared(text)
            }
        guard let image = cache.imageFromMemoryCache(forKey: key.string), image.isPlainEntry(of: key) else {
            return nil
        }
        return PlainHit(image: image, queue: values.queue)
    }

    private static let notPlain: WebImageOptions = [
        .refreshCached, .queryMemoryData, .fromLoaderOnly, .handleCookies, .allowInvalidSSLCertificates,
        .decodeFirstFrameOnly, .matchAnimatedImageClass,
    ]
}

extension RequestContext {
    /// The values of a context that names nothing else.
    fileprivate struct PlainValues {
        var queue: CallbackQueue?
        var box: CGSize?
    }

    /// The queue and the size of a plain load; nil where the context has another key or a value of a wrong type.
    ///
    /// One pass over at most two values: looking up each key and reading it again takes twice as many instructions.
    fileprivate var plainValues: PlainValues? {
        var values = PlainValues()
        guard let context = forRoles else { return values }
        guard context.count <= 2 else { return nil }
        var index = context.startIndex
        while index != context.endIndex {
            let (key, value) = context[index]
            if key == .callbackQueue {
                guard let queue = value as? CallbackQueue else { return nil }
                values.queue = queue
            } else if key == .imageThumbnailPixelSize {
                guard let box = value as? CGSize else { return nil }
                values.box = box
            } else {
                return nil
            }
            context.formIndex(after: &index)
        }
        return values
    }
}
