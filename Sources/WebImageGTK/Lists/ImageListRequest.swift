public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

/// The image that a row of a list shows.
public struct ImageListRequest {
    /// The URL of the image; nil shows only the placeholder.
    public var url: URL?
    /// The image shown until the load ends.
    public var placeholderImage: Image?
    /// The options of the load. The list sets the priority itself: high for visible rows, low for rows that become
    /// visible soon.
    public var options: WebImageOptions
    /// The context of the load. The keys are the same as for the load of any other view. Without a size, and with
    /// `.thumbnail(.viewSize)`, images are decoded at the size of the list's rows, also the images that are loaded before
    /// their rows have widgets. The rows must have a size without an image (``WidgetView/fixedSize``, or a
    /// ``FittingImageView``).
    public var context: WebImageContext?
    /// The pictures of the row's further views (``ImageListRow/furtherImageViews``), in their order. They are loaded,
    /// prefetched and cancelled as the first one, each at the size of its own view. A view without a request shows no
    /// picture.
    public var further: [ImageListRequest] = []
    /// Receives the progress of the row's loads, on the main actor.
    public var progress: ViewImageProgressBlock?
    /// Receives the end of each load of the row, on the main actor. A row that is scrolled out of sight ends its load with
    /// `.cancelled`; another load begins when the row is needed again.
    public var completed: ViewImageCompletedBlock?

    /// Makes a request with the options and context of a view's load.
    public init(
        _ url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [], context: WebImageContext? = nil
    ) {
        self.url = url
        self.placeholderImage = placeholderImage
        self.options = options
        self.context = context
    }
}

extension ImageListRequest {
    /// The loader of the request: the value of `.customManager` in the context. If there is no such value, the request
    /// uses the default loader.
    var loader: any ViewImageLoading {
        context?[.customManager] as? any ViewImageLoading ?? ImageViewBinding.defaultLoader()
    }

    /// The manager that performs the load; nil if another loader performs it.
    var imageManager: WebImageManager? { loader as? WebImageManager }

    /// Returns whether both requests want the same picture. The placeholder and the closures may differ.
    func hasSamePicture(as other: ImageListRequest) -> Bool {
        guard url == other.url, options == other.options, RoleIdentity(loader) == RoleIdentity(other.loader) else {
            return false
        }
        return context == nil && other.context == nil
            || RequestContext(context).with(.customManager, nil)
                == RequestContext(other.context).with(.customManager, nil)
    }

    /// Returns the box in which the picture is decoded for a size of its view; nil without a limit.
    func box(at size: ViewSize) -> CGSize? {
        guard case .area = size, let url else { return size.box(for: nil) }
        let request = ImageRequest(url: url, options: options, values: RequestContext(context))
        return size.box(for: imageManager?.rememberedPixelSize(of: request))
    }

    func options(for interest: ScrollPrefetchPolicy.Interest) -> WebImageOptions {
        options.subtracting([.lowPriority, .highPriority])
            .union(interest == .visible ? .highPriority : .lowPriority)
    }
}
