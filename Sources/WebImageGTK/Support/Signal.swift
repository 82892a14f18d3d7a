import CWebImageGTK
import CWebImageGTKShim
import WebImageCore

/// Connects Swift closures to GObject signals.
@MainActor package enum Signal {
    /// Calls `handler` whenever the signal is emitted. `handler` receives the signal's first argument if that argument
    /// is an object, otherwise nil. The connection owns the closure.
    ///
    /// Use this function only for signals that are emitted on the GTK thread; GTK emits its signals on this thread.
    /// Returns the connection's identifier.
    @discardableResult package static func connect(
        _ object: OpaquePointer, _ name: String, _ handler: @escaping @MainActor (OpaquePointer?) -> Void
    ) -> UInt {
        let box = Unmanaged.passRetained(SignalHandler(handler))
        return webimage_signal_connect(
            object, name,
            { box, argument in
                // `nonisolated(unsafe)` is safe: the argument stays on this thread, which is the main actor's thread.
                nonisolated(unsafe) let argument = argument
                let handler = Unmanaged<SignalHandler>.fromOpaque(box).takeUnretainedValue()
                MainActor.assumeIsolated { handler.call(argument) }
            },
            box.toOpaque(),
            { box in Unmanaged<SignalHandler>.fromOpaque(box).release() })
    }

    /// Disconnects a handler. Does nothing if the handler is already disconnected.
    ///
    /// A widget that is being destroyed disconnects its handlers itself, at a moment that differs between versions of
    /// GTK. GLib warns about a second disconnect.
    static func disconnect(_ object: OpaquePointer, _ connection: UInt) {
        let object = UnsafeMutableRawPointer(object)
        guard g_signal_handler_is_connected(object, connection) != 0 else { return }
        g_signal_handler_disconnect(object, connection)
    }
}

private final class SignalHandler: Sendable {
    let call: @MainActor (OpaquePointer?) -> Void

    init(_ call: @escaping @MainActor (OpaquePointer?) -> Void) {
        self.call = call
        HandleLedger.opened("signal handler")
    }

    deinit { HandleLedger.closed("signal handler") }
}
