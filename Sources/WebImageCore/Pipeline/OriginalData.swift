import Foundation

/// The encoded original of a picture and where it came from.
struct OriginalData: Sendable {
    /// Empty when the image came without.
    var data: Data
    var cacheType: ImageCacheType
    /// The image itself, from loaders and caches that decode on their own.
    var image: Image?
    /// What the loader wants kept beside the bytes.
    var metadata: Data?
    /// What the disk holds as the image's extended object.
    var extended: Data?
    var mayBeStored = true
    /// Whether it is a smaller picture in place of the wanted one, which no cache keeps under the wanted one's key.
    var isStandIn = false
    /// The version of the bytes; nil where it is not known.
    var version: ContentDigest?
    /// Whether the loader has just given or confirmed the bytes, so that every other version is older.
    var isNewest = false
}

/// An image at some stage of its making.
struct DecodedImage: Sendable {
    var image: Image
    /// As it was decoded, before transformers.
    var source: Image
    var original: OriginalData
}
