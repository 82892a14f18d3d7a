import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// A widget that takes the proportions of its image as soon as they are known.
///
/// They are known at once for an image that was loaded before: the cache remembers its size even after the image was
/// evicted. Otherwise they come with the first bytes of the file, at the latest with the image. Until then the widget
/// has ``defaultProportions``. Main actor only.
@MainActor public final class FittingImageView: ImageListRow {
    /// The side that the widget computes from the other one.
    public enum Axis: Sendable {
        /// The height follows from the width, as in a list that scrolls down.
        case heightForWidth
        /// The width follows from the height, as in a list that scrolls sideways.
        case widthForHeight
    }

    /// The `GtkWidget`: put it into a row or any container.
    public let widget: OpaquePointer
    /// The view inside the widget.
    public let imageView: ImageView
    /// The proportions while those of the image are unknown: only the ratio counts.
    public let defaultProportions: PixelSize
    /// The current proportions: only the ratio counts.
    public private(set) var proportions: PixelSize
    /// Whether the proportions are those of the image.
    public private(set) var isFitting = false

    /// Called after the proportions changed, before the next layout.
    var onChange: (@MainActor () -> Void)?
    private var generation = 0

    /// Makes a view that has default proportions until those of its image are known.
    ///
    /// - Parameter imageView: The view inside the widget; an ``AnimatedImageView`` gives control over animations. Nil
    ///   makes an ``ImageView``.
    public init(
        _ axis: Axis = .heightForWidth, defaultProportions: PixelSize = PixelSize(width: 3, height: 2),
        imageView: ImageView? = nil
    ) {
        let imageView = imageView ?? ImageView()
        self.imageView = imageView
        self.defaultProportions = defaultProportions
        proportions = defaultProportions
        let box = webimage_fitting_box_new(
            imageView.widget, axis == .heightForWidth, Int32(clamping: defaultProportions.width),
            Int32(clamping: defaultProportions.height))
        widget = box
        g_object_ref_sink(UnsafeMutableRawPointer(box))
        HandleLedger.opened("GtkWidget")
    }

    isolated deinit {
        g_object_unref(UnsafeMutableRawPointer(widget))
        HandleLedger.closed("GtkWidget")
    }

    /// This view.
    public var fittingView: FittingImageView? { self }

    /// Shows the placeholder (nil shows nothing), then the image of a URL, in the image's proportions.
    ///
    /// - Returns: the load, which can be cancelled alone; nil without a URL.
    @discardableResult
    public func setImage(
        with url: URL?, placeholderImage: Image? = nil, options: WebImageOptions = [],
        context: WebImageContext? = nil, completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        let context = fit(ImageListRequest(url, options: options, context: context))
        return imageView.setImage(
            with: url, placeholderImage: placeholderImage, options: options, context: context
        ) { [weak self] image, error, origin, url in
            self?.hasEnded(with: image)
            completed?(image, error, origin, url)
        }
    }

    /// Applies the known proportions of a request; returns a context with which the load reports the size in the file's
    /// header.
    func fit(_ request: ImageListRequest) -> WebImageContext {
        generation += 1
        let generation = generation
        let known = KnownPixelSize(request)
        if let size = known.remembered { take(size, isOwn: true) } else { take(defaultProportions, isOwn: false) }
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

    /// Applies the proportions of a loaded image if they were not known before.
    func hasEnded(with image: Image?) {
        guard let image, !isFitting else { return }
        take(image.pixelSize, isOwn: true)
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
