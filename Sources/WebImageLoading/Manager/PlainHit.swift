import Foundation
import WebImageCore

/// The memory hit of a plain load. A plain load has only a URL and optionally a size and a callback queue. The rows of
/// a list usually start plain loads.
///
/// This path finds the same image as `MemoryStage`, but is faster, because it does not compute the scope of
/// the load. A whole `loadImage` takes 3,600 instructions with this path and 9,000 without it. `PlainHitTests` checks
/// that both paths return the same image.
struct PlainHit {
    let image: Image
    /// The callback queue that the context names; nil if the context names none.
    let queue: CallbackQueue?

    /// The options of plain loads: they do not change which image in memory the load returns, nor what happens after the
    /// hit. A load with any other bit takes the full path, also with a bit that this version does not know.
    static let options: WebImageOptions = [
        .retryFailed, .lowPriority, .highPriority, .progressiveLoad, .delayPlaceholder, .transformAnimatedImage,
        .transformVectorImage, .avoidAutoSetImage, .avoidAutoCancelImage, .scaleDownLargeImages, .queryMemoryDataSync,
        .queryDiskDataSync, .fromCacheOnly, .forceTransition, .preloadAllFrames, .waitStoreCache, .waitTransition,
        withoutEffect,
    ]

    /// The bits of `continueInBackground` and `avoidDecodeImage`, which ported programs use.
    private static let withoutEffect = WebImageOptions(rawValue: 1 << 4 | 1 << 18)
}

extension WebImageManager {
    /// Returns the memory hit of a plain load; nil for a miss and for every load that is not plain.
    func plainHit(_ url: URL?, options: WebImageOptions, dictionary context: WebImageContext?) -> PlainHit? {
        guard let url, options.isPlain, let values = PlainValues(context) else { return nil }
        return plainHit(url, options: options, values: values)
    }

    /// Returns the same for a parsed context.
    func plainHit(_ url: URL?, options: WebImageOptions, context: RequestContext) -> PlainHit? {
        guard let url, options.isPlain, let values = PlainValues(context) else { return nil }
        return plainHit(url, options: options, values: values)
    }

    private func plainHit(_ url: URL, options: WebImageOptions, values: PlainValues) -> PlainHit? {
        let settings = settings
        let roles = settings.roles
        // Nil, of a loader that does not say whether it shares plain loads, is a no: its loads may have other scopes.
        guard settings.allowsPlainHits, let cache = roles.imageCache, let sharesPlainLoads = roles.sharesPlainLoads
        else {
            return nil
        }
        let text = url.absoluteString
        guard sharesPlainLoads(text) else { return nil }
        // A load with an empty URL must fail, even if the cache has an entry under the empty key.
        guard !text.isEmpty else { return nil }
        var key =
            if let box = values.box {
                LoadKeys.thumbnail(LoadKeys.Thumbnail(box: box, preservesAspectRatio: true), of: text)
            } else {
                EntryKey.shared(text)
            }
        guard let image = cache.imageFromMemoryCache(forKey: key.string) else { return nil }
        if text.hasScheme("file") { key.file = FileState(fileURL: url, text: text) }
        guard image.isPlainEntry(of: key) else { return nil }
        // An earlier load may have given the image another scale than its key names.
        if image.scale == 1, ImageMatcher.canNameScale(text), CacheKey.scaleFactor(text) != 1 { return nil }
        return PlainHit(image: image, queue: values.queue)
    }
}

extension WebImageOptions {
    fileprivate var isPlain: Bool { rawValue & ~PlainHit.options.rawValue == 0 }
}

/// The values that the context of a plain load may contain.
private struct PlainValues {
    var queue: CallbackQueue?
    var box: CGSize?

    /// Returns nil if the context has any other key or a value of a wrong type.
    ///
    /// Iterates once over at most two values. Looking up each key separately takes twice as many instructions.
    init?(_ context: WebImageContext?) {
        guard let context else { return }
        guard context.count <= 2 else { return nil }
        var index = context.startIndex
        while index != context.endIndex {
            let (key, value) = context[index]
            if key == .callbackQueue {
                guard let queue = value as? CallbackQueue else { return nil }
                self.queue = queue
            } else if key == .imageThumbnailPixelSize {
                guard let box = value as? CGSize else { return nil }
                self.box = box
            } else {
                return nil
            }
            context.formIndex(after: &index)
        }
    }

    /// Returns nil if the context has any other value, except for the key of a view's load, which only views use.
    init?(_ context: RequestContext) {
        guard context.count > 0 else { return }
        guard context.count <= 3 else { return nil }
        (queue, box) = (context.callbackQueue, context.size)
        let count = (queue == nil ? 0 : 1) + (box == nil ? 0 : 1) + (context.operationKey == nil ? 0 : 1)
        guard context.count == count else { return nil }
    }
}
