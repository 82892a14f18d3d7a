import CWebImageGTK
import Foundation
import WebImageCore
import WebImageViews

/// The properties of a view that a transition animates.
struct ViewPose: Equatable {
    var alpha = 1.0
    var transform = CGAffineTransform.identity

    /// Returns a pose between this pose (`share` 0) and `end` (`share` 1). Interpolates the alpha and each number of
    /// the transform linearly.
    func moved(towards end: ViewPose, by share: Double) -> ViewPose {
        guard self != end else { return end }
        func mix(_ from: CGFloat, _ to: CGFloat) -> CGFloat { from + (to - from) * CGFloat(share) }
        let (from, to) = (transform, end.transform)
        return ViewPose(
            alpha: Double(mix(CGFloat(alpha), CGFloat(end.alpha))),
            transform: CGAffineTransform(
                a: mix(from.a, to.a), b: mix(from.b, to.b), c: mix(from.c, to.c), d: mix(from.d, to.d),
                tx: mix(from.tx, to.tx), ty: mix(from.ty, to.ty)))
    }
}

/// A running transition of one widget. It advances with each frame of the widget's window, or with a timer while the
/// widget is not mapped.
@MainActor final class WidgetTransition {
    private let transition: WebImageTransition
    private let change: ViewTransition
    private let start: ViewPose
    private let link: any DisplayLink
    private var elapsed = 0.0
    private var isOver = false
    private unowned let state: ImageWidgetState

    init(
        _ transition: WebImageTransition, _ change: ViewTransition, from start: ViewPose, on state: ImageWidgetState
    ) {
        self.transition = transition
        self.change = change
        self.start = start
        self.state = state
        // A widget that is not mapped has no frames. Only the end of the transition is due then.
        link = state.isMapped ? GTKDisplayLink(state.widget) : TimerDisplayLink(interval: transition.duration / 2)
    }

    func begin() {
        link.start { [weak self] elapsed in self?.tick(elapsed) }
        show(0)
    }

    /// Ends the transition if a newer image was requested for the view.
    func endIfOvertaken() { if !change.isCurrent() { end(finished: nil) } }

    /// Ends the transition immediately, with the image and the pose in their final state.
    func end(finished: Bool?) {
        guard !isOver else { return }
        isOver = true
        link.stop()
        state.transitionEnded(self)
        if let finished, change.isCurrent() {
            transition.completion?(finished)
            change.ended()
        } else {
            // A newer image is being requested. Report the end of this transition asynchronously, so that the callbacks
            // of the older load run after the request of the newer image.
            let ended = change.ended
            DispatchQueue.main.async { MainActor.assumeIsolated(ended) }
        }
    }

    private func tick(_ seconds: Double) {
        guard change.isCurrent() else { return end(finished: nil) }
        elapsed += seconds
        guard elapsed < transition.duration else { return end(finished: true) }
        show(transition.eased(elapsed / transition.duration))
    }

    private func show(_ share: Double) {
        state.painter.drawing.progress = share
        state.present(start.moved(towards: state.pose, by: share))
    }
}
