import Foundation
import WebImageCommandLine

/// `webimage show`: replaces this process with the program `webimage-gallery`. The gallery is a separate program, so
/// that `webimage` does not link GTK.
enum ShowCommand {
    static let text = CommandText(
        name: "show", head: "show URL...",
        summary: "show pictures in a window",
        usage: ["webimage show URL|PATH..."],
        parts: [
            .text("Shows the pictures in a window with webimage-gallery."),
            .examples([
                "webimage show photo.jpg https://example.org/a.jpg"
            ]),
        ])

    static let command = Command(text, hidden: CommandOption.limits) { arguments throws(UsageError) in
        guard !arguments.operands.isEmpty else { throw UsageError("show requires at least one URL") }
        let operands = arguments.operands
        return { execute(operands) }
    }

    private static func execute(_ operands: [String]) -> ExitCode {
        for candidate in candidates where access(candidate, X_OK) == 0 {
            // Restore the default handling of signals, because a program that `execv` starts inherits ignored signals.
            for number in [SIGINT, SIGTERM, SIGPIPE] { signal(number, SIG_DFL) }
            var words = ([candidate, "--"] + operands).map { strdup(RawText.cString($0)) } + [nil]
            execv(candidate, &words)
        }
        Console.error(
            "webimage-gallery is not installed; install it beside webimage or in PATH "
                + "(it needs GTK 4: package libgtk-4-1), or use 'webimage load --out DIR'")
        return .failed
    }

    /// The possible paths of the gallery: first in the folder of this program, then in the folders of `PATH`.
    private static var candidates: [String] {
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        let folders = [PathText.folder(of: own)] + path.split(separator: ":").map(String.init)
        return folders.filter { !$0.isEmpty }.map { $0 + "/webimage-gallery" }
    }
}
