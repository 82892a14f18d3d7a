import CWebImageGTK
import Foundation
import Testing

@testable import WebImageGTK

/// A scrolled window on screen that contains a list. A test can count and inspect the frames that the window draws.
@MainActor final class ListWindow {
    let scrolled: OpaquePointer
    let list: OpaquePointer
    private let window: TestWindow
    private var link: GTKDisplayLink?
    private var connection: (clock: OpaquePointer, number: UInt)?

    init(_ list: OpaquePointer, width: Int, height: Int) async throws {
        self.list = list
        scrolled = Self.scrolled(list)
        window = try await TestWindow(scrolled, width: width, height: height)
    }

    /// One list of a window with several lists.
    private init(_ list: OpaquePointer, scrolled: OpaquePointer, in window: TestWindow) {
        (self.list, self.scrolled, self.window) = (list, scrolled, window)
    }

    /// Shows several lists of the same size in one window, in rows of seven.
    static func grid(_ lists: [OpaquePointer], width: Int, height: Int) async throws -> [ListWindow] {
        let columns = min(lists.count, 7)
        let grid = try #require(OpaquePointer(gtk_grid_new()))
        let scrolled = lists.map { Self.scrolled($0) }
        for (index, list) in scrolled.enumerated() {
            gtk_widget_set_size_request(UnsafeMutablePointer(list), gint(width), gint(height))
            gtk_grid_attach(
                UnsafeMutablePointer(grid), UnsafeMutablePointer(list), gint(index % columns), gint(index / columns), 1,
                1)
        }
        let window = try await TestWindow(
            grid, width: columns * width, height: (lists.count + columns - 1) / columns * height)
        return zip(lists, scrolled).map { ListWindow($0, scrolled: $1, in: window) }
    }

    private static func scrolled(_ list: OpaquePointer) -> OpaquePointer {
        let scrolled: OpaquePointer = gtkCast(gtk_scrolled_window_new())
        gtk_scrolled_window_set_child(scrolled, UnsafeMutablePointer(list))
        // A visible scrollbar would reduce the width of the rows.
        gtk_scrolled_window_set_policy(scrolled, GTK_POLICY_EXTERNAL, GTK_POLICY_EXTERNAL)
        return scrolled
    }

    func close() {
        link?.stop()
        stopLooking()
        window.close()
    }

    var adjustment: UnsafeMutablePointer<GtkAdjustment> { gtk_scrolled_window_get_vadjustment(scrolled) }

    var value: Double {
        get { gtk_adjustment_get_value(adjustment) }
        set { gtk_adjustment_set_value(adjustment, newValue) }
    }

    /// Calls `body` at the beginning of every frame until `body` returns false. At this point of a frame, GTK moves a
    /// list during drags and flings.
    func everyFrame(_ body: @escaping @MainActor () -> Bool) {
        let link = GTKDisplayLink(scrolled)
        self.link = link
        link.start { [weak self] _ in
            guard !body() else { return }
            self?.link?.stop()
            self?.link = nil
        }
    }

    var isDriven: Bool { link != nil }

    /// Calls `body` after every frame has been laid out and drawn.
    func afterEveryFrame(_ body: @escaping @MainActor () -> Void) {
        guard let clock = gtk_widget_get_frame_clock(UnsafeMutablePointer(scrolled)) else { return }
        connection = (clock, Signal.connect(clock, "after-paint") { _ in body() })
    }

    func stopLooking() {
        if let connection { g_signal_handler_disconnect(UnsafeMutableRawPointer(connection.clock), connection.number) }
        connection = nil
    }

    /// Waits until `count` frames have been drawn.
    func frames(_ count: Int) async throws {
        var drawn = 0
        afterEveryFrame { drawn += 1 }
        _ = try await pump {
            gtk_widget_queue_draw(UnsafeMutablePointer(scrolled))
            return drawn >= count
        }
        stopLooking()
    }

    /// Waits until the window has drawn at least three frames and then no frame for 60 ms.
    func rest() async throws {
        var (frames, last) = (0, ContinuousClock.now)
        afterEveryFrame {
            frames += 1
            last = .now
        }
        gtk_widget_queue_draw(UnsafeMutablePointer(scrolled))
        _ = try await pump {
            if frames < 3, ContinuousClock.now - last > .milliseconds(20) {
                gtk_widget_queue_draw(UnsafeMutablePointer(scrolled))
            }
            return frames >= 3 && ContinuousClock.now - last > .milliseconds(60)
        }
        stopLooking()
    }

    /// Returns the vertical start and end of a widget in the coordinates of the list, or nil if the widget is not
    /// visible.
    func vertical(_ widget: OpaquePointer) -> (start: Double, end: Double)? {
        let widget = UnsafeMutablePointer<GtkWidget>(widget)
        var origin = graphene_point_t(x: 0, y: 0)
        var place = graphene_point_t()
        guard gtk_widget_get_mapped(widget) != 0, gtk_widget_get_child_visible(widget) != 0,
            gtk_widget_compute_point(widget, UnsafeMutablePointer<GtkWidget>(list), &origin, &place) != 0
        else { return nil }
        return (Double(place.y), Double(place.y) + Double(gtk_widget_get_height(widget)))
    }
}

/// Creates list models whose rows have no content.
@MainActor enum EmptyRows {
    /// Returns a `GtkSelectionModel` that the caller owns.
    static func model(_ count: Int) -> OpaquePointer {
        let store = g_list_store_new(g_object_get_type())
        var objects: [UnsafeMutableRawPointer?] = (0..<count).map { _ in
            UnsafeMutableRawPointer(g_object_new_with_properties(g_object_get_type(), 0, nil, nil))
        }
        g_list_store_splice(store, 0, 0, &objects, guint(count))
        for object in objects { g_object_unref(object) }
        return gtk_no_selection_new(store)
    }
}
