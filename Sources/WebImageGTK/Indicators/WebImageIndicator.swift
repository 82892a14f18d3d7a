/// Shows that a view waits for a picture.
///
/// Main actor only. The widget is put above the view's picture, placed by its own alignment; see
/// ``WidgetView/imageIndicator``.
@MainActor public protocol WebImageIndicator: AnyObject {
    /// The widget shown above the picture.
    var indicatorView: WidgetView { get }
    /// A load begins.
    func startAnimatingIndicator()
    /// Nothing is waited for any more.
    func stopAnimatingIndicator()
    /// How far the load is, 0…1; 0 while the size is unknown.
    func updateIndicatorProgress(_ progress: Double)
}

extension WebImageIndicator {
    /// Nothing.
    public func updateIndicatorProgress(_ progress: Double) {}
}
