import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageGTK
import WebImageTestTraits
import WebImageTesting

/// All tests that use GTK. They run one at a time, because GTK is limited to one thread and crashes on concurrent use.
@Suite(
    "GTK", .serialized, .timeLimit(minutes: 5),
    .enabled(if: Display.isNamed, "no display: set DISPLAY, or run the tests under xvfb-run"))
@MainActor struct GTKSuite {}

enum Display {
    @MainActor private static let firstView: Void = { _ = ImageView() }()

    /// Whether the environment names a display. A call to GTK would initialise GTK on the wrong thread.
    static var isNamed: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    }

    /// Connects to the display; every suite under ``GTKSuite`` calls it first.
    @MainActor static func open() throws {
        try #require(gtk_init_check() != 0, "the display named by the environment cannot be opened")
        // The first view connects to the desktop's memory monitor permanently, so create it before handles are compared.
        _ = firstView
    }
}

/// Runs GTK and the main queue until `condition` holds; returns false after ten seconds.
@MainActor func pump(until condition: () -> Bool) async throws -> Bool {
    if condition() { return true }
    return await eventually(within: 10) {
        while g_main_context_iteration(nil, 0) != 0 {}
        return condition()
    }
}

/// The live handles of this module only, because other suites of the process open handles at the same time.
enum GTKHandles {
    static var live: [String: Int] {
        let kinds: Set = [
            "GdkTexture", "drawing", "GtkWidget", "signal handler", "texture pixels", "widget state",
        ]
        return HandleLedger.live.filter { kinds.contains($0.key) }
    }
}
