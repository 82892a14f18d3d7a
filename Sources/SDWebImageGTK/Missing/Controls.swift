public import Foundation
public import SDWebImage
public import WebImageGTK

// UIKit's texts, controls and gestures, with the members that image code often uses. They are widgets and controllers of
// GTK. The members exist so that the compiler reports the message of the class, and not that a member is missing.

/// Not available: texts are widgets of GTK.
@available(*, unavailable, message: "Use a GtkLabel")
@MainActor open class UILabel: UIView {
    /// The text.
    public var text: String?
    /// The font.
    public var font: UIFont?
    /// The colour of the text.
    public var textColor: UIColor?
    /// The number of lines.
    public var numberOfLines = 1
    /// The place of the text.
    public var textAlignment = NSTextAlignment.natural
}

/// Not available: the theme places texts.
@available(*, unavailable, message: "Use gtk_label_set_xalign(_:_:) or gtk_label_set_justify(_:_:)")
public enum NSTextAlignment: Int, Sendable {
    /// At the left edge.
    case left
    /// In the middle.
    case center
    /// At the right edge.
    case right
    /// At the edge where a line begins.
    case natural
}

/// Not available: the theme decides about fonts.
@available(*, unavailable, message: "Give the widget a CSS class such as title-1, heading or caption")
public final class UIFont: Sendable {
    /// The use of a text.
    public enum TextStyle: Sendable {
        /// A usual text.
        case body
        /// A small text.
        case caption1
        /// A title.
        case headline
        /// A smaller title.
        case subheadline
        /// A large title.
        case title1
    }
    /// The weight of a font.
    public enum Weight: Sendable {
        /// A usual weight.
        case regular
        /// A light weight.
        case light
        /// A medium weight.
        case medium
        /// A weight between medium and bold.
        case semibold
        /// A heavy weight.
        case bold
    }
    /// A font of a name.
    public init?(name: String, size: CGFloat) {}
    private init() {}
    /// The system's font.
    public static func systemFont(ofSize size: CGFloat) -> UIFont { UIFont() }
    /// The system's font.
    public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { UIFont() }
    /// The system's heavy font.
    public static func boldSystemFont(ofSize size: CGFloat) -> UIFont { UIFont() }
    /// The font for a use.
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { UIFont() }
}

/// Not available: fields are widgets of GTK.
@available(*, unavailable, message: "Use a GtkEntry")
@MainActor open class UITextField: UIView {}

/// Not available: texts are widgets of GTK.
@available(*, unavailable, message: "Use a GtkTextView")
@MainActor open class UITextView: UIView {}

/// Not available: fields are widgets of GTK.
@available(*, unavailable, message: "Use a GtkSearchEntry")
@MainActor open class UISearchBar: UIView {}

/// Not available: controls are widgets of GTK.
@available(*, unavailable, message: "Use a GtkSwitch")
@MainActor open class UISwitch: UIView {}

/// Not available: controls are widgets of GTK.
@available(*, unavailable, message: "Use a GtkScale")
@MainActor open class UISlider: UIView {}

/// Not available: controls are widgets of GTK.
@available(*, unavailable, message: "Use linked GtkToggleButtons")
@MainActor open class UISegmentedControl: UIView {}

/// Not available: libadwaita provides pages with dots.
@available(*, unavailable, message: "Use an AdwCarousel with AdwCarouselIndicatorDots")
@MainActor open class UIPageControl: UIView {}

/// Not available: containers are widgets of GTK.
@available(*, unavailable, message: "Use a GtkBox")
@MainActor open class UIStackView: UIView {
    /// Makes a view with others side by side.
    public init(arrangedSubviews: [UIView]) { super.init(frame: .zero) }
    /// Makes a view.
    public override init(frame: CGRect) { super.init(frame: frame) }
    /// Adds a view.
    public func addArrangedSubview(_ view: UIView) {}
}

/// Not available: containers are widgets of GTK.
@available(*, unavailable, message: "Use a GtkScrolledWindow")
@MainActor open class UIScrollView: UIView {
    /// The size of the content.
    public var contentSize = CGSize.zero
    /// The place in the content.
    public var contentOffset = CGPoint.zero
    /// The largest zoom.
    public var maximumZoomScale: CGFloat = 1
    /// The smallest zoom.
    public var minimumZoomScale: CGFloat = 1
}

/// Not available: the scrolled window reports its place.
@available(*, unavailable, message: "Connect the signal `value-changed` of the GtkAdjustment of a GtkScrolledWindow")
public protocol UIScrollViewDelegate: AnyObject {}

/// Not available: the theme decides about effects.
@available(*, unavailable, message: "Show a picture made by SDImageBlurTransformer")
@MainActor open class UIVisualEffectView: UIView {
    /// Makes a view.
    public init(effect: UIBlurEffect?) { super.init(frame: .zero) }
}

/// Not available: the theme decides about effects.
@available(*, unavailable, message: "Show a picture made by SDImageBlurTransformer")
@MainActor public final class UIBlurEffect {
    /// How light the effect is.
    public enum Style: Sendable {
        /// Dark.
        case dark
        /// Light.
        case light
        /// Lighter.
        case extraLight
        /// As the system.
        case regular
    }
    /// Makes an effect.
    public init(style: Style) {}
}

/// Not available: containers have margins.
@available(*, unavailable, message: "Use gtk_widget_set_margin_start(_:_:) and the other margins of `widget`")
public struct UIEdgeInsets: Sendable {
    /// No margin.
    public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
    /// Makes margins.
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) {}
}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGesture with gtk_widget_add_controller(_:_:)")
@MainActor open class UIGestureRecognizer {
    /// Makes a recogniser.
    public init(target: Any? = nil, action: Any? = nil) {}
}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
@MainActor open class UITapGestureRecognizer: UIGestureRecognizer {
    /// The number of taps.
    public var numberOfTapsRequired = 1
}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGestureLongPress with gtk_widget_add_controller(_:_:)")
@MainActor open class UILongPressGestureRecognizer: UIGestureRecognizer {}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGestureZoom with gtk_widget_add_controller(_:_:)")
@MainActor open class UIPinchGestureRecognizer: UIGestureRecognizer {}

/// Not available: widgets receive events through controllers.
@available(*, unavailable, message: "Add a GtkGestureDrag with gtk_widget_add_controller(_:_:)")
@MainActor open class UIPanGestureRecognizer: UIGestureRecognizer {}

extension WidgetView {
    /// Not available: spinners are widgets of GTK.
    @available(*, unavailable, message: "Set sd_imageIndicator of the image view, or use a GtkSpinner")
    public convenience init(style: Style) { self.init() }

    /// Not available: spinners are widgets of GTK.
    @available(*, unavailable, message: "Use gtk_spinner_start(_:) with a GtkSpinner, or sd_imageIndicator")
    public func startAnimating() {}

    /// Not available: spinners are widgets of GTK.
    @available(*, unavailable, message: "Use gtk_spinner_stop(_:) with a GtkSpinner, or sd_imageIndicator")
    public func stopAnimating() {}

    /// Not available: a spinner that does not spin shows nothing.
    @available(*, unavailable, message: "Remove the line: a GtkSpinner that does not spin shows nothing")
    public var hidesWhenStopped: Bool {
        get { true }
        set {}
    }

    /// Not available: the theme colours spinners.
    @available(*, unavailable, message: "Give `widget` a CSS class that sets its color")
    public var color: UIColor? {
        get { nil }
        set {}
    }

    /// Not available: bars are widgets of GTK.
    @available(*, unavailable, message: "Use gtk_progress_bar_set_fraction(_:_:), or SDWebImageProgressIndicator")
    public var progress: Float {
        get { 0 }
        set {}
    }

    /// Not available: bars are widgets of GTK.
    @available(*, unavailable, message: "Use gtk_progress_bar_set_fraction(_:_:), or SDWebImageProgressIndicator")
    public func setProgress(_ progress: Float, animated: Bool) {}
}

extension Button {
    /// The look of a button in UIKit.
    public enum ButtonType: Sendable {
        /// No look of its own.
        case custom
        /// A text in the tint colour.
        case system
        /// An icon for details.
        case detailDisclosure
        /// An icon for information, on a light ground.
        case infoLight
        /// An icon for information, on a dark ground.
        case infoDark
        /// An icon for a new contact.
        case contactAdd
        /// An icon for closing.
        case close
    }

    /// An event of a control in UIKit.
    public enum Event: Sendable {
        /// A tap.
        case touchUpInside
        /// A touch.
        case touchDown
        /// A changed value.
        case valueChanged
    }

    /// Not available: the theme decides how a button looks.
    @available(*, unavailable, message: "Use UIButton(); a CSS class such as flat or suggested-action sets its look")
    public convenience init(type: ButtonType) { self.init() }

    /// Not available: a button contains one widget.
    @available(*, unavailable, message: "Put a GtkLabel beside the picture with gtk_button_set_child(_:_:)")
    public func setTitle(_ title: String?, for state: ControlState) {}

    /// Not available: the theme colours texts.
    @available(*, unavailable, message: "Give `widget` a CSS class that sets its color")
    public func setTitleColor(_ color: UIColor?, for state: ControlState) {}

    /// Not available: GTK reports events as signals.
    @available(*, unavailable, message: "Connect the signal `clicked` of `widget`")
    public func addTarget(_ target: Any?, action: Any?, for event: Event) {}

    /// Not available: the state of a widget is GTK's.
    @available(*, unavailable, message: "Use gtk_widget_set_state_flags(_:_:_:) with GTK_STATE_FLAG_SELECTED")
    public var isSelected: Bool {
        get { false }
        set {}
    }

    /// Not available: the state of a widget is GTK's.
    @available(*, unavailable, message: "Use gtk_widget_set_sensitive(_:_:) with `widget`")
    public var isEnabled: Bool {
        get { true }
        set {}
    }

    /// Not available: a button draws its picture itself.
    @available(*, unavailable, message: "Use image(for:); a button shows its picture whole")
    public var imageView: UIImageView? { nil }

    /// Not available: a button contains one widget.
    @available(*, unavailable, message: "Put a GtkLabel beside the picture with gtk_button_set_child(_:_:)")
    public var titleLabel: UILabel? { nil }
}

extension ImageView {
    /// Not available: an animation is one image.
    @available(*, unavailable, message: "The duration is that of UIImage.animatedImage(with:duration:)")
    public var animationDuration: TimeInterval {
        get { 0 }
        set {}
    }

    /// Not available: an animation has its own number of loops.
    @available(*, unavailable, message: "Set sd_imageLoopCount of the image, or use SDAnimatedImageView")
    public var animationRepeatCount: Int {
        get { 0 }
        set {}
    }
}
