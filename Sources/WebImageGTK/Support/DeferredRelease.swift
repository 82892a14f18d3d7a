import CWebImageGTK
import WebImageCore

/// Releases the references of handles such as ``ImageView`` after the main loop has run once more.
///
/// Swift releases a temporary handle as soon as its last property was read: in `gtk_box_append(box,
/// ImageView(image).gtkWidget())`, before the container receives the widget. Without the delay, the container would
/// receive a freed widget.
@MainActor enum DeferredRelease {
    private static var objects: [(object: OpaquePointer, kind: String)] = []

    /// Releases one reference to an object, and closes a handle of `kind` in the ledger, when the current callback of
    /// the main loop has returned.
    static func release(_ object: OpaquePointer, _ kind: String) {
        // The priority of input events: a loop that always draws would never reach the priority of idle callbacks.
        if objects.isEmpty {
            g_idle_add_full(
                0,
                { _ in
                    MainActor.assumeIsolated { DeferredRelease.drain() }
                    return 0
                }, nil, nil)
        }
        objects.append((object, kind))
    }

    private static func drain() {
        // The release of a widget can run code that releases further handles. These handles wait for the next turn.
        let due = objects
        objects = []
        for (object, kind) in due {
            g_object_unref(UnsafeMutableRawPointer(object))
            HandleLedger.closed(kind)
        }
    }
}
