import SDWebImage

/// Converts the parameters of SDWebImage's functions to those of the views.
enum Bridging {
    /// Adds the size of SDWebImage to a context: without a size, pictures are decoded at full size.
    static func sized(_ context: SDWebImageContext?) -> SDWebImageContext {
        var context = context ?? [:]
        if context[.thumbnail] == nil { context[.thumbnail] = ViewThumbnail.fullSize }
        return context
    }

    static func completed(_ block: SDExternalCompletionBlock?) -> ViewImageCompletedBlock? {
        guard let block else { return nil }
        return { image, error, cacheType, url in
            block(image, error.map(SDWebImageError.init), cacheType, url)
        }
    }

    static func progress(_ block: SDImageLoaderProgressBlock?) -> ViewImageProgressBlock? {
        guard let block else { return nil }
        return { received, expected, url in block(received, expected, url) }
    }
}
