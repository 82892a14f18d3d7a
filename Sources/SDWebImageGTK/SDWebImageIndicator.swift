public import WebImageGTK

/// Shows that a view loads an image. Has SDWebImage's signatures. Main actor only.
@preconcurrency @MainActor public protocol SDWebImageIndicator: WebImageIndicator {
    /// The widget that is shown above the image.
    var indicatorView: UIView { get }
    /// Called when a load begins.
    func startAnimatingIndicator()
    /// Called when the last running load of the view has ended.
    func stopAnimatingIndicator()
    /// Receives the progress of the load, 0…1. The default implementation does nothing.
    func updateProgress(_ progress: Double)
}

extension SDWebImageIndicator {
    /// The default implementation. Does nothing.
    public func updateProgress(_ progress: Double) {}
    /// Calls ``updateProgress(_:)``. ``WebImageGTK/WebImageIndicator`` requires this method.
    public func updateIndicatorProgress(_ progress: Double) { updateProgress(progress) }
}

extension WebImageActivityIndicator: SDWebImageIndicator {}

extension WebImageProgressIndicator: SDWebImageIndicator {
    /// Shows a new progress, 0…1.
    public func updateProgress(_ progress: Double) { updateIndicatorProgress(progress) }
}

extension WidgetView {
    /// The indicator that is shown while the view loads an image.
    public var sd_imageIndicator: (any SDWebImageIndicator)? {
        get {
            guard let own = ownIndicator else { return nil }
            return own as? any SDWebImageIndicator ?? AdoptedIndicator(own)
        }
        set { ownIndicator = (newValue as? AdoptedIndicator)?.own ?? newValue }
    }
}

/// Gives SDWebImage's signatures to an indicator that was written for `WebImageGTK`.
private final class AdoptedIndicator: SDWebImageIndicator {
    let own: any WebImageIndicator

    init(_ own: any WebImageIndicator) { self.own = own }

    var indicatorView: UIView { own.indicatorView }
    func startAnimatingIndicator() { own.startAnimatingIndicator() }
    func stopAnimatingIndicator() { own.stopAnimatingIndicator() }
    func updateProgress(_ progress: Double) { own.updateIndicatorProgress(progress) }
}
