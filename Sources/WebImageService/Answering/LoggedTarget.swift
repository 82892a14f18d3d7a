import Foundation

/// Makes the form of a target that logs show. It contains the options. It never contains the signature, the source, the
/// query or any other text that could be secret; a dash of dots stands for these parts.
///
/// The source is logged separately, after it was parsed: ``ServiceLogEntry/source``.
struct LoggedTarget: Sendable, Hashable {
    /// The prefix of every target.
    var prefix = ""
    /// The prefix of thumbor's grammar; empty disables the grammar.
    var thumborPrefix = ""

    /// Pages without a secret in their path.
    private static let pages: Set<Substring> = [
        "/", "/healthz", "/health", "/readyz", "/metrics", "/purge", "/favicon.ico", "/robots.txt",
    ]
    /// Texts that clients write in the place of a signature.
    private static let unsigned: Set<Substring> = ["_", "-", "unsafe", "insecure"]
    private static let longest = 300

    func text(of target: String) -> String {
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let shown = text(path: path)
        return path.endIndex < target.endIndex && !shown.hasSuffix("…") ? shown + "…" : shown
    }

    private func text(path: Substring) -> String {
        if Self.pages.contains(path) || path == prefix { return String(path) }
        let rest = path.dropFirst(prefix.count)
        guard path.hasPrefix(prefix), rest.first == "/" else { return "/…" }
        if Self.pages.contains(rest) { return String(path) }
        if !thumborPrefix.isEmpty, let inner = ServiceSettings.inside(rest, thumborPrefix) {
            return prefix + thumborPrefix + Self.options(of: inner, isShown: Self.thumborPart)
        }
        if let inner = ServiceSettings.inside(rest, "/info") {
            return prefix + "/info" + Self.options(of: inner, isShown: Self.imgproxyPart)
        }
        return prefix + Self.options(of: rest, isShown: Self.imgproxyPart)
    }

    /// Shows the signature as dots, then the parts that are options, up to the first other part.
    private static func options(of path: Substring, isShown: (Substring) -> String?) -> String {
        let parts = path.drop { $0 == "/" }.prefix(2_000).split(separator: "/", omittingEmptySubsequences: false)
        guard let signature = parts.first, parts.count > 1 else { return "/…" }
        var text = "/" + (unsigned.contains(signature) ? String(signature) : "…") + "/"
        for part in parts.dropFirst() {
            guard let shown = isShown(part), text.utf8.count + shown.utf8.count < longest else { break }
            text += shown + "/"
            if shown == "plain" { break }
        }
        return text + "…"
    }

    private static func imgproxyPart(_ part: Substring) -> String? {
        if part == "plain" { return "plain" }
        let text = part.replacingOccurrences(of: "%3A", with: ":")
        guard let segment = OptionSegment(text[...]), OptionTable.isOption(segment.name) else { return nil }
        // A user name in an option would be a part of a source that was written in the wrong place.
        return text.contains("@") ? "\(segment.name):…" : text
    }

    private static let thumborWords: Set<Substring> = [
        "debug", "meta", "trim", "fit-in", "full-fit-in", "adaptive-fit-in", "adaptive-full-fit-in", "smart", "left",
        "center", "right", "top", "middle", "bottom",
    ]

    private static func thumborPart(_ part: Substring) -> String? {
        if thumborWords.contains(part) { return String(part) }
        if part.hasPrefix("trim:") { return "trim:…" }
        if part.hasPrefix("filters:") {
            // An argument can be the URL of a watermark. Show only the names.
            let names = part.dropFirst(8).components(separatedBy: "):").map { $0.prefix { $0 != "(" } }
            let isPlain = names.allSatisfy { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == 0x5F } }
            return isPlain ? "filters:" + names.map { "\($0)(…)" }.joined(separator: ":") : "filters:…"
        }
        let isSize = !part.isEmpty && part.utf8.allSatisfy { (0x30...0x39).contains($0) || "x:-orig".utf8.contains($0) }
        return isSize && part.contains("x") ? String(part) : nil
    }
}
