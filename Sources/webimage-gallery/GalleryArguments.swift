import Foundation

/// What the command line asks for.
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

    static let help = """
        Usage: webimage-gallery [options] URL|FILE…

        Shows pictures in a window.

          --columns N        pictures per row (default: what the width holds)
          --size WxH         window size in pixels
          --title TEXT       window title
          --screenshot FILE  save the window as PNG when every picture has arrived or failed, then quit
          --help, --version

        Exit codes: 0 ok, 1 usage or no display, 2 the screenshot is incomplete or could not be written.
        """

    static func parse(_ words: some Sequence<String>) -> Command {
        var arguments = GalleryArguments()
        var words = Array(words)[...]
        while let word = words.popFirst() {
            guard word.hasPrefix("--"), word.count > 2 else {
                guard let url = url(word) else { return .refuse("not a URL or path: \(word)") }
                arguments.urls.append(url)
                continue
            }
            let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            switch parts[0] {
            case "--help": return .say(help)
            case "--version": return .say("webimage-gallery 0.1.0")
            case "--self-check-main-loop": return .checkMainLoop
            default: break
            }
            guard let value = parts.count == 2 ? parts[1] : words.popFirst() else {
                return .refuse("\(parts[0]) is unknown or lacks its value")
            }
            guard arguments.set(parts[0], value) else { return .refuse("cannot use \(parts[0]) \(value)") }
        }
        return arguments.urls.isEmpty ? .refuse("no pictures given") : .run(arguments)
    }

    private mutating func set(_ option: String, _ value: String) -> Bool {
        switch option {
        case "--screenshot": screenshot = value
        case "--title": title = value
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

    /// Words with a scheme are URLs, everything else is a path.
    private static func url(_ word: String) -> URL? {
        guard !word.isEmpty else { return nil }
        let isURL = word.contains("://") || word.hasPrefix("data:") || word.hasPrefix("file:")
        return isURL ? URL(string: word) : URL(fileURLWithPath: word)
    }
}
