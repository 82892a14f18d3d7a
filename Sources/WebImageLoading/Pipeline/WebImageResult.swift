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

/// An event that a load delivers to its caller: to a completion block, to the sequence of ``WebImageEvents``, or to a
/// view.
package enum LoadDelivery: Sendable {
    case size(PixelSize)
    case progress(received: Int, expected: Int, url: URL?)
    case partial(Image)
    /// The cached image, before the load refreshes it. The load later delivers one of the events below.
    case cached(WebImageResult)

    /// The end of a load, with its image. Nil if the image is in no cache and the load must not use the loader.
    case finished(WebImageResult?)
    case failed(WebImageError)
    /// The end of a refresh that found no newer image. Contains the cached image.
    case unchanged(WebImageResult)
    /// The end of a refresh that failed. Contains the cached image and the error.
    case notRefreshed(WebImageResult, WebImageError)
}

// The values of a completion block.
extension LoadDelivery {
    /// Creates the event of a call of a completion block. Nil for a call that is not the last one and has no image.
    package init?(
        image: Image?, data: Data? = nil, error: WebImageError? = nil, cacheType: ImageCacheType, finished: Bool
    ) {
        guard finished else {
            guard let image else { return nil }
            self = .partial(image)
            return
        }
        let result = image.map { WebImageResult(image: $0, data: data, cacheType: cacheType) }
        switch (result, error) {
        case (let result, nil): self = .finished(result)
        case (nil, let error?): self = .failed(error)
        // A failed refresh delivers the cached image with the error, so that a caller that shows every image it receives
        // does not remove it.
        case (let result?, let error?): self = .notRefreshed(result, error)
        }
    }

    private var result: WebImageResult? {
        switch self {
        case .cached(let result), .finished(let result?), .unchanged(let result), .notRefreshed(let result, _): result
        case .size, .progress, .partial, .finished(nil), .failed: nil
        }
    }

    package var image: Image? { if case .partial(let image) = self { image } else { result?.image } }
    package var data: Data? { result?.data }
    package var cacheType: ImageCacheType { result?.cacheType ?? .none }

    package var error: WebImageError? {
        switch self {
        case .failed(let error), .notRefreshed(_, let error): error
        default: nil
        }
    }

    /// Whether the event has a complete image or ends the load.
    package var isFinished: Bool {
        switch self {
        case .size, .progress, .partial: false
        case .cached, .finished, .failed, .unchanged, .notRefreshed: true
        }
    }
}

/// Receives the events of a load that is not a memory hit.
struct DeliverySink: Sendable {
    /// The queue on which `receive` is called. Nil means the thread that produced the event. For progress and size,
    /// `receive` is always called on that thread.
    var queue: CallbackQueue?
    var wantsSize = false
    /// Whether `receive` does something with progress. If false, the load reports its progress only at its end.
    var wantsProgress = true
    var receive: @Sendable (LoadDelivery) -> Void
}
