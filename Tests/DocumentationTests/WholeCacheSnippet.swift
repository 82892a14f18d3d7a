// snippet: whole-cache
import Foundation
import WebImage

/// A cache without a disk that never removes an image by itself.
actor PictureBook: ImageCaching {
    private var images: [String: Image] = [:]

    func cachedImage(for request: ImageCacheRequest) -> ImageCacheHit? {
        images[request.key].map { ImageCacheHit(image: $0, layer: .memory) }
    }
    func store(_ image: Image?, data: Data?, for request: ImageCacheRequest) {
        if let image { images[request.key] = image }
    }
    func remove(_ key: String, from layers: ImageCacheType) { images[key] = nil }
    func layer(of key: String, among layers: ImageCacheType) -> ImageCacheType { images[key] == nil ? .none : .memory }
    func removeAll(from layers: ImageCacheType) { images = [:] }
}
// end
