import Foundation
package import WebImageCore
import WebImageLoading

/// The parameters of one load of a view.
@MainActor struct ViewLoadRequest {
    var request: ImageRequest
    var placeholder: Image?
    var loader: any ViewImageLoading
    var setImage: ViewSetImageBlock?
    /// The further image of the view that `setImage` sets; nil if `setImage` is a block of the caller or nil.
    var own: FurtherViewImage?
    /// The blocks of a view that shows its loads itself; nil if the view shows a delivered image.
    var owner: ViewLoadOwner?
    /// The size that the view will have after its first layout, if the caller knows this size.
    var expectedSize: ViewSize?
    /// The identity of the loader that finally performs the load. The identity is recorded when the request is
    /// created, because a recycled row may later forward its loads to another manager.
    let manager: RoleIdentity
    /// The manager that finally performs the load; nil if another loader performs it.
    let imageManager: WebImageManager?
    /// The state of the file at this request; nil if the URL is not a `file:` URL. A file that was edited is loaded again.
    private let file: FileState?

    init(
        _ request: ImageRequest, placeholder: Image? = nil, loader: any ViewImageLoading,
        setImage: ViewSetImageBlock? = nil, own: FurtherViewImage? = nil, owner: ViewLoadOwner? = nil,
        expectedSize: ViewSize? = nil
    ) {
        self.request = request
        file = FileState(request.url)
        self.placeholder = placeholder
        self.loader = loader
        self.setImage = setImage
        self.own = own
        self.owner = owner
        self.expectedSize = expectedSize
        let next = loader.nextLoader
        manager = RoleIdentity(next ?? loader)
        imageManager = (next ?? loader) as? WebImageManager
    }

    var url: URL { request.url }
    var options: WebImageOptions { request.options }
    var context: RequestContext { request.values }

    /// Returns the image in memory that the loader would deliver for a request.
    func imageInMemory(_ request: ImageRequest) -> Image? {
        // A manager takes the request itself. For another loader, the values must be converted to a dictionary.
        if let manager = loader as? WebImageManager { return manager.imageInMemory(for: request) }
        return loader.imageInMemory(for: request.url, context: request.context)
    }

    /// Whether the load can be repeated later. A load with a block of the caller cannot be repeated, because such a
    /// block is not retained after the load.
    var isRepeatable: Bool { setImage == nil || own != nil }

    /// Returns whether the running load of this request also satisfies `other`. The placeholder and the priority may
    /// differ. `isSettled` is whether the load has already delivered an image and now refreshes this image.
    func isJoinable(by other: ViewLoadRequest, isSettled: Bool) -> Bool {
        let (options, others) = (options.subtracting(Self.priorities), other.options.subtracting(Self.priorities))
        // A view that shows its loads itself always sets `.avoidAutoSetImage`.
        let never = owner == nil ? Self.neverJoinedOptions : Self.neverJoinedOptions.subtracting(.avoidAutoSetImage)
        return options == others && options.isDisjoint(with: never) && !isSettled && isSamePicture(as: other)
            && file == other.file
    }

    /// Returns whether the image that this request has delivered also satisfies `other`, so that no load is needed.
    func isAnswered(for other: ViewLoadRequest) -> Bool {
        options == other.options && options.isDisjoint(with: Self.neverJoinedOptions) && isSamePicture(as: other)
            && file == other.file
    }

    /// Returns whether both requests want the same picture in the same place. The options and the placeholder may
    /// differ.
    func isSamePicture(as other: ViewLoadRequest) -> Bool {
        url == other.url && hasSamePlace(as: other) && manager == other.manager
            && RoleIdentity(loader) == RoleIdentity(other.loader)
            && context == other.context
    }

    /// Returns whether both requests, which have the same operation key, set the same image of the view. Blocks of
    /// callers cannot be compared.
    private func hasSamePlace(as other: ViewLoadRequest) -> Bool {
        (own != nil) == (other.own != nil) && (owner != nil) == (other.owner != nil) && isRepeatable
            && other.isRepeatable
    }

    private static let priorities: WebImageOptions = [.lowPriority, .highPriority]
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

/// The blocks of a view that shows its loads itself, for example as phases. The blocks receive every load of a request,
/// also a load that is repeated after a failure. They must not capture objects of the caller, because they are retained
/// until the view is destroyed or another request replaces the request.
@MainActor package struct ViewLoadOwner {
    let begins: @MainActor (_ keepsImage: Bool) -> Void
    let waits: @MainActor () -> Void
    let progress: ViewImageProgressBlock
    let completed: ViewImageInternalCompletedBlock

    /// - Parameters:
    ///   - begins: Called before a load begins. `keepsImage` is true if the load refreshes the picture that the view
    ///     shows.
    ///   - waits: Called after a load has begun, unless the loader has already delivered an image or an error.
    package init(
        begins: @escaping @MainActor (_ keepsImage: Bool) -> Void, waits: @escaping @MainActor () -> Void,
        progress: @escaping ViewImageProgressBlock,
        completed: @escaping ViewImageInternalCompletedBlock
    ) {
        self.begins = begins
        self.waits = waits
        self.progress = progress
        self.completed = completed
    }
}

/// The blocks of one caller that receive the results of a load.
struct ViewLoadListener {
    var progress: ViewImageProgressBlock?
    var completed: ViewImageInternalCompletedBlock?
}
