/// Shows that a view's load runs.
///
/// Main actor only. The widget is placed above the view's image according to its alignment; see
/// ``WidgetView/imageIndicator``.
@MainActor public protocol WebImageIndicator: AnyObject {
    /// The widget shown above the image.
    var indicatorView: WidgetView { get }
    /// A load begins.
    func startAnimatingIndicator()
    /// The load has ended.
    func stopAnimatingIndicator()
    /// Reports the progress of the load, 0…1; 0 while the size is unknown.
    func updateIndicatorProgress(_ progress: Double)
}

extension WebImageIndicator {
    /// Does nothing.
    public func updateIndicatorProgress(_ progress: Double) {}
}
