import CWebImageGTK
import Foundation
import WebImageViews

/// Waits for a widget's first layout.
@MainActor final class SizeWait {
    private var body: (@MainActor (ViewSize) -> Void)?
    private weak var state: ImageWidgetState?
    private let size: @MainActor (ImageWidgetState) -> ViewSize
    private let link: GTKDisplayLink
    private var mappedTicks = 0

    /// Calls `body` with the first size that is not `.unknown`. Calls `body` with the present size after the deadline.
    ///
    /// - Parameter endsWithoutWindow: Whether the wait ends as soon as the main loop has nothing else to do and the widget
    ///   is in no window, because such a widget gets no layout.
    static func begin(
        _ state: ImageWidgetState, within deadline: Duration, endsWithoutWindow: Bool = false,
        size: @escaping @MainActor (ImageWidgetState) -> ViewSize, _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        let wait = SizeWait(state, size, body)
        wait.link.start { _ in wait.tick(endsWithoutSize: endsWithoutWindow) }
        let seconds = Double(deadline.components.seconds) + Double(deadline.components.attoseconds) / 1e18
        DispatchQueue.main.asyncAfter(deadline: .now() + seconds) { MainActor.assumeIsolated { wait.end() } }
        if endsWithoutWindow { wait.endWhenIdle() }
    }

    private init(
        _ state: ImageWidgetState, _ size: @escaping @MainActor (ImageWidgetState) -> ViewSize,
        _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        self.state = state
        self.size = size
        self.body = body
        link = GTKDisplayLink(state.widget)
    }

    private func tick(endsWithoutSize: Bool) {
        guard let state else { return }
        if size(state) != .unknown { return end() }
        // Tick callbacks run before the layout of their frame. In the second frame of a mapped widget, the widget has its
        // layout. If it has no size then, its picture determines its size.
        mappedTicks += state.isMapped ? 1 : 0
        if endsWithoutSize, mappedTicks > 1 { end() }
    }

    private func endWhenIdle() {
        g_idle_add_full(
            G_PRIORITY_LOW,
            { wait in
                guard let wait else { return 0 }
                let own = Unmanaged<SizeWait>.fromOpaque(wait).takeUnretainedValue()
                MainActor.assumeIsolated { own.endWithoutWindow() }
                return 0
            }, Unmanaged.passRetained(self).toOpaque(),
            { wait in if let wait { Unmanaged<SizeWait>.fromOpaque(wait).release() } })
    }

    private func endWithoutWindow() {
        guard let state, !state.isDestroyed else { return end() }
        if gtk_widget_get_root(UnsafeMutablePointer(state.widget)) == nil { end() }
    }

    private func end() {
        guard let body else { return }
        self.body = nil
        link.stop()
        body(state.map(size) ?? .unknown)
    }
}
