public import Foundation
import SDWebImage
public import WebImageGTK

// UIKit's controllers, windows and application, with the members that image code often uses. They have no counterpart in
// GTK. The members exist so that the compiler reports the message of the class, and not that a member is missing.

/// Not available: each widget has the scale of its monitor.
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
@MainActor public final class UIScreen {
    /// The screen.
    public static var main: UIScreen { UIScreen() }
    /// Pixels per point.
    public var scale: CGFloat { 1 }
    /// The size of the screen.
    public var bounds: CGRect { .zero }
    private init() {}
}

/// Not available: the main loop of GTK handles events.
@available(*, unavailable, message: "Remove the superclass; GTK reports events as signals and through controllers")
@MainActor open class UIResponder {
    /// Makes a responder.
    public init() {}
}

/// Not available: GTK provides the windows and pages.
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
@MainActor open class UIViewController: UIResponder {
    /// The main view.
    public var view: UIView {
        get { fatalError() }
        set {}
    }
    /// The title.
    public var title: String?
    /// The bar with the title.
    public var navigationItem: UINavigationItem { fatalError() }
    /// The controller that shows this one.
    public var navigationController: UINavigationController? { nil }
    /// The controller that shows this one.
    public var tabBarController: UITabBarController? { nil }
    /// Makes a controller.
    public override init() {}
    /// Makes a controller from a file.
    public init(nibName: String?, bundle: Bundle?) {}
    /// Makes a controller from a file.
    public required init?(coder: NSCoder) {}
    /// Called to make the view.
    open func loadView() {}
    /// Called when the view is loaded.
    open func viewDidLoad() {}
    /// Called before the view appears.
    open func viewWillAppear(_ animated: Bool) {}
    /// Called after the view has appeared.
    open func viewDidAppear(_ animated: Bool) {}
    /// Called before the view disappears.
    open func viewWillDisappear(_ animated: Bool) {}
    /// Called after the view has disappeared.
    open func viewDidDisappear(_ animated: Bool) {}
    /// Called before the views receive their places.
    open func viewWillLayoutSubviews() {}
    /// Called after the views have their places.
    open func viewDidLayoutSubviews() {}
    /// Called when memory is short.
    open func didReceiveMemoryWarning() {}
    /// Shows another controller above this one.
    public func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) {}
    /// Closes the controller.
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) {}
    /// Makes a controller part of this one.
    public func addChild(_ child: UIViewController) {}
}

/// Not available: libadwaita provides pages that follow each other.
@available(*, unavailable, message: "Use an AdwNavigationView, or a GtkStack")
@MainActor open class UINavigationController: UIViewController {
    /// Makes a controller with one page.
    public init(rootViewController: UIViewController) { super.init() }
    /// Makes a controller from a file.
    public required init?(coder: NSCoder) { nil }
    /// Shows a page.
    public func pushViewController(_ controller: UIViewController, animated: Bool) {}
    /// Returns to the page before.
    @discardableResult public func popViewController(animated: Bool) -> UIViewController? { nil }
}

/// Not available: GTK and libadwaita provide pages with tabs.
@available(*, unavailable, message: "Use an AdwViewStack, or a GtkNotebook")
@MainActor open class UITabBarController: UIViewController {}

/// Not available: a window of GTK has a title bar.
@available(*, unavailable, message: "Use a GtkHeaderBar")
@MainActor public final class UINavigationItem {
    /// The title.
    public var title: String?
    /// The button at the end.
    public var rightBarButtonItem: UIBarButtonItem?
    /// The button at the start.
    public var leftBarButtonItem: UIBarButtonItem?
    private init() {}
}

/// Not available: a window of GTK has a title bar.
@available(*, unavailable, message: "Put a GtkButton into the GtkHeaderBar of the window")
@MainActor public final class UIBarButtonItem {
    /// The look of a button.
    public enum Style: Sendable {
        /// A usual button.
        case plain
        /// A button that ends something.
        case done
    }
    /// Makes a button with a title.
    public init(title: String?, style: Style, target: Any?, action: Any?) {}
    /// Makes a button with a picture.
    public init(image: UIImage?, style: Style, target: Any?, action: Any?) {}
}

/// Not available: libadwaita shows dialogs.
@available(*, unavailable, message: "Use an AdwAlertDialog, or a GtkAlertDialog")
@MainActor public final class UIAlertController: UIViewController {
    /// The look of the dialog.
    public enum Style: Sendable {
        /// In the middle of the screen.
        case alert
        /// At the lower edge of the screen.
        case actionSheet
    }
    /// Makes a dialog.
    public init(title: String?, message: String?, preferredStyle: Style) { super.init() }
    /// Makes a controller from a file.
    public required init?(coder: NSCoder) { nil }
    /// Adds a button.
    public func addAction(_ action: UIAlertAction) {}
}

/// Not available: libadwaita shows dialogs.
@available(*, unavailable, message: "Use adw_alert_dialog_add_response(_:_:_:)")
@MainActor public final class UIAlertAction {
    /// The look of the button.
    public enum Style: Sendable {
        /// A usual button.
        case `default`
        /// A button that ends the dialog.
        case cancel
        /// A button that removes something.
        case destructive
    }
    /// Makes a button.
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) {}
}

/// Not available: desktops have no sheet for sharing.
@available(*, unavailable, message: "Write the file with sd_imageData(as:) and open it with a GtkFileLauncher")
@MainActor public final class UIActivityViewController: UIViewController {
    /// Makes a sheet.
    public init(activityItems: [Any], applicationActivities: [Any]?) { super.init() }
    /// Makes a controller from a file.
    public required init?(coder: NSCoder) { nil }
}

/// Not available: the user chooses files.
@available(*, unavailable, message: "Use a GtkFileDialog, and load the file's URL")
@MainActor public final class UIImagePickerController: UIViewController {}

/// Not available: GTK provides the application.
@available(*, unavailable, message: "Use a GtkApplication; see the guide GettingStarted")
@MainActor public final class UIApplication: UIResponder {
    /// The application.
    public static var shared: UIApplication { UIApplication() }
    /// A key of the options at the start.
    public struct LaunchOptionsKey: Hashable, Sendable {}
    /// Posted when memory is short.
    public nonisolated static var didReceiveMemoryWarningNotification: Notification.Name { Notification.Name("") }
}

/// Not available: GTK provides the application.
@available(*, unavailable, message: "Use a GtkApplication, and make the window in its signal `activate`")
@MainActor public protocol UIApplicationDelegate {}

@available(*, unavailable, message: "Use a GtkApplication, and make the window in its signal `activate`")
extension UIApplicationDelegate {
    /// Runs the application.
    public static func main() {}
}

/// Not available: windows are widgets of GTK.
@available(*, unavailable, message: "Use a GtkWindow")
@MainActor open class UIWindow: UIView {
    /// The controller of the window.
    public var rootViewController: UIViewController?
    /// Shows the window.
    public func makeKeyAndVisible() {}
}

/// Not available: desktops have no album of photos.
@available(*, unavailable, message: "Write the file: image.sd_imageData(as:)")
public func UIImageWriteToSavedPhotosAlbum(_ image: UIImage, _ target: Any?...) {}
