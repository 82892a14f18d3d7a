// swift-format-ignore-file
// Written by 'Scripts/parity missing' from Documentation/missing-declarations.txt.

public import Foundation
public import SDWebImage
public import WebImageGTK

extension WidgetView {
    @available(*, unavailable, message: "The container gives `widget` its size; use gtk_widget_get_width(_:)")
    public var bounds: CGRect { get { fatalError() } set {} }
    @available(*, unavailable, message: "The container places `widget`; set its alignment or margins")
    public var center: CGPoint { get { fatalError() } set {} }
    @available(*, unavailable, message: "GTK lays out by containers; remove the line")
    public var translatesAutoresizingMaskIntoConstraints: Bool { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use sd_tintedImage(with:) or SDImageTintTransformer")
    public var tintColor: UIColor? { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use gtk_widget_set_can_target(_:_:)")
    public var isUserInteractionEnabled: Bool { get { fatalError() } set {} }
    @available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
    public func addGestureRecognizer(_ recognizer: Any) { fatalError() }
    @available(*, unavailable, message: "Remove `widget` from its GTK container, such as with gtk_box_remove(_:_:)")
    public func removeFromSuperview() { fatalError() }
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func setNeedsLayout() { fatalError() }
    @available(*, unavailable, message: "GTK lays out by itself; remove the line")
    public func layoutIfNeeded() { fatalError() }
    @available(*, unavailable, message: "Views draw again by themselves; remove the line")
    public func setNeedsDisplay() { fatalError() }
    @available(*, unavailable, message: "GTK lays out by itself; remove the override")
    public func layoutSubviews() { fatalError() }
    @available(*, unavailable, message: "There are no nib files; do the work in init(frame:)")
    public func awakeFromNib() { fatalError() }
    @available(*, unavailable, message: "There are no nib files; call super.init(frame:)")
    public convenience init?(coder: NSCoder) { fatalError() }
    @available(*, unavailable, message: "Use gtk_widget_get_first_child(_:) and gtk_widget_get_next_sibling(_:)")
    public var subviews: [UIView] { fatalError() }
    @available(*, unavailable, message: "Use gtk_widget_get_parent(_:)")
    public var superview: UIView? { fatalError() }
    @available(*, unavailable, message: "Keep a property, or use gtk_widget_set_name(_:_:)")
    public var tag: Int { get { fatalError() } set {} }
    @available(*, unavailable, message: "GTK lays out by itself; fixedSize sets a size, requestSize(_:) a minimum")
    public func sizeToFit() { fatalError() }
    @available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
    public static func animate(withDuration duration: TimeInterval, delay: TimeInterval = 0, options: AnimationOptions = [], animations: @escaping () -> Void, completion: ((Bool) -> Void)? = nil) { fatalError() }
    @available(*, unavailable, message: "Set sd_imageTransition before the load")
    public static func transition(with view: UIView, duration: TimeInterval, options: AnimationOptions = [], animations: (() -> Void)?, completion: ((Bool) -> Void)? = nil) { fatalError() }
}
extension SDViewLayer {
    @available(*, unavailable, message: "Set sd_imageTransition before the load")
    public func add(_ animation: CATransition, forKey key: String?) { fatalError() }
    @available(*, unavailable, message: "Put the widgets into a GtkOverlay, or give the widget a CSS class")
    public func addSublayer(_ layer: CALayer) { fatalError() }
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowOpacity: Float { get { fatalError() } nonmutating set {} }
    @available(*, unavailable, message: "Give the widget a CSS class with box-shadow")
    public var shadowRadius: CGFloat { get { fatalError() } nonmutating set {} }
}
@available(*, unavailable, message: "Use a GtkLabel")
@MainActor open class UILabel: UIView {
    public var text: String?
    public var font: UIFont?
    public var textColor: UIColor?
    public var numberOfLines = 1
    public var textAlignment = NSTextAlignment.natural
}
@available(*, unavailable, message: "Use gtk_label_set_xalign(_:_:) or gtk_label_set_justify(_:_:)")
public enum NSTextAlignment: Int, Sendable { case left, center, right, natural }
@available(*, unavailable, message: "Give the widget a CSS class such as title-1, heading or caption")
public final class UIFont: Sendable {
    public enum TextStyle: Sendable { case body, caption1, headline, subheadline, title1 }
    public enum Weight: Sendable { case regular, light, medium, semibold, bold }
    public init?(name: String, size: CGFloat) { fatalError() }
    private init() { fatalError() }
    public static func systemFont(ofSize size: CGFloat) -> UIFont { fatalError() }
    public static func systemFont(ofSize size: CGFloat, weight: Weight) -> UIFont { fatalError() }
    public static func boldSystemFont(ofSize size: CGFloat) -> UIFont { fatalError() }
    public static func preferredFont(forTextStyle style: TextStyle) -> UIFont { fatalError() }
}
@available(*, unavailable, message: "Use a GtkEntry")
@MainActor open class UITextField: UIView {
}
@available(*, unavailable, message: "Use a GtkTextView")
@MainActor open class UITextView: UIView {
}
@available(*, unavailable, message: "Use a GtkSearchEntry")
@MainActor open class UISearchBar: UIView {
}
@available(*, unavailable, message: "Use a GtkSwitch")
@MainActor open class UISwitch: UIView {
}
@available(*, unavailable, message: "Use a GtkScale")
@MainActor open class UISlider: UIView {
}
@available(*, unavailable, message: "Use linked GtkToggleButtons")
@MainActor open class UISegmentedControl: UIView {
}
@available(*, unavailable, message: "Use an AdwCarousel with AdwCarouselIndicatorDots")
@MainActor open class UIPageControl: UIView {
}
@available(*, unavailable, message: "Use a GtkBox")
@MainActor open class UIStackView: UIView {
    public init(arrangedSubviews: [UIView]) { fatalError() }
    public override init(frame: CGRect) { fatalError() }
    public func addArrangedSubview(_ view: UIView) { fatalError() }
}
@available(*, unavailable, message: "Use a GtkScrolledWindow")
@MainActor open class UIScrollView: UIView {
    public var contentSize = CGSize.zero
    public var contentOffset = CGPoint.zero
    public var maximumZoomScale: CGFloat = 1
    public var minimumZoomScale: CGFloat = 1
}
@available(*, unavailable, message: "Connect the signal `value-changed` of the GtkAdjustment of a GtkScrolledWindow")
public protocol UIScrollViewDelegate: AnyObject {
}
@available(*, unavailable, message: "Show a picture made by SDImageBlurTransformer")
@MainActor open class UIVisualEffectView: UIView {
    public init(effect: UIBlurEffect?) { fatalError() }
}
@available(*, unavailable, message: "Show a picture made by SDImageBlurTransformer")
@MainActor public final class UIBlurEffect {
    public enum Style: Sendable { case dark, light, extraLight, regular }
    public init(style: Style) { fatalError() }
}
@available(*, unavailable, message: "Use gtk_widget_set_margin_start(_:_:) and the other margins of `widget`")
public struct UIEdgeInsets: Sendable {
    public static let zero = UIEdgeInsets(top: 0, left: 0, bottom: 0, right: 0)
    public init(top: CGFloat, left: CGFloat, bottom: CGFloat, right: CGFloat) { fatalError() }
}
@available(*, unavailable, message: "Add a GtkGesture with gtk_widget_add_controller(_:_:)")
@MainActor open class UIGestureRecognizer {
    public init(target: Any? = nil, action: Any? = nil) { fatalError() }
}
@available(*, unavailable, message: "Add a GtkGestureClick with gtk_widget_add_controller(_:_:)")
@MainActor open class UITapGestureRecognizer: UIGestureRecognizer {
    public var numberOfTapsRequired = 1
}
@available(*, unavailable, message: "Add a GtkGestureLongPress with gtk_widget_add_controller(_:_:)")
@MainActor open class UILongPressGestureRecognizer: UIGestureRecognizer {
}
@available(*, unavailable, message: "Add a GtkGestureZoom with gtk_widget_add_controller(_:_:)")
@MainActor open class UIPinchGestureRecognizer: UIGestureRecognizer {
}
@available(*, unavailable, message: "Add a GtkGestureDrag with gtk_widget_add_controller(_:_:)")
@MainActor open class UIPanGestureRecognizer: UIGestureRecognizer {
}
extension WidgetView {
    @available(*, unavailable, message: "Set sd_imageIndicator of the image view, or use a GtkSpinner")
    public convenience init(style: Style) { fatalError() }
    @available(*, unavailable, message: "Use gtk_spinner_start(_:) with a GtkSpinner, or sd_imageIndicator")
    public func startAnimating() { fatalError() }
    @available(*, unavailable, message: "Use gtk_spinner_stop(_:) with a GtkSpinner, or sd_imageIndicator")
    public func stopAnimating() { fatalError() }
    @available(*, unavailable, message: "Remove the line: a GtkSpinner that does not spin shows nothing")
    public var hidesWhenStopped: Bool { get { fatalError() } set {} }
    @available(*, unavailable, message: "Give `widget` a CSS class that sets its color")
    public var color: UIColor? { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use gtk_progress_bar_set_fraction(_:_:), or SDWebImageProgressIndicator")
    public var progress: Float { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use gtk_progress_bar_set_fraction(_:_:), or SDWebImageProgressIndicator")
    public func setProgress(_ progress: Float, animated: Bool) { fatalError() }
}
extension Button {
    @available(*, unavailable, message: "Use UIButton(); a CSS class such as flat or suggested-action sets its look")
    public convenience init(type: ButtonType) { fatalError() }
    @available(*, unavailable, message: "Put a GtkLabel beside the picture with gtk_button_set_child(_:_:)")
    public func setTitle(_ title: String?, for state: ControlState) { fatalError() }
    @available(*, unavailable, message: "Give `widget` a CSS class that sets its color")
    public func setTitleColor(_ color: UIColor?, for state: ControlState) { fatalError() }
    @available(*, unavailable, message: "Connect the signal `clicked` of `widget`")
    public func addTarget(_ target: Any?, action: Any?, for event: Event) { fatalError() }
    @available(*, unavailable, message: "Use gtk_widget_set_state_flags(_:_:_:) with GTK_STATE_FLAG_SELECTED")
    public var isSelected: Bool { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use gtk_widget_set_sensitive(_:_:) with `widget`")
    public var isEnabled: Bool { get { fatalError() } set {} }
    @available(*, unavailable, message: "Use image(for:); a button shows its picture whole")
    public var imageView: UIImageView? { fatalError() }
    @available(*, unavailable, message: "Put a GtkLabel beside the picture with gtk_button_set_child(_:_:)")
    public var titleLabel: UILabel? { fatalError() }
}
extension ImageView {
    @available(*, unavailable, message: "The duration is that of UIImage.animatedImage(with:duration:)")
    public var animationDuration: TimeInterval { get { fatalError() } set {} }
    @available(*, unavailable, message: "Set sd_imageLoopCount of the image, or use SDAnimatedImageView")
    public var animationRepeatCount: Int { get { fatalError() } set {} }
}
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
@MainActor public final class UIScreen {
    public static var main: UIScreen { fatalError() }
    public var scale: CGFloat { fatalError() }
    public var bounds: CGRect { fatalError() }
    private init() { fatalError() }
}
@available(*, unavailable, message: "Remove the superclass; GTK reports events as signals and through controllers")
@MainActor open class UIResponder {
    public init() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
@MainActor open class UIViewController: UIResponder {
    public var view: UIView { get { fatalError() } set {} }
    public var title: String?
    public var navigationItem: UINavigationItem { fatalError() }
    public var navigationController: UINavigationController? { fatalError() }
    public var tabBarController: UITabBarController? { fatalError() }
    public override init() { fatalError() }
    public init(nibName: String?, bundle: Bundle?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func loadView() { fatalError() }
    open func viewDidLoad() { fatalError() }
    open func viewWillAppear(_ animated: Bool) { fatalError() }
    open func viewDidAppear(_ animated: Bool) { fatalError() }
    open func viewWillDisappear(_ animated: Bool) { fatalError() }
    open func viewDidDisappear(_ animated: Bool) { fatalError() }
    open func viewWillLayoutSubviews() { fatalError() }
    open func viewDidLayoutSubviews() { fatalError() }
    open func didReceiveMemoryWarning() { fatalError() }
    public func present(_ controller: UIViewController, animated: Bool, completion: (() -> Void)? = nil) { fatalError() }
    public func dismiss(animated: Bool, completion: (() -> Void)? = nil) { fatalError() }
    public func addChild(_ child: UIViewController) { fatalError() }
}
@available(*, unavailable, message: "Use an AdwNavigationView, or a GtkStack")
@MainActor open class UINavigationController: UIViewController {
    public init(rootViewController: UIViewController) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public func pushViewController(_ controller: UIViewController, animated: Bool) { fatalError() }
    @discardableResult public func popViewController(animated: Bool) -> UIViewController? { fatalError() }
}
@available(*, unavailable, message: "Use an AdwViewStack, or a GtkNotebook")
@MainActor open class UITabBarController: UIViewController {
}
@available(*, unavailable, message: "Use a GtkHeaderBar")
@MainActor public final class UINavigationItem {
    public var title: String?
    public var rightBarButtonItem: UIBarButtonItem?
    public var leftBarButtonItem: UIBarButtonItem?
    private init() { fatalError() }
}
@available(*, unavailable, message: "Put a GtkButton into the GtkHeaderBar of the window")
@MainActor public final class UIBarButtonItem {
    public enum Style: Sendable { case plain, done }
    public init(title: String?, style: Style, target: Any?, action: Any?) { fatalError() }
    public init(image: UIImage?, style: Style, target: Any?, action: Any?) { fatalError() }
}
@available(*, unavailable, message: "Use an AdwAlertDialog, or a GtkAlertDialog")
@MainActor public final class UIAlertController: UIViewController {
    public enum Style: Sendable { case alert, actionSheet }
    public init(title: String?, message: String?, preferredStyle: Style) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    public func addAction(_ action: UIAlertAction) { fatalError() }
}
@available(*, unavailable, message: "Use adw_alert_dialog_add_response(_:_:_:)")
@MainActor public final class UIAlertAction {
    public enum Style: Sendable { case `default`, cancel, destructive }
    public init(title: String?, style: Style, handler: ((UIAlertAction) -> Void)? = nil) { fatalError() }
}
@available(*, unavailable, message: "Write the file with sd_imageData(as:) and open it with a GtkFileLauncher")
@MainActor public final class UIActivityViewController: UIViewController {
    public init(activityItems: [Any], applicationActivities: [Any]?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
}
@available(*, unavailable, message: "Use a GtkFileDialog, and load the file's URL")
@MainActor public final class UIImagePickerController: UIViewController {
}
@available(*, unavailable, message: "Use a GtkApplication; see the guide GettingStarted")
@MainActor public final class UIApplication: UIResponder {
    public static var shared: UIApplication { fatalError() }
    public struct LaunchOptionsKey: Hashable, Sendable {}
    public nonisolated static var didReceiveMemoryWarningNotification: Notification.Name { fatalError() }
}
@available(*, unavailable, message: "Use a GtkApplication, and make the window in its signal `activate`")
@MainActor public protocol UIApplicationDelegate {
}
@available(*, unavailable, message: "Use a GtkApplication, and make the window in its signal `activate`")
extension UIApplicationDelegate {
    public static func main() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkWindow")
@MainActor open class UIWindow: UIView {
    public var rootViewController: UIViewController?
    public func makeKeyAndVisible() { fatalError() }
}
@available(*, unavailable, message: "Write the file: image.sd_imageData(as:)")
public func UIImageWriteToSavedPhotosAlbum(_ image: UIImage, _ target: Any?...) { fatalError() }
@available(*, unavailable, message: "GTK lays out by containers: set fixedSize of the view, and the alignment or the margins of `widget`")
@MainActor public final class NSLayoutConstraint {
    public var isActive = false
    public var constant: CGFloat = 0
    public static func activate(_ constraints: [NSLayoutConstraint]) { fatalError() }
    public static func deactivate(_ constraints: [NSLayoutConstraint]) { fatalError() }
}
@available(*, unavailable, message: "GTK lays out by containers: set fixedSize of the view, and the alignment or the margins of `widget`")
@MainActor public final class NSLayoutAnchor {
    public func constraint(equalTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0) -> NSLayoutConstraint { fatalError() }
    public func constraint(equalToConstant constant: CGFloat) -> NSLayoutConstraint { fatalError() }
    public func constraint(greaterThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0) -> NSLayoutConstraint { fatalError() }
    public func constraint(greaterThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint { fatalError() }
    public func constraint(lessThanOrEqualTo anchor: NSLayoutAnchor, multiplier: CGFloat = 1, constant: CGFloat = 0) -> NSLayoutConstraint { fatalError() }
    public func constraint(lessThanOrEqualToConstant constant: CGFloat) -> NSLayoutConstraint { fatalError() }
}
extension WidgetView {
    @available(*, unavailable, message: "Set fixedSize of the view")
    public var widthAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "Set fixedSize of the view")
    public var heightAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leadingAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var trailingAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var leftAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var rightAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var topAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var bottomAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerXAnchor: NSLayoutAnchor { fatalError() }
    @available(*, unavailable, message: "The container places `widget`; set its alignment and margins")
    public var centerYAnchor: NSLayoutAnchor { fatalError() }
}
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableViewCell: UIView {
    public enum CellStyle: Sendable { case `default`, subtitle, value1, value2 }
    public enum SelectionStyle: Sendable { case none, `default` }
    public enum AccessoryType: Sendable { case none, disclosureIndicator, checkmark }
    public var imageView: UIImageView? { fatalError() }
    public var contentView: UIView { fatalError() }
    public var textLabel: UILabel? { fatalError() }
    public var detailTextLabel: UILabel? { fatalError() }
    public var selectionStyle = SelectionStyle.default
    public var accessoryType = AccessoryType.none
    public init(style: CellStyle, reuseIdentifier: String?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func prepareForReuse() { fatalError() }
    open func setSelected(_ selected: Bool, animated: Bool) { fatalError() }
}
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionViewCell: UIView {
    public var contentView: UIView { fatalError() }
    public override init(frame: CGRect) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func prepareForReuse() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableView: UIView {
    public enum Style: Sendable { case plain, grouped, insetGrouped }
    public nonisolated static let automaticDimension: CGFloat = -1
    public weak var dataSource: (any UITableViewDataSource)?
    public weak var delegate: (any UITableViewDelegate)?
    public weak var prefetchDataSource: (any UITableViewDataSourcePrefetching)?
    public var rowHeight: CGFloat = 0
    public var estimatedRowHeight: CGFloat = 0
    public init(frame: CGRect, style: Style) { fatalError() }
    public override init(frame: CGRect) { fatalError() }
    public func register(_ type: AnyClass?, forCellReuseIdentifier identifier: String) { fatalError() }
    public func dequeueReusableCell(withIdentifier identifier: String, for indexPath: IndexPath) -> UITableViewCell { fatalError() }
    public func dequeueReusableCell(withIdentifier identifier: String) -> UITableViewCell? { fatalError() }
    public func cellForRow(at indexPath: IndexPath) -> UITableViewCell? { fatalError() }
    public func deselectRow(at indexPath: IndexPath, animated: Bool) { fatalError() }
    public func reloadData() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class UITableViewController: UIViewController {
    public var tableView: UITableView { get { fatalError() } set {} }
}
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionView: UIView {
    public weak var dataSource: (any UICollectionViewDataSource)?
    public weak var delegate: (any UICollectionViewDelegate)?
    public weak var prefetchDataSource: (any UICollectionViewDataSourcePrefetching)?
    public init(frame: CGRect, collectionViewLayout: UICollectionViewLayout) { fatalError() }
    public func register(_ type: AnyClass?, forCellWithReuseIdentifier identifier: String) { fatalError() }
    public func dequeueReusableCell(withReuseIdentifier identifier: String, for indexPath: IndexPath) -> UICollectionViewCell { fatalError() }
    public func cellForItem(at indexPath: IndexPath) -> UICollectionViewCell? { fatalError() }
    public func reloadData() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class UICollectionViewController: UIViewController {
    public var collectionView: UICollectionView { get { fatalError() } set {} }
}
@available(*, unavailable, message: "Use a GtkGridView, or FittingList for rows with the proportions of their images")
@MainActor open class UICollectionViewLayout {
    public init() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkGridView, or FittingList for rows with the proportions of their images")
@MainActor open class UICollectionViewFlowLayout: UICollectionViewLayout {
    public var itemSize = CGSize.zero
    public var minimumLineSpacing: CGFloat = 0
    public var minimumInteritemSpacing: CGFloat = 0
}
@available(*, unavailable, message: "Give the items to a GListModel, and bind rows in ImageListFactory")
public protocol UITableViewDataSource: AnyObject {
}
@available(*, unavailable, message: "Connect the signal `activate` of the GtkListView")
public protocol UITableViewDelegate: AnyObject {
}
@available(*, unavailable, message: "Give the items to a GListModel, and bind cells in ImageListFactory")
public protocol UICollectionViewDataSource: AnyObject {
}
@available(*, unavailable, message: "Connect the signal `activate` of the GtkGridView")
public protocol UICollectionViewDelegate: AnyObject {
}
@available(*, unavailable, message: "Set the columns of the GtkGridView, and the size request of its cells")
public protocol UICollectionViewDelegateFlowLayout: AnyObject {
}
@available(*, unavailable, message: "ImageListFactory prefetches the rows ahead by itself; remove the conformance")
public protocol UITableViewDataSourcePrefetching: AnyObject {
}
@available(*, unavailable, message: "ImageListFactory prefetches the cells ahead by itself; remove the conformance")
public protocol UICollectionViewDataSourcePrefetching: AnyObject {
}
@available(*, unavailable, message: "Add a GtkButton that loads the model again")
@MainActor public final class UIRefreshControl {
    public init() { fatalError() }
    public func beginRefreshing() { fatalError() }
    public func endRefreshing() { fatalError() }
}
extension IndexPath {
    @available(*, unavailable, message: "A row has a position: gtk_list_item_get_position(_:)")
    public var row: Int { fatalError() }
    @available(*, unavailable, message: "A cell has a position: gtk_list_item_get_position(_:)")
    public var item: Int { fatalError() }
    @available(*, unavailable, message: "A list has one section; use one GtkListView, or headers of a GtkListView")
    public var section: Int { fatalError() }
    @available(*, unavailable, message: "A row has a position: gtk_list_item_get_position(_:)")
    public init(row: Int, section: Int) { fatalError() }
    @available(*, unavailable, message: "A cell has a position: gtk_list_item_get_position(_:)")
    public init(item: Int, section: Int) { fatalError() }
}
@available(*, unavailable, message: "Show the picture in a widget of your map: sd_internalSetImage with a set-image block")
@MainActor open class MKAnnotationView: UIView {
    public var image: UIImage?
    public var annotation: (any MKAnnotation)?
    public var canShowCallout = false
    public var leftCalloutAccessoryView: UIView?
    public var rightCalloutAccessoryView: UIView?
    public init(annotation: (any MKAnnotation)?, reuseIdentifier: String?) { fatalError() }
    public required init?(coder: NSCoder) { fatalError() }
    open func prepareForReuse() { fatalError() }
    public func sd_setImage(with url: URL?, placeholderImage: UIImage? = nil, options: SDWebImageOptions = [], context: SDWebImageContext? = nil, completed: SDExternalCompletionBlock? = nil) { fatalError() }
}
@available(*, unavailable, message: "Show the picture in a widget of your map: sd_internalSetImage with a set-image block")
@MainActor open class MKMarkerAnnotationView: MKAnnotationView {
}
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
@MainActor open class MKMapView: UIView {
    public func dequeueReusableAnnotationView(withIdentifier identifier: String) -> MKAnnotationView? { fatalError() }
}
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
public protocol MKAnnotation: AnyObject {
}
@available(*, unavailable, message: "Use a map library for GTK, such as libshumate")
public protocol MKMapViewDelegate: AnyObject {
}
@available(*, unavailable, message: "Draw in a GtkDrawingArea, or give the widget a CSS class")
@MainActor open class CALayer {
    public init() { fatalError() }
}
@available(*, unavailable, message: "Give the widget a CSS class with a linear-gradient background")
@MainActor open class CAGradientLayer: CALayer {
}
@available(*, unavailable, message: "Draw the path in an image: UIGraphicsImageRenderer")
@MainActor open class CAShapeLayer: CALayer {
}
@available(*, unavailable, message: "Set sd_imageTransition")
@MainActor public final class CATransition {
    public init() { fatalError() }
    public var duration: TimeInterval = 0
}
@available(*, unavailable, message: "Set sd_imageTransition, or a CSS transition for the widget")
@MainActor public final class CABasicAnimation {
    public init(keyPath: String?) { fatalError() }
    public var duration: TimeInterval = 0
}
extension ImageView {
    @available(*, unavailable, message: "Use contentMode: .fit, .fill, .cover or .center")
    public var imageScaling: NSImageScaling { get { fatalError() } set {} }
}
@available(*, unavailable, message: "Use a GtkWindow or an AdwNavigationPage and put `widget` into it")
@MainActor open class NSViewController {
    public var view: NSView { get { fatalError() } set {} }
    public init() { fatalError() }
    open func viewDidLoad() { fatalError() }
}
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class NSTableCellView: NSView {
    public var imageView: NSImageView? { fatalError() }
}
@available(*, unavailable, message: "Use a GtkListView with ImageListFactory; see the guide Lists")
@MainActor open class NSTableView: NSView {
}
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class NSCollectionViewItem: NSViewController {
    public var imageView: NSImageView? { fatalError() }
}
@available(*, unavailable, message: "Use a GtkGridView with ImageListFactory; see the guide Lists")
@MainActor open class NSCollectionView: NSView {
}
@available(*, unavailable, message: "Use a GtkLabel or a GtkEntry")
@MainActor open class NSTextField: NSView {
}
@available(*, unavailable, message: "Use gtk_widget_get_scale_factor(view.widget)")
@MainActor public final class NSScreen {
    public static var main: NSScreen? { fatalError() }
    public var backingScaleFactor: CGFloat { fatalError() }
}
