import CWebImageXML
import Foundation
import WebImageCore

/// Receives the events of the HTML parser and keeps what a preview needs. Used by one thread.
final class PageCollector {
    private(set) var content = PageContent()
    /// Whether the parser must stop: nothing more can be kept, the page is nested too deeply, or it takes too long.
    private(set) var hasEnough = false

    private let deadline: DecodeDeadline
    private var stop: (() -> Void)?
    private var events = 0

    private var depth = 0
    private var title: String?
    private var hasTitle = false
    private var linkedData: [UInt8]?
    private var linkedDataBytes = 0
    /// The depth of elements whose content is no part of the page's own head: drawings, and text that shows markup.
    private var foreignDepth = 0

    /// Browsers limit the depth to 512 too. The parser compares each end tag with all open elements.
    private static let mostDepth = 512
    private static let mostTitleBytes = 4096
    private static let mostLinkedDataBytes = 256 << 10
    private static let foreign: Set<String> = ["svg", "math", "textarea", "iframe", "noembed", "template"]

    init(_ deadline: DecodeDeadline) { self.deadline = deadline }

    /// Sets the function that stops the parser.
    func whenEnough(_ stop: @escaping () -> Void) { self.stop = stop }

    private func end() {
        hasEnough = true
        stop?()
        stop = nil
    }

    private func countEvent() {
        events += 1
        if events.isMultiple(of: 64), deadline.hasPassed { end() }
    }

    // MARK: Events

    func start(_ name: String, _ attributes: [(String, String)]) {
        countEvent()
        depth += 1
        if depth > Self.mostDepth { end() }
        if Self.foreign.contains(name) { foreignDepth += 1 }
        guard foreignDepth == 0 else { return }
        func value(_ wanted: String) -> String? {
            attributes.first { $0.0 == wanted }?.1.trimmingCharacters(in: .whitespacesAndNewlines)
        }
        switch name {
        case "title": if !hasTitle { title = "" }
        case "base": add(.init(.base, value: value("href") ?? ""))
        case "meta": addMeta(value)
        case "link":
            let rel = value("rel")?.lowercased() ?? ""
            if Self.keepsLink(rel) {
                let detail = "\(value("sizes") ?? "") \(value("type") ?? "")".lowercased()
                add(.init(.link, name: rel, value: value("href") ?? "", detail: detail))
            }
            if value("itemprop")?.lowercased() == "image" {
                add(.init(.meta, name: "itemprop:image", value: value("href") ?? ""))
            }
        case "img":
            if value("itemprop")?.lowercased() == "image" {
                add(.init(.meta, name: "itemprop:image", value: value("src") ?? ""))
            }
        case "script":
            if value("type")?.lowercased().hasPrefix("application/ld+json") ?? false { linkedData = [] }
        default: break
        }
    }

    func end(_ name: String) {
        countEvent()
        depth = max(depth - 1, 0)
        if Self.foreign.contains(name) { foreignDepth = max(foreignDepth - 1, 0) }
        switch name {
        case "title":
            guard let text = title else { break }
            title = nil
            let words = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            if !words.isEmpty {
                hasTitle = true
                add(.init(.title, value: words))
            }
        case "script":
            guard let text = linkedData else { break }
            linkedData = nil
            for entry in PageLinkedData.entries(Data(text)) { add(entry) }
        default: break
        }
    }

    func characters(_ text: UnsafeBufferPointer<UInt8>) {
        countEvent()
        if linkedData != nil {
            linkedDataBytes += text.count
            if linkedDataBytes > Self.mostLinkedDataBytes { linkedData = nil }
            linkedData?.append(contentsOf: text)
        } else if let known = title, known.utf8.count + text.count <= Self.mostTitleBytes {
            title?.append(String(decoding: text, as: UTF8.self))
        }
    }

    // MARK: Elements

    private func addMeta(_ value: (String) -> String?) {
        guard let content = value("content") else { return }
        // `property` is right for Open Graph, but pages also use `name`, and both on one element.
        for attribute in ["property", "name"] {
            for name in (value(attribute) ?? "").lowercased().split(separator: " ") where Self.keepsMeta(name) {
                return add(.init(.meta, name: String(name), value: content))
            }
        }
        if let name = value("itemprop")?.lowercased(), ["image", "name", "description"].contains(name) {
            return add(.init(.meta, name: "itemprop:" + name, value: content))
        }
        if value("http-equiv")?.lowercased() == "refresh" {
            add(.init(.meta, name: "http-equiv:refresh", value: content))
        }
    }

    private static func keepsMeta(_ name: Substring) -> Bool {
        name.hasPrefix("og:") || name.hasPrefix("twitter:")
            || ["description", "application-name", "thumbnail", "msapplication-tileimage", "title"].contains(name)
    }

    private static func keepsLink(_ rel: String) -> Bool {
        rel.split(separator: " ").contains {
            $0 == "icon" || $0 == "image_src" || $0 == "fluid-icon" || $0.hasPrefix("apple-touch-icon")
        }
    }

    private func add(_ entry: PageContent.Entry) {
        content.add(entry)
        if content.entries.count == PageContent.mostEntries { end() }
    }
}
