import Foundation

/// What a caller wants of one load of a view.
@MainActor struct ViewLoadRequest {
    var url: URL
    var placeholder: Image?
    var options: WebImageOptions
    var context: RequestContext
    var loader: any ViewImageLoading
    var setImage: ViewSetImageBlock?
    /// What `setImage` sets, where it is the view's own way.
    var own: ViewOwnPicture?
    /// What loads in the end: a recycled row hands its loads to a manager that may be another one by now.
    let manager: RoleIdentity

    init(
        url: URL, placeholder: Image?, options: WebImageOptions, context: RequestContext,
        loader: any ViewImageLoading, setImage: ViewSetImageBlock?, own: ViewOwnPicture?
    ) {
        self.url = url
        self.placeholder = placeholder
        self.options = options
        self.context = context
        self.loader = loader
        self.setImage = setImage
        self.own = own
        // Asked first: a manager is known quickly, other loaders are asked for their roles.
        let next = loader is WebImageManager ? nil : (loader as? any ForwardingViewLoader)?.nextLoader
        manager = RoleIdentity(next ?? loader)
    }

    /// Whether a picture given up can be asked for again: blocks of the caller's are not kept beyond the load.
    var isRepeatable: Bool { setImage == nil || own != nil }

    /// Whether a load for this would do nothing that a load for `other` does not.
    func isRepeated(by other: ViewLoadRequest) -> Bool {
        url == other.url && options == other.options && setImage == nil && other.setImage == nil
            && options.isDisjoint(with: Self.alwaysAnew) && manager == other.manager
            && RoleIdentity(loader) == RoleIdentity(other.loader)
            && (context.forRoles ?? [:]).isSame(as: other.context.forRoles ?? [:])
    }

    private static let alwaysAnew: WebImageOptions = [
        .refreshCached, .fromLoaderOnly, .queryMemoryData, .avoidAutoSetImage, .avoidAutoCancelImage,
        .forceTransition,
    ]
}

/// A further picture of a view, as a button's for a state: how it is read and set. Holds nothing of a caller's.
@MainActor package struct ViewOwnPicture {
    let get: @MainActor () -> Image?
    let set: @MainActor (Image?) -> Void

    package init(get: @escaping @MainActor () -> Image?, set: @escaping @MainActor (Image?) -> Void) {
        self.get = get
        self.set = set
    }

    var block: ViewSetImageBlock { { [set] image, _, _, _ in set(image) } }
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
