public import Foundation
public import SDWebImage
public import WebImageGTK

extension WebImageAnimationOptions {
    /// The view receives input while it animates. Has no effect: views always receive input.
    public static let allowUserInteraction = WebImageAnimationOptions(rawValue: 1 << 1)
}

extension WidgetView {
    /// How an image is fitted into its view: ``WebImageGTK/ImageContentMode``.
    public typealias ContentMode = ImageContentMode

    /// The timing curve and the effect of an animation: ``WebImageGTK/WebImageAnimationOptions``.
    public typealias AnimationOptions = WebImageAnimationOptions

    /// The natural size of the view, in points.
    public var intrinsicContentSize: CGSize { naturalSize }

    /// Whether drawing outside the view is cut off. Always true; setting this property has no effect.
    public var clipsToBounds: Bool {
        get { true }
        set {}
    }

    /// The counterpart of UIKit's layer.
    public var layer: SDViewLayer { SDViewLayer(self) }

    /// Not available: views are added to GTK containers.
    @available(*, unavailable, message: "Put `widget` into a GTK container, such as gtk_box_append(_:_:)")
    public func addSubview(_ view: WidgetView) {}

    /// Not available: GTK's containers place widgets.
    @available(*, unavailable, message: "The container places `widget`; set its alignment, margins or size request")
    public var frame: CGRect {
        get { .zero }
        set {}
    }

    /// Not available: the theme draws the background.
    @available(*, unavailable, message: "Give `widget` a CSS class; the background is the theme's")
    public var backgroundColor: UIColor? {
        get { nil }
        set {}
    }
}

/// Appearance properties of a view. In UIKit, programs set these properties on the view's layer.
@MainActor public struct SDViewLayer {
    private let view: WidgetView
    init(_ view: WidgetView) { self.view = view }

    /// The corner radius, in points, of the picture of an ``WebImageGTK/ImageView``. Always 0 for other views; setting
    /// this property has no effect on them.
    public var cornerRadius: CGFloat {
        get { CGFloat((view as? ImageView)?.cornerRadius ?? 0) }
        nonmutating set { (view as? ImageView)?.cornerRadius = Double(newValue) }
    }

    /// Whether drawing outside the corners is cut off. Always true; setting this property has no effect.
    public var masksToBounds: Bool {
        get { true }
        nonmutating set {}
    }

    /// Not available: the theme draws borders.
    @available(*, unavailable, message: "Use SDImageRoundCornerTransformer, or give the widget a CSS class")
    public var borderWidth: CGFloat {
        get { 0 }
        nonmutating set {}
    }

    /// Not available: the theme draws borders.
    @available(*, unavailable, message: "Use SDImageRoundCornerTransformer, or give the widget a CSS class")
    public var borderColor: UIColor? {
        get { nil }
        nonmutating set {}
    }

    /// Not available: a layer has no image.
    @available(*, unavailable, message: "Set the image of a UIImageView")
    public var contents: Any? {
        get { nil }
        nonmutating set {}
    }
}

extension ImageContentMode {
    /// Stretches the image to the size of the view.
    public static let scaleToFill = ImageContentMode.fill
    /// Shows the whole image as large as possible.
    public static let scaleAspectFit = ImageContentMode.fit
    /// Fills the view with the image at the smallest possible size. Parts outside the view are cut off.
    public static let scaleAspectFill = ImageContentMode.cover

    /// Not available: views redraw themselves.
    @available(*, unavailable, message: "Views draw again by themselves; use scaleToFill")
    public static var redraw: ImageContentMode { .fill }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var top: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottom: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var left: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var right: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var topLeft: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var topRight: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottomLeft: ImageContentMode { .center }
    /// Not available: pictures are centred.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottomRight: ImageContentMode { .center }
}

extension ImageView {
    /// Creates a view that shows one image, and another image while the view is highlighted.
    public convenience init(image: UIImage?, highlightedImage: UIImage?) {
        self.init()
        self.image = image
        self.highlightedImage = highlightedImage
    }

    /// Not available: in this package, one image object contains all frames of an animation.
    @available(*, unavailable, message: "Set `image` to UIImage.animatedImage(with:duration:)")
    public var animationImages: [UIImage]? {
        get { nil }
        set {}
    }
}

extension AnimatedImageView {
    /// The index of the frame that the view shows.
    public var currentFrameIndex: UInt { UInt(clamping: ownCurrentFrameIndex) }
    /// The number of complete loops.
    public var currentLoopCount: UInt { UInt(clamping: ownCurrentLoopCount) }
    /// The limit for decoded frames in bytes. 0 means that only the shared budget of all animations applies.
    public var maxBufferSize: UInt {
        get { UInt(clamping: ownMaxBufferSize) }
        set { ownMaxBufferSize = Int(clamping: newValue) }
    }
    /// Not available: GTK has no run loop modes.
    @available(*, unavailable, message: "Frames follow the window's frame clock; remove the line")
    public var runLoopMode: RunLoop.Mode {
        get { .common }
        set {}
    }
}

extension WidgetView {
    /// The text for screen readers: ``WebImageGTK/WidgetView/alternativeText``.
    public var accessibilityLabel: String? {
        get { alternativeText }
        set { alternativeText = newValue }
    }
}
