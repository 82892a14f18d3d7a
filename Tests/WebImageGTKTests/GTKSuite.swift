import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageGTK
import WebImageTestTraits
import WebImageTesting

/// Contains all tests that use GTK. The tests run one at a time, because concurrent calls crash GTK.
@Suite(
    "GTK", .serialized, .timeLimit(minutes: 5),
    .enabled(if: Display.isNamed, "no display: set DISPLAY, or run the tests under xvfb-run"))
@MainActor struct GTKSuite {}

enum Display {
    @MainActor private static let firstView: Void = { _ = ImageView() }()

    /// Whether the environment names a display. This check must not call GTK, because the call would initialise GTK on
    /// the wrong thread.
    static var isNamed: Bool {
        let environment = ProcessInfo.processInfo.environment
        return environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil
    }

    /// Connects to the display. Every suite in ``GTKSuite`` calls this function first.
    @MainActor static func open() throws {
        try #require(gtk_init_check() != 0, "the display named by the environment cannot be opened")
        // The first view opens a permanent connection to the desktop's memory monitor. Create this view before a test
        // compares handles.
        _ = firstView
    }
}

/// Runs GTK and the main queue until `condition` returns true. Returns false if this takes longer than ten seconds.
@MainActor func pump(until condition: () -> Bool) async throws -> Bool {
    if condition() { return true }
    return await eventually(within: 10) {
        while g_main_context_iteration(nil, 0) != 0 {}
        return condition()
    }
}

/// Runs the main loop until the widgets whose handles were released belong to their parents or are freed.
@MainActor func turnLoop() async throws {
    var hasTurned = false
    // A block of the main queue runs after the callbacks with a higher priority, such as releases of handles.
    DispatchQueue.main.async { MainActor.assumeIsolated { hasTurned = true } }
    #expect(try await pump { hasTurned })
}

/// The live handles of the GTK module. Handles of other modules are not included, because other suites in the process
/// open such handles at the same time.
enum GTKHandles {
    static var live: [String: Int] {
        let kinds: Set = [
            "GdkTexture", "drawing", "GtkWidget", "signal handler", "texture pixels", "widget state",
        ]
        return HandleLedger.live.filter { kinds.contains($0.key) }
    }

    /// Whether no kind has more live handles than before. What an earlier test has left behind may end meanwhile.
    static func hasNoMore(than before: [String: Int]) -> Bool { live.allSatisfy { $1 <= before[$0, default: 0] } }
}
