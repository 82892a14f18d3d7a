import Foundation

/// Whether an SVG may be passed on to browsers as it is. Nothing is removed: what is not surely harmless is refused.
enum SVGSafety {
    /// No scripts, handlers, foreign content, entities, style sheets or references beyond the document itself.
    ///
    /// Answers carry a `sandbox` policy as well; this is for what is saved and opened from a disk.
    static func isSafe(_ data: Data) -> Bool {
        guard data.count <= maxBytes, let text = String(validating: data, as: UTF8.self) else { return false }
        let lower = text.lowercased()
        guard !lower.utf8.contains(0) else { return false }
        for word in forbidden where lower.contains(word) { return false }
        return !hasHandler(lower) && referencesAreLocal(lower)
    }

    private static let maxBytes = 10 << 20

    private static let forbidden = [
        "<script", ":script", "<foreignobject", ":foreignobject", "<iframe", "<embed", "<object", "<form", "<animate",
        "<set", "<handler", "<!entity", "<!doctype", "<?xml-stylesheet", "javascript:", "vbscript:", "data:text",
        "data:application", "@import", "expression(", "<a ", "<a>", "&#", "<link", "<meta", "<audio", "<video",
    ]

    /// An attribute that begins with `on`.
    private static func hasHandler(_ text: String) -> Bool {
        text.range(of: #"[\s"'/]on[a-z]+\s*="#, options: .regularExpression) != nil
    }

    /// `href="#id"`, `url(#id)` and pictures in `data:` alone.
    private static func referencesAreLocal(_ text: String) -> Bool {
        for part in text.components(separatedBy: "href").dropFirst() {
            let value = part.drop(while: { $0.isWhitespace || "=\"'".contains($0) })
            guard value.hasPrefix("#") || value.hasPrefix("data:image/png") || value.hasPrefix("data:image/jpeg") else {
                return false
            }
        }
        for part in text.components(separatedBy: "url(").dropFirst() {
            guard part.drop(while: { $0.isWhitespace || $0 == "\"" || $0 == "'" }).hasPrefix("#") else { return false }
        }
        return true
    }
}
