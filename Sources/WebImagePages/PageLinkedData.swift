import Foundation

/// The facts of a JSON-LD block that a preview needs.
enum PageLinkedData {
    private static let mostFacts = 16
    private static let mostObjects = 2000

    static func entries(_ text: Data) -> [PageContent.Entry] {
        guard let json = try? JSONSerialization.jsonObject(with: cleaned(text)) else { return [] }
        var facts: [PageContent.Entry] = []
        // The objects of the page, each before those inside it.
        var waiting: [Any] = [json]
        var seen = 0
        while let next = waiting.popLast(), seen < mostObjects, facts.count < mostFacts {
            seen += 1
            if let list = next as? [Any] {
                waiting += list.prefix(mostObjects).reversed()
            } else if let object = next as? [String: Any] {
                add(object, to: &facts)
                for key in ["mainEntityOfPage", "primaryImageOfPage", "mainEntity", "@graph"] {
                    if let inner = object[key], !(inner is String) { waiting.append(inner) }
                }
            }
        }
        return facts
    }

    private static func add(_ object: [String: Any], to facts: inout [PageContent.Entry]) {
        let types = strings(object["@type"])
        let isImage = types.contains("ImageObject")
        var images = strings(object["image"], "url", "contentUrl", "@id") + strings(object["thumbnailUrl"])
        if isImage { images += strings(object["contentUrl"]) + strings(object["url"]) }
        for image in images.prefix(4) { facts.append(.init(.linkedData, name: "image", value: image)) }
        if let title = strings(object["headline"]).first {
            facts.append(.init(.linkedData, name: "title", value: title))
        }
        if types.contains("WebSite"), let site = strings(object["name"]).first {
            facts.append(.init(.linkedData, name: "site", value: site))
        }
        if let site = strings(object["publisher"], "name").first, object["publisher"] is [String: Any] {
            facts.append(.init(.linkedData, name: "site", value: site))
        }
        if let summary = strings(object["description"]).first {
            facts.append(.init(.linkedData, name: "summary", value: summary))
        }
    }

    /// The texts of a value: a text, an object with one of the keys, or a list of them.
    private static func strings(_ value: Any?, _ keys: String...) -> [String] {
        switch value {
        case let text as String: return [text.trimmingCharacters(in: .whitespacesAndNewlines)]
        case let list as [Any]:
            return list.prefix(8).flatMap { element -> [String] in
                if let text = element as? String { return [text] }
                guard let object = element as? [String: Any] else { return [] }
                return keys.lazy.compactMap { object[$0] as? String }.first.map { [$0] } ?? []
            }
        case let object as [String: Any]:
            for key in keys {
                if let text = object[key] as? String { return [text] }
                if let texts = object[key] as? [String] { return texts }
            }
            return []
        default: return []
        }
    }

    /// The JSON without what pages put around it (CDATA marks and comments), and without line ends inside of texts, which
    /// JSON forbids.
    private static func cleaned(_ text: Data) -> Data {
        let blank = UInt8(ascii: " ")
        var bytes = text.map { $0 < 0x20 ? blank : $0 }
        let opening = [UInt8(ascii: "{"), UInt8(ascii: "[")]
        let closing = [UInt8(ascii: "}"), UInt8(ascii: "]")]
        guard let last = bytes.lastIndex(where: closing.contains) else { return Data() }
        bytes.removeSubrange((last + 1)...)
        if let mark = Data(bytes).range(of: Data("<![CDATA[".utf8)) { bytes.removeSubrange(..<mark.upperBound) }
        guard let first = bytes.firstIndex(where: opening.contains) else { return Data() }
        // A mark of CDATA at the end contains brackets.
        var json = Data(bytes[first...])
        if let mark = json.range(of: Data("]]>".utf8), options: .backwards) { json.removeSubrange(mark.lowerBound...) }
        if json.suffix(2) == Data("]]".utf8), json.first == UInt8(ascii: "{") { json.removeLast(2) }
        while let end = json.last, end == blank || end == UInt8(ascii: "/") || end == UInt8(ascii: "*") {
            json.removeLast()
        }
        return json
    }
}
