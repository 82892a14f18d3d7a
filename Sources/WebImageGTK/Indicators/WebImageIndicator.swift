/// Shows that a view loads an image.
///
/// Main actor only. The indicator's widget is placed above the view's image. The alignment of this widget determines
/// its position; see ``WidgetView/imageIndicator``.
@MainActor public protocol WebImageIndicator: AnyObject {
    /// The widget that is shown above the image.
    var indicatorView: WidgetView { get }
    /// Called when a load begins.
    func startAnimatingIndicator()
    /// Called when the last running load of the view has ended.
    func stopAnimatingIndicator()
    /// Receives the progress of the load, 0…1. The progress is 0 while the size of the download is unknown.
    func updateIndicatorProgress(_ progress: Double)
}

extension WebImageIndicator {
    /// The default implementation. Does nothing.
    public func updateIndicatorProgress(_ progress: Double) {}
}
