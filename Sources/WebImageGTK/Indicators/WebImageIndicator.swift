/// Shows that a view loads an image.
///
/// Main actor only. The widget is placed above the view's image, according to its own alignment; see
/// ``WidgetView/imageIndicator``.
@MainActor public protocol WebImageIndicator: AnyObject {
    /// The widget shown above the image.
    var indicatorView: WidgetView { get }
    /// Called when a load begins.
    func startAnimatingIndicator()
    /// Called when no load is waited for any longer.
    func stopAnimatingIndicator()
    /// Receives the progress of the load, 0…1; 0 while the size is unknown.
    func updateIndicatorProgress(_ progress: Double)
}

extension WebImageIndicator {
    /// Does nothing.
    public func updateIndicatorProgress(_ progress: Double) {}
}
