import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore
public import WebImageLoading
public import WebImageViews

/// A widget with the proportions of its image. The widget changes its proportions as soon as those of the image are
/// known.
///
/// If the image was loaded before, the cache returns the size of the image immediately, even after the image was
/// evicted. Otherwise the size is read from the first bytes of the file or, at the latest, from the loaded image. Until
/// the size is known, the widget has ``defaultProportions``. Main actor only.
@MainActor public final class FittingImageView: ImageListRow {
    /// The side that the widget computes from its other side.
    public enum Axis: Sendable {
        /// The widget computes its height from its width, as in a list that scrolls down.
        case heightForWidth
        /// The widget computes its width from its height, as in a list that scrolls sideways.
        case widthForHeight
    }

    /// The `GtkWidget`. Put this widget into a row or another container. It is valid as long as this object exists, and
    /// afterwards until the main loop has run once more.
    public let widget: OpaquePointer
    /// The view inside the widget.
    public let imageView: ImageView
    /// The side that the widget computes from its other side.
    let axis: Axis
    /// The proportions of the widget while the image's proportions are unknown. Only the ratio of the sides matters.
    public let defaultProportions: PixelSize
    /// The current proportions. Only the ratio of the sides matters.
    public private(set) var proportions: PixelSize
    /// Whether the proportions are those of the image.
    public private(set) var isFitting = false

    /// Called after the proportions changed, before the next layout.
    var onChange: (@MainActor () -> Void)?
    private var generation = 0
    /// Whether the view has no picture to show. It then takes no space.
    var isEmpty = false {
        didSet {
            guard isEmpty != oldValue else { return }
            webimage_fitting_box_set_empty(widget, isEmpty)
            onChange?()
        }
    }
    /// The request whose picture has determined the proportions.
    private var fitted: (url: URL?, usesHeaderSize: Bool)?

    /// Makes a view that has default proportions until the proportions of its image are known.
    ///
    /// - Parameter imageView: The view inside the widget. Use an ``AnimatedImageView`` to control animations. If nil,
    ///   the widget uses a new ``ImageView``.
    public init(
        _ axis: Axis = .heightForWidth, defaultProportions: PixelSize = PixelSize(width: 3, height: 2),
        imageView: ImageView? = nil
    ) {
        let imageView = imageView ?? ImageView()
        self.imageView = imageView
        self.axis = axis
        imageView.state.fittingAxis = axis
        self.defaultProportions = defaultProportions
        proportions = defaultProportions
        let box = webimage_fitting_box_new(
            imageView.widget, axis == .heightForWidth, Int32(clamping: defaultProportions.width),
            Int32(clamping: defaultProportions.height))
        widget = box
        g_object_ref_sink(UnsafeMutableRawPointer(box))
        HandleLedger.opened("GtkWidget")
    }

    isolated deinit { DeferredRelease.release(widget, "GtkWidget") }

    /// This view.
    public var fittingView: FittingImageView? { self }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, in the image's proportions. Without a URL and
    /// without a placeholder, the widget takes no space.
    ///
    /// - Returns: the load, which the caller can cancel; nil without a URL.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let context = fit(
            ImageListRequest(url, placeholderImage: placeholderImage, options: options, context: context))
        return imageView.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context
        ) { [weak self] image, error, origin, url in
            self?.hasEnded(with: image)
            completed?(image, error, origin, url)
        }
    }

    /// Applies the known or default proportions of a request's image. Returns the context for the load. If the size in
    /// the file's header is usable, this context contains a receiver for this size.
    func fit(_ request: ImageListRequest) -> WebImageContext {
        isEmpty = request.url == nil && request.placeholderImage == nil
        let known = KnownPixelSize(request)
        // If the same picture is requested again, the size that its running load receives is still right.
        if fitted?.url != request.url || fitted?.usesHeaderSize != known.usesHeaderSize {
            generation += 1
            fitted = (request.url, known.usesHeaderSize)
            if known.remembered == nil { take(defaultProportions, isOwn: false) }
        }
        if let size = known.remembered { take(size, isOwn: true) }
        let generation = generation
        var context = request.context ?? [:]
        guard known.usesHeaderSize else { return context }
        context[.pixelSizeReceiver] = PixelSizeReceiver { [weak self] size in
            MainThread.run {
                guard let self, self.generation == generation, !self.isFitting else { return }
                self.take(size, isOwn: true)
            }
        }
        return context
    }

    /// Applies the proportions of a loaded image if the proportions were not known before, or if the image has other
    /// proportions, for example after a refresh.
    func hasEnded(with image: Image?) {
        guard let image, !isFitting || !hasProportions(of: image.pixelSize) else { return }
        take(image.pixelSize, isOwn: true)
    }

    /// Returns whether a size has the current proportions, except for the rounding of a thumbnail's sides.
    private func hasProportions(of size: PixelSize) -> Bool {
        let (width, height) = (Double(size.width), Double(size.height))
        let (ownWidth, ownHeight) = (Double(proportions.width), Double(proportions.height))
        return abs(width * ownHeight / ownWidth - height) < 1.5 || abs(height * ownWidth / ownHeight - width) < 1.5
    }

    private func take(_ size: PixelSize, isOwn: Bool) {
        guard size.width > 0, size.height > 0 else { return }
        isFitting = isOwn
        guard size != proportions else { return }
        proportions = size
        webimage_fitting_box_set_proportions(widget, Int32(clamping: size.width), Int32(clamping: size.height))
        onChange?()
    }
}
