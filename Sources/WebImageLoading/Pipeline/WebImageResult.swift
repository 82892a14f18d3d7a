public import Foundation
public import WebImageCore

/// Receives the image, its encoded data, the error, the image's origin, whether this is the last call, and the URL.
public typealias WebImageInternalCompletionBlock =
    @Sendable (
        _ image: Image?, _ data: Data?, _ error: WebImageError?, _ cacheType: ImageCacheType, _ finished: Bool,
        _ imageURL: URL?
    ) -> Void

/// The result of a finished load.
public struct WebImageResult: Sendable {
    /// The image.
    public var image: Image
    /// The encoded bytes that the image was decoded from. Nil if the image is a thumbnail or was transformed, and for
    /// an image from memory without `.queryMemoryData`.
    public var data: Data?
    /// The size of the encoded image in bytes; nil for an image from memory without `.queryMemoryData`.
    public var encodedByteCount: Int?
    /// The origin of the image; `.none` means the loader.
    public var cacheType: ImageCacheType

    /// The metadata that the loader returned with the bytes for this load; nil if no bytes were fetched.
    var sourceMetadata: Data?
    /// The version of the original from which the image was made; nil if the version is unknown. Nil also for an image
    /// from memory, because the image itself records the version (``Image/originalVersion(as:)``).
    var version: ContentDigest?

    package init(image: Image, data: Data? = nil, encodedByteCount: Int? = nil, cacheType: ImageCacheType) {
        self.image = image
        self.data = data
        self.encodedByteCount = encodedByteCount
        self.cacheType = cacheType
    }
}

extension WebImageResult {
    /// Creates the result of a load. The result contains the bytes of the original only if the image is full-size and
    /// untransformed.
    init(_ made: DecodedImage, _ plan: LoadPlan) {
        let data = made.original.data
        let isOriginal = !made.image.isTransformed && plan.decoding.options.thumbnailPixelSize == nil
        self.init(
            image: made.image, data: isOriginal && !data.isEmpty ? data : nil,
            encodedByteCount: data.isEmpty ? nil : data.count, cacheType: made.original.cacheType)
        sourceMetadata = made.original.cacheType == .none ? made.original.metadata : nil
        version = made.original.version
    }
}
