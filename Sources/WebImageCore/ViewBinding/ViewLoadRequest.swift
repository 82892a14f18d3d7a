import Foundation

/// What a caller wants of one load of a view.
@MainActor struct ViewLoadRequest {
    var url: URL
    var placeholder: Image?
    var options: WebImageOptions
    var context: WebImageContext
    var loader: any ViewImageLoading
    var setImage: ViewSetImageBlock?

    /// Whether a load for this would do nothing that a load for `other` does not.
    func isRepeated(by other: ViewLoadRequest) -> Bool {
        url == other.url && options == other.options && setImage == nil && other.setImage == nil
            && options.isDisjoint(with: Self.alwaysAnew) && (loader as AnyObject) === (other.loader as AnyObject)
            && context.isSame(as: other.context)
    }

    private static let alwaysAnew: WebImageOptions = [
        .refreshCached, .fromLoaderOnly, .queryMemoryData, .avoidAutoSetImage, .avoidAutoCancelImage,
        .forceTransition,
    ]
}

/// Who hears of one load.
struct ViewLoadListener {
    var progress: ViewImageProgressBlock?
    var completed: ViewImageInternalCompletedBlock?
}

/// What a loader delivers.
struct ViewLoadResult: Sendable {
    var image: Image?
    var data: Data?
    var error: WebImageError?
    var cacheType = ImageCacheType.none
    var finished = true
}
