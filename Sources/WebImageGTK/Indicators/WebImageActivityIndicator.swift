import CWebImageGTK
public import WebImageCore

/// A spinner for a load of unknown length.
@MainActor public final class WebImageActivityIndicator: WebImageIndicator {
    /// The size of the spinner.
    public enum Size: Int, Sendable, Hashable {
        /// 20 points.
        case medium = 20
        /// 37 points.
        case large = 37
    }

    /// The `GtkSpinner`.
    public let indicatorView: WidgetView

    /// Makes a spinner. Without a colour, the spinner has the colour of the theme.
    public init(size: Size = .medium, color: ImageColor? = nil) {
        let spinner = WidgetView.view(ofNew: gtk_spinner_new())
        let widget = UnsafeMutablePointer<GtkWidget>(spinner.widget)
        gtk_widget_set_size_request(widget, CInt(size.rawValue), CInt(size.rawValue))
        gtk_widget_set_halign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_valign(widget, GTK_ALIGN_CENTER)
        gtk_widget_set_can_target(widget, 0)
        gtk_widget_set_visible(widget, 0)
        if let color { IndicatorStyle.setColor(color, of: spinner.widget) }
        indicatorView = spinner
    }

    /// Whether the spinner spins.
    public var isAnimating: Bool { gtk_spinner_get_spinning(indicatorView.widget) != 0 }

    /// Shows and starts the spinner.
    public func startAnimatingIndicator() {
        gtk_spinner_start(indicatorView.widget)
        indicatorView.isHidden = false
    }

    /// Stops and hides the spinner.
    public func stopAnimatingIndicator() {
        gtk_spinner_stop(indicatorView.widget)
        indicatorView.isHidden = true
    }
}

// The built-in indicators. Each access makes a new indicator.
extension WebImageActivityIndicator {
    /// A medium, grey spinner.
    public static var gray: WebImageActivityIndicator { .init(color: ImageColor(white: 0.5)) }
    /// A large, grey spinner.
    public static var grayLarge: WebImageActivityIndicator { .init(size: .large, color: ImageColor(white: 0.5)) }
    /// A medium, white spinner.
    public static var white: WebImageActivityIndicator { .init(color: .white) }
    /// A large, white spinner.
    public static var whiteLarge: WebImageActivityIndicator { .init(size: .large, color: .white) }
    /// A medium spinner in the theme's colour.
    public static var medium: WebImageActivityIndicator { .init() }
    /// A large spinner in the theme's colour.
    public static var large: WebImageActivityIndicator { .init(size: .large) }
}

/// Sets the colours of indicators. Each colour has a CSS class. The rule of this class is added to the default display.
@MainActor enum IndicatorStyle {
    private static var known: Set<String> = []

    static func setColor(_ color: ImageColor, of widget: OpaquePointer) {
        let name = "webimage-indicator-" + color.hexString.dropFirst()
        if known.insert(name).inserted {
            let bytes = [color.red, color.green, color.blue].map { String(Int(($0 * 255).rounded())) }
            let paint = "rgba(\(bytes.joined(separator: ",")),\(color.alpha))"
            guard let provider = gtk_css_provider_new() else { return }
            webimage_css_provider_load(provider, ".\(name) { color: \(paint); }")
            gtk_style_context_add_provider_for_display(
                gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
            g_object_unref(UnsafeMutableRawPointer(provider))
        }
        gtk_widget_add_css_class(UnsafeMutablePointer(widget), name)
    }
}
