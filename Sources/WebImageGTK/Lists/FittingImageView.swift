import CWebImageGTK
import CWebImageGTKShim
public import Foundation
public import WebImageCore

/// A widget that reserves its picture's true proportions as soon as they are known.
///
/// They are known at once for a picture seen before (its size is remembered beyond its bytes), else from the first bytes
/// of the file, else with the picture. Until then the widget has the proportions it was made with. Main actor only.
@MainActor public final class FittingImageView: ImageListRow {
    /// The side that the layout gives; the other follows.
    public enum Axis: Sendable {
        /// As high as the width asks, as in a list that scrolls down.
        case heightForWidth
        /// As wide as the height asks, as in one that scrolls sideways.
        case widthForHeight
    }

    /// The `GtkWidget`: put it into a row or any container.
    public let widget: OpaquePointer
    /// The view inside it.
    public let imageView: ImageView
    /// What the widget has while nothing is known.
    public let defaultProportions: PixelSize
    /// What the widget has now: only the ratio counts.
    public private(set) var proportions: PixelSize
    /// Whether the proportions are the picture's own.
    public private(set) var isFitting = false

    /// Called after the proportions changed, before the next layout.
    var onChange: (@MainActor () -> Void)?
    private var generation = 0

    /// A view with the proportions of what it is likely to show.
    ///
    /// - Parameter imageView: The view inside it; an ``AnimatedImageView`` plays animations. Nil makes an ``ImageView``.
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

    /// Itself.
    public var fittingView: FittingImageView? { self }

    /// Shows the placeholder, or nothing, and then the picture of a URL, in the picture's proportions.
    ///
    /// - Returns: the load, to be cancelled alone; nil without a URL.
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

    /// Takes the proportions known of a request, and gives the context in which its load tells more.
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

    /// Takes the proportions of a picture whose size was not known before it.
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
