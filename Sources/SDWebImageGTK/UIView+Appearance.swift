public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    /// How pictures are fitted; ``WebImageGTK/ImageContentMode``.
    public typealias ContentMode = ImageContentMode

    /// A view that asks for a size in points; its place is its container's to choose.
    public convenience init(frame: CGRect) {
        self.init()
        requestSize(frame.size)
    }

    /// The size the view likes best, in points.
    public var intrinsicContentSize: CGSize { naturalSize }

    /// Whether what stands out of the view is cut off: always, so that setting it changes nothing.
    public var clipsToBounds: Bool {
        get { true }
        set {}
    }

    /// The looks that the original's layer has.
    public var layer: SDViewLayer { SDViewLayer(self) }

    /// The container is GTK's.
    @available(*, unavailable, message: "Put `widget` into a GTK container, such as gtk_box_append(_:_:)")
    public func addSubview(_ view: WidgetView) {}

    /// The place in the container is GTK's.
    @available(*, unavailable, message: "The container places `widget`; set its alignment, margins or size request")
    public var frame: CGRect {
        get { .zero }
        set {}
    }

    /// The background is the theme's.
    @available(*, unavailable, message: "Give `widget` a CSS class; the background is the theme's")
    public var backgroundColor: UIColor? {
        get { nil }
        set {}
    }
}

/// The looks of a view that the original sets at its layer.
@MainActor public struct SDViewLayer {
    private let view: WidgetView
    init(_ view: WidgetView) { self.view = view }

    /// The radius of the corners of an ``WebImageGTK/ImageView``'s picture, in points; 0 for any other view.
    public var cornerRadius: CGFloat {
        get { CGFloat((view as? ImageView)?.cornerRadius ?? 0) }
        nonmutating set { (view as? ImageView)?.cornerRadius = Double(newValue) }
    }

    /// Whether what stands out of the corners is cut off: always, so that setting it changes nothing.
    public var masksToBounds: Bool {
        get { true }
        nonmutating set {}
    }

    /// Lines around views are the theme's.
    @available(*, unavailable, message: "Use SDImageRoundCornerTransformer, or give the widget a CSS class")
    public var borderWidth: CGFloat {
        get { 0 }
        nonmutating set {}
    }

    /// Lines around views are the theme's.
    @available(*, unavailable, message: "Use SDImageRoundCornerTransformer, or give the widget a CSS class")
    public var borderColor: UIColor? {
        get { nil }
        nonmutating set {}
    }

    /// Layers hold no pictures.
    @available(*, unavailable, message: "Set the image of a UIImageView")
    public var contents: Any? {
        get { nil }
        nonmutating set {}
    }
}

extension ImageContentMode {
    /// Stretched to the view's shape.
    public static let scaleToFill = ImageContentMode.fill
    /// As large as it can be seen whole.
    public static let scaleAspectFit = ImageContentMode.fit
    /// As small as it leaves nothing of the view empty.
    public static let scaleAspectFill = ImageContentMode.cover

    /// Views draw again by themselves.
    @available(*, unavailable, message: "Views draw again by themselves; use scaleToFill")
    public static var redraw: ImageContentMode { .fill }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var top: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottom: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var left: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var right: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var topLeft: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var topRight: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottomLeft: ImageContentMode { .center }
    /// Pictures stand in the middle.
    @available(*, unavailable, message: "Use center, and align the widget in its container")
    public static var bottomRight: ImageContentMode { .center }
}

// Initialisers of extensions cannot be overridden: those of subclasses have a further parameter with a default.

extension ImageView {
    /// A view that asks for a size in points; its place is its container's to choose.
    public convenience init(frame: CGRect, image: UIImage? = nil) {
        self.init()
        requestSize(frame.size)
        self.image = image
    }

    /// A view that shows a picture, and another while it is highlighted.
    public convenience init(image: UIImage?, highlightedImage: UIImage?) {
        self.init()
        self.image = image
        self.highlightedImage = highlightedImage
    }

    /// Pictures of a list of one's own.
    @available(*, unavailable, message: "Set `image` to UIImage.animatedImage(with:duration:)")
    public var animationImages: [UIImage]? {
        get { nil }
        set {}
    }
}

extension Button {
    /// A button that asks for a size in points; its place is its container's to choose.
    public convenience init(frame: CGRect, image: UIImage? = nil) {
        self.init()
        requestSize(frame.size)
        if let image { setImage(image, for: .normal) }
    }
}

extension AnimatedImageView {
    /// A view that shows a picture, and plays it by itself if it is animated and `plays`.
    public convenience init(image: UIImage?, plays: Bool = true) {
        self.init()
        autoPlayAnimatedImage = plays
        self.image = image
    }

    /// A view that asks for a size in points; its place is its container's to choose.
    public convenience init(frame: CGRect, animatedImage: UIImage? = nil) {
        self.init()
        requestSize(frame.size)
        image = animatedImage
    }

    /// The number of the frame shown.
    public var currentFrameIndex: UInt { UInt(clamping: ownCurrentFrameIndex) }
    /// Complete loops.
    public var currentLoopCount: UInt { UInt(clamping: ownCurrentLoopCount) }
    /// Bytes the decoded frames may take; 0 leaves it to the budget of all animations.
    public var maxBufferSize: UInt {
        get { UInt(clamping: ownMaxBufferSize) }
        set { ownMaxBufferSize = Int(clamping: newValue) }
    }
    /// There are no run loop modes here.
    @available(*, unavailable, message: "Frames follow the window's frame clock; remove the line")
    public var runLoopMode: RunLoop.Mode {
        get { .common }
        set {}
    }
}
