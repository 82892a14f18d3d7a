import CWebImageGTK
public import WebImageCore

/// A display link that ticks with each frame of a widget's window. It requests frames only between ``start(_:)`` and
/// ``stop()``.
@MainActor public final class GTKDisplayLink: DisplayLink {
    private let widget: OpaquePointer
    private var callback: FrameCallback?

    /// Makes a link for a `GtkWidget`. The link does not retain the widget, and the ticks end when the widget is
    /// destroyed.
    public init(_ widget: OpaquePointer) { self.widget = widget }

    /// Calls `tick` with every frame of the widget's window; there are no frames while the widget is in no window.
    /// `elapsed` is the time since the previous tick in seconds; 0 for the first tick.
    public func start(_ tick: @escaping @MainActor (_ elapsed: Double) -> Void) {
        stop()
        let callback = FrameCallback(tick)
        self.callback = callback
        callback.number = gtk_widget_add_tick_callback(
            UnsafeMutablePointer(widget),
            { _, clock, callback in
                guard let callback else { return 0 }
                let box = Unmanaged<FrameCallback>.fromOpaque(callback).takeUnretainedValue()
                let time = gdk_frame_clock_get_frame_time(clock)
                MainActor.assumeIsolated { box.fire(at: Int64(time)) }
                return 1
            },
            Unmanaged.passRetained(callback).toOpaque(),
            { callback in
                guard let callback else { return }
                let box = Unmanaged<FrameCallback>.fromOpaque(callback).takeRetainedValue()
                MainActor.assumeIsolated { box.number = nil }
            })
    }

    /// Stops the calls of the tick closure.
    public func stop() {
        // If there is no number, GTK has removed the callback itself. Do not use the widget then, because it may have
        // been freed.
        if let number = callback?.number { gtk_widget_remove_tick_callback(UnsafeMutablePointer(widget), number) }
        callback = nil
    }

    isolated deinit { stop() }
}

/// One tick callback registered with GTK.
@MainActor private final class FrameCallback {
    /// GTK's identifier of the callback; nil after GTK removed it.
    var number: UInt32?
    private let tick: @MainActor (Double) -> Void
    private var last: Int64?

    init(_ tick: @escaping @MainActor (Double) -> Void) { self.tick = tick }

    func fire(at time: Int64) {
        let elapsed = last.map { Double(time - $0) / 1_000_000 } ?? 0
        last = time
        tick(elapsed)
    }
}
