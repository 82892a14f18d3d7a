import CPhotoBrowserGTK

/// Connects closures to the signals of GTK that the browser uses. Each connection owns its closure.
@MainActor enum Signals {
    /// A key was pressed. The closure returns whether it handled the key.
    static func onKey(_ controller: OpaquePointer?, _ body: @escaping @MainActor (_ key: guint) -> Bool) {
        let call: @convention(c) (gpointer?, guint, guint, guint, gpointer?) -> gboolean = { _, key, _, state, box in
            // Leave keys with Control and Alt to the window and to the desktop.
            guard state & (GDK_CONTROL_MASK.rawValue | GDK_ALT_MASK.rawValue) == 0 else { return 0 }
            return Handler.run(box, Double(key)) ? 1 : 0
        }
        connect(controller, "key-pressed", unsafeBitCast(call, to: GCallback.self)) { body(guint($0)) }
    }

    /// A row of a grid was activated.
    static func onActivate(_ grid: OpaquePointer?, _ body: @escaping @MainActor (_ position: Int) -> Void) {
        let call: @convention(c) (gpointer?, guint, gpointer?) -> Void = { _, position, box in
            _ = Handler.run(box, Double(position))
        }
        connect(grid, "activate", unsafeBitCast(call, to: GCallback.self)) {
            body(Int($0)); return true
        }
    }

    /// The wheel was turned. The closure returns whether it handled the event.
    static func onScroll(_ controller: OpaquePointer?, _ body: @escaping @MainActor (_ steps: Double) -> Bool) {
        let call: @convention(c) (gpointer?, Double, Double, gpointer?) -> gboolean = { controller, _, steps, box in
            // Only with Control, which is the convention for zooming. Otherwise the picture is scrolled.
            let state = gtk_event_controller_get_current_event_state(controller.map { OpaquePointer($0) })
            guard state.rawValue & GDK_CONTROL_MASK.rawValue != 0 else { return 0 }
            return Handler.run(box, steps) ? 1 : 0
        }
        connect(controller, "scroll", unsafeBitCast(call, to: GCallback.self), body)
    }

    /// A property has changed, or an object without arguments reports something.
    static func onChange(
        _ object: OpaquePointer?, _ signal: String, hasArgument: Bool = false, _ body: @escaping @MainActor () -> Void
    ) {
        let plain: @convention(c) (gpointer?, gpointer?) -> Void = { _, box in _ = Handler.run(box, 0) }
        let further: @convention(c) (gpointer?, gpointer?, gpointer?) -> Void = { _, _, box in _ = Handler.run(box, 0) }
        let call = hasArgument ? unsafeBitCast(further, to: GCallback.self) : unsafeBitCast(plain, to: GCallback.self)
        connect(object, signal, call) { _ in
            body(); return true
        }
    }

    private static func connect(
        _ object: OpaquePointer?, _ signal: String, _ call: GCallback, _ body: @escaping @MainActor (Double) -> Bool
    ) {
        g_signal_connect_data(
            UnsafeMutableRawPointer(object), signal, call, Unmanaged.passRetained(Handler(body)).toOpaque(),
            { box, _ in if let box { Unmanaged<Handler>.fromOpaque(box).release() } }, GConnectFlags(rawValue: 0))
    }
}

private final class Handler: Sendable {
    private let body: @MainActor (Double) -> Bool

    init(_ body: @escaping @MainActor (Double) -> Bool) { self.body = body }

    /// GTK emits signals on its thread, which is the main actor's thread.
    static func run(_ box: gpointer?, _ argument: Double) -> Bool {
        guard let box else { return false }
        let handler = Unmanaged<Handler>.fromOpaque(box).takeUnretainedValue()
        return MainActor.assumeIsolated { handler.body(argument) }
    }
}
