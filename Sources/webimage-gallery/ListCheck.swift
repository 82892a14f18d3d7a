import CWebImageGTK
import Foundation
import WebImageGTK

/// Checks that the list page plays its first picture, and that a click on this picture opens the large view. A test
/// runs the check in a separate process.
@MainActor struct ListCheck {
    let window: GalleryWindow

    /// Waits at most ten seconds for each of the two conditions. Prints each condition that becomes true. Returns 0 if
    /// both conditions become true, otherwise 2.
    func run() async -> Int32 {
        let plays = await reaches { (view?.currentFrameIndex ?? 0) > 0 }
        if plays { print("plays") }
        click()
        let opens = await reaches { window.shows(page: "viewer") }
        if opens { print("opens") }
        return plays && opens ? 0 : 2
    }

    private var view: AnimatedImageView? {
        (window.list.list.row(at: 0) as? FittingImageView)?.imageView as? AnimatedImageView
    }

    private func reaches(_ condition: () -> Bool) async -> Bool {
        let deadline = ContinuousClock.now + .seconds(10)
        while !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try? await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    /// Sends a click near the top left corner of the list, where the first row is.
    private func click() {
        let list = UnsafeMutablePointer<GtkWidget>(window.list.list.widget)
        let controllers = gtk_widget_observe_controllers(list)
        defer { g_object_unref(controllers.map { UnsafeMutableRawPointer($0) }) }
        for place in 0..<g_list_model_get_n_items(controllers) {
            guard let controller = g_list_model_get_item(controllers, place) else { continue }
            defer { g_object_unref(controller) }
            let instance = controller.assumingMemoryBound(to: GTypeInstance.self)
            if g_type_check_instance_is_a(instance, gtk_gesture_click_get_type()) != 0 { release(controller) }
        }
    }

    private func release(_ gesture: UnsafeMutableRawPointer) {
        var values = [GValue(), GValue(), GValue(), GValue()]
        g_value_init(&values[0], gtk_gesture_click_get_type())
        g_value_set_object(&values[0], gesture)
        // Swift cannot import the macros G_TYPE_INT (6 << 2) and G_TYPE_DOUBLE (15 << 2).
        g_value_init(&values[1], GType(6 << 2))
        g_value_set_int(&values[1], 1)
        for place in [2, 3] {
            g_value_init(&values[place], GType(15 << 2))
            g_value_set_double(&values[place], 5)
        }
        g_signal_emitv(&values, g_signal_lookup("released", gtk_gesture_click_get_type()), 0, nil)
        for place in 0..<4 { g_value_unset(&values[place]) }
    }
}
