import Foundation

/// Decides whether an SVG may be sent to browsers unchanged. A document that could be harmful is refused as a whole; no
/// part of a document is removed.
enum SVGSafety {
    /// Whether the document contains none of these parts: scripts, event handlers, foreign content, entities, external
    /// style sheets, references to other resources.
    ///
    /// If a browser loads the SVG from the service, the `sandbox` policy of the answer protects the browser. If a
    /// person saves the SVG and opens the saved file, this policy is missing, because it is not part of the file. This
    /// check protects in that case.
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

    /// Whether the text has an attribute whose name begins with `on`, such as `onload`.
    private static func hasHandler(_ text: String) -> Bool {
        text.range(of: #"[\s"'/]on[a-z]+\s*="#, options: .regularExpression) != nil
    }

    /// Whether all references are `href="#id"`, `url(#id)`, or `href` with a PNG or JPEG picture in a `data:` URL.
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
