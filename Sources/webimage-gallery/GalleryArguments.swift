import Foundation
import WebImage
import WebImageCommandLine

/// The parsed command line.
struct GalleryArguments {
    enum Command {
        case run(GalleryArguments)
        case say(String)
        case checkMainLoop
        case refuse(String)
    }

    var urls: [URL] = []
    var screenshot: String?
    var width: Int?
    var height: Int?
    var title = "Gallery"
    var columns: Int?
    var page = "grid"
    var isDark = false
    var showsPanel = false
    /// Whether to run ``ListCheck``. Tests set this value with `--self-check-list`.
    var checksList = false

    static let text = CommandText(
        summary: "shows pictures in a window", usage: ["webimage-gallery [OPTIONS] [URL|FILE...]"],
        parts: [
            .text(
                "Shows pictures in a window. To add more, type a URL, open a text file of URLs, or drop pictures there."
            ),
            .options([
                .value(
                    "page", "NAME",
                    """
                    one of {grid, list or viewer (the first picture, large)}; or the first picture in each of
                    views, indicators, transitions or transformers
                    """),
                .value("columns", "N", "pictures per row (default: as many as fit)"),
                .value(
                    "transition", "NAME",
                    "a name in the panel, such as fade, none, flip-from-left, curl-up, push-from-top"),
                .value("indicator", "NAME", "one of {spinner, large-spinner, bar, ring, veil or none}"),
                .flag("panel", "show the panel of figures and choices"),
                .flag("dark", "use the dark style"),
                .value("size", "WxH", "window size in pixels"),
                .value("title", "TEXT", "window title"),
                .value(
                    "screenshot", "FILE",
                    "save the window as PNG when every picture is shown or has failed, then quit"),
                .flag("help", "print this"),
                .flag("version", "print the version"),
            ]),
            .text(
                "exit codes: 0 ok, 1 wrong usage or no display, 2 the screenshot is incomplete or could not be written"),
            .examples([
                "webimage-gallery photo.jpg https://example.org/a.jpg", "webimage-gallery --page list --dark *.jpg",
                "webimage-gallery --screenshot window.png --columns 4 *.jpg",
            ]),
        ])

    /// Returns manual pages or completions: `webimage-gallery --describe bash`.
    private static func described(_ words: [String]) -> Command {
        let program = ProgramText(name: "webimage-gallery", version: PackageVersion.current, general: text)
        do { return .say(String(try program.described(words).dropLast())) } catch { return .refuse(error.message) }
    }

    static func parse(_ words: some Sequence<String>) -> Command {
        var arguments = GalleryArguments()
        var words = Array(words)[...]
        var areOptionsOver = false
        while let word = words.popFirst() {
            if word == "--", !areOptionsOver {
                areOptionsOver = true
                continue
            }
            guard !areOptionsOver, word.hasPrefix("--") else {
                guard let url = url(word) else { return .refuse("not a URL or path: \(word)") }
                arguments.urls.append(url)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--help": return .say(String(text.help.dropLast()))
            case "--describe": return described(Array(words))
            case "--version": return .say("webimage-gallery \(PackageVersion.current)")
            case "--self-check-main-loop": return .checkMainLoop
            case "--self-check-list":
                arguments.page = "list"
                arguments.checksList = true
                continue
            case "--dark":
                arguments.isDark = true
                continue
            case "--panel":
                arguments.showsPanel = true
                continue
            default: break
            }
            guard let value = parts.count == 2 ? parts[1] : words.popFirst() else {
                return .refuse("unknown option or missing value: \(parts[0])")
            }
            guard arguments.set(parts[0], value) else {
                return .refuse("unknown option or invalid value: \(parts[0]) \(value)")
            }
        }
        guard !arguments.urls.isEmpty || arguments.screenshot == nil else {
            return .refuse("--screenshot needs at least one picture")
        }
        return .run(arguments)
    }

    private mutating func set(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--screenshot": screenshot = value
        case "--title": title = value
        case "--page":
            let pages = ["grid", "list", "viewer"] + Sheet.Name.allCases.map(\.rawValue)
            guard pages.contains(value) else { return false }
            page = value
        case "--transition": return MainActor.assumeIsolated { Self.choose(transition: value) }
        case "--indicator": return MainActor.assumeIsolated { Self.choose(indicator: value) }
        case "--columns":
            guard let number = Int(value), (1...64).contains(number) else { return false }
            columns = number
        case "--size":
            let sides = value.split(separator: "x").compactMap { Int($0) }
            guard sides.count == 2, sides.allSatisfy({ (1...16384).contains($0) }) else { return false }
            (width, height) = (sides[0], sides[1])
        default: return false
        }
        return true
    }

    @MainActor private static func choose(transition name: String) -> Bool {
        guard let number = Choices.number(of: name, in: Choices.transitions.map(\.name)) else { return false }
        Choices.chooseTransition(number)
        return true
    }

    @MainActor private static func choose(indicator name: String) -> Bool {
        guard let number = Choices.number(of: name, in: Choices.indicators.map(\.name)) else { return false }
        Choices.chooseIndicator(number)
        return true
    }

    /// Converts a word to a URL. A word without a scheme is the path of a file.
    static func url(_ word: String) -> URL? {
        guard !word.isEmpty else { return nil }
        let isURL = word.contains("://") || word.hasPrefix("data:") || word.hasPrefix("file:")
        return isURL ? URL(webAddress: word) : URL(fileURLWithPath: word)
    }
}
