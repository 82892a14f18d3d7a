import Foundation

/// The parameters of one load of a view.
@MainActor struct ViewLoadRequest {
    var url: URL
    var placeholder: Image?
    var options: WebImageOptions
    var context: RequestContext
    var loader: any ViewImageLoading
    var setImage: ViewSetImageBlock?
    /// The view's own image that `setImage` sets, if it is one.
    var own: FurtherViewImage?
    /// The loader that performs the load in the end: a recycled row may forward its loads to another manager by now.
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
        // Check for a manager first, because it is recognised quickly; other loaders need a conformance lookup.
        let next = loader is WebImageManager ? nil : (loader as? any ForwardingViewLoader)?.nextLoader
        manager = RoleIdentity(next ?? loader)
    }

    /// Whether a released image can be requested again: blocks of the caller are not stored beyond the load.
    var isRepeatable: Bool { setImage == nil || own != nil }

    /// Whether a load for `other` does everything that a load for this request does.
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

/// A further image of a view, such as a button's image for a state: how it is read and set. Holds nothing of the
/// caller.
@MainActor package struct FurtherViewImage {
    let get: @MainActor () -> Image?
    let set: @MainActor (Image?) -> Void

    package init(get: @escaping @MainActor () -> Image?, set: @escaping @MainActor (Image?) -> Void) {
        self.get = get
        self.set = set
    }

    var block: ViewSetImageBlock { { [set] image, _, _, _ in set(image) } }
}

/// A listener of one load.
struct ViewLoadListener {
    var progress: ViewImageProgressBlock?
    var completed: ViewImageInternalCompletedBlock?
}

/// A delivery of a loader.
struct ViewLoadResult: Sendable {
    var image: Image?
    var data: Data?
    var error: WebImageError?
    var cacheType = ImageCacheType.none
    var finished = true
}
