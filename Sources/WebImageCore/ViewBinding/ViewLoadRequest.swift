import Foundation

/// The parameters of one load of a view.
@MainActor struct ViewLoadRequest {
    var url: URL
    var placeholder: Image?
    var options: WebImageOptions
    var context: RequestContext
    var loader: any ViewImageLoading
    var setImage: ViewSetImageBlock?
    /// The further image of the view that `setImage` sets; nil if `setImage` is a block of the caller or nil.
    var own: FurtherViewImage?
    /// The identity of the loader that finally performs the load. The identity is recorded when the request is
    /// created, because a recycled row may later forward its loads to another manager.
    let manager: RoleIdentity

    init(
        url: URL, placeholder: Image?, options: WebImageOptions, context: RequestContext,
        loader: any ViewImageLoading, setImage: ViewSetImageBlock?, own: FurtherViewImage?
    ) {
        self.url = url
        self.placeholder = placeholder
        self.options = options
        self.context = context
        self.loader = loader
        self.setImage = setImage
        self.own = own
        // Check for `WebImageManager` first: a class check is fast, and other loaders need a slow conformance lookup.
        let next = loader is WebImageManager ? nil : (loader as? any ForwardingViewLoader)?.nextLoader
        manager = RoleIdentity(next ?? loader)
    }

    /// Whether the load can be repeated later. A load with a block of the caller cannot be repeated, because such a
    /// block is not retained after the load.
    var isRepeatable: Bool { setImage == nil || own != nil }

    /// Returns whether `other` can join a load of this request. Both requests must have the same parameters.
    func isJoinable(by other: ViewLoadRequest) -> Bool {
        url == other.url && options == other.options && setImage == nil && other.setImage == nil
            && options.isDisjoint(with: Self.neverJoinedOptions) && manager == other.manager
            && RoleIdentity(loader) == RoleIdentity(other.loader)
            && (context.forRoles ?? [:]).isSame(as: other.context.forRoles ?? [:])
    }

    private static let neverJoinedOptions: WebImageOptions = [
        .refreshCached, .fromLoaderOnly, .queryMemoryData, .avoidAutoSetImage, .avoidAutoCancelImage,
        .forceTransition,
    ]
}

/// Reads and sets a further image of a view, such as the image of a button for one state. Its blocks must not
/// capture objects of the caller, because the blocks are retained after the load.
@MainActor package struct FurtherViewImage {
    let get: @MainActor () -> Image?
    let set: @MainActor (Image?) -> Void

    package init(get: @escaping @MainActor () -> Image?, set: @escaping @MainActor (Image?) -> Void) {
        self.get = get
        self.set = set
    }

    var block: ViewSetImageBlock { { [set] image, _, _, _ in set(image) } }
}

/// The blocks of one caller that receive the results of a load.
struct ViewLoadListener {
    var progress: ViewImageProgressBlock?
    var completed: ViewImageInternalCompletedBlock?
}

/// The values of one delivery of a loader.
struct ViewLoadResult: Sendable {
    var image: Image?
    var data: Data?
    var error: WebImageError?
    var cacheType = ImageCacheType.none
    var finished = true
}
