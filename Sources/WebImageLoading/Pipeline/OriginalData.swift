import Foundation
import WebImageCore

/// An original, and the cache layer or loader from which it comes.
struct OriginalData: Sendable {
    /// The encoded bytes; empty if the loader or the cache returned only a decoded image.
    var data: Data
    var cacheType: ImageCacheType
    /// The image, if the loader or the cache returned a decoded image; otherwise nil.
    var image: Image?
    /// The loader's metadata, which is stored with the bytes.
    var metadata: Data?
    /// The extended object of the image (``Image/extendedObject``), in the encoded form that was read from disk.
    var extended: Data?
    var mayBeStored = true
    /// Whether the loader returned the smaller image of `.lowDataSource`. Such an image must not be stored under the
    /// key of the full image.
    var isLowDataImage = false
    /// The version of the bytes; nil when unknown.
    var version: ContentDigest?
    /// Whether the loader has just fetched or confirmed the bytes. If true, every other version is older.
    var isNewest = false
    /// The head of the response that carried the bytes; nil for bytes from a cache.
    var response: WebImageResponse?
}

/// A decoded image, as input and output of the transform and store stages.
struct DecodedImage: Sendable {
    var image: Image
    /// The decoded image before any transformer changes it.
    var source: Image
    var original: OriginalData
}
