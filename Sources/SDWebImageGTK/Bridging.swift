import SDWebImage
import WebImageGTK

/// Converts blocks with SDWebImage's types to the blocks of the views.
enum Bridging {
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
