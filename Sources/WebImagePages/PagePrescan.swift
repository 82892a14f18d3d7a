import Foundation

/// Searches the start of a page for the label of its character set (WHATWG HTML, "prescan a byte stream").
struct PagePrescan {
    private let bytes: [UInt8]
    private var place = 0

    init(_ bytes: Data) { self.bytes = [UInt8](bytes) }

    /// The label in the first `<meta>` element that has one, or in the XML declaration. Nil if there is none.
    mutating func label() -> String? {
        if hasPrefix("<?xml"), let end = end(of: "?>", from: place),
            let label = Self.encoding(ofDeclaration: text(place..<end))
        {
            return label
        }
        while place < bytes.count {
            if hasPrefix("<!--") {
                // `<!-->` is a whole comment.
                place = end(of: "-->", from: place + 2) ?? bytes.count
            } else if hasPrefix("<meta"), isBlankOrSlash(place + 5) {
                place += 5
                if let label = labelOfMeta() { return label }
            } else if isTag {
                skipTag()
            } else if hasPrefix("<!") || hasPrefix("</") || hasPrefix("<?") {
                place = end(of: ">", from: place) ?? bytes.count
            } else {
                place += 1
            }
        }
        return nil
    }

    private mutating func labelOfMeta() -> String? {
        var seen: Set<String> = []
        var (isContentType, needsContentType) = (false, false)
        var label: String?
        while let (name, value) = attribute() {
            guard seen.insert(name).inserted else { continue }
            switch name {
            case "http-equiv": isContentType = value == "content-type"
            case "charset": (label, needsContentType) = (value, false)
            case "content":
                guard label == nil, let found = Self.label(inContent: value) else { continue }
                (label, needsContentType) = (found, true)
            default: break
            }
        }
        return needsContentType && !isContentType ? nil : label
    }

    /// The label in the media type `text/html; charset=…`.
    static func label(inContent content: String) -> String? {
        guard let start = content.range(of: "charset", options: .caseInsensitive) else { return nil }
        var rest = content[start.upperBound...].drop { $0.isWhitespace }
        guard rest.first == "=" else { return label(inContent: String(content[start.upperBound...])) }
        rest = rest.dropFirst().drop { $0.isWhitespace }
        if let quote = rest.first, quote == "\"" || quote == "'" {
            let quoted = rest.dropFirst()
            return quoted.contains(quote) ? String(quoted.prefix { $0 != quote }) : nil
        }
        let label = rest.prefix { !$0.isWhitespace && $0 != ";" }
        return label.isEmpty ? nil : String(label)
    }

    private static func encoding(ofDeclaration text: String) -> String? {
        guard let start = text.range(of: "encoding") else { return nil }
        let rest = text[start.upperBound...].drop { $0.isWhitespace || $0 == "=" }
        guard let quote = rest.first, quote == "\"" || quote == "'" else { return nil }
        return String(rest.dropFirst().prefix { $0 != quote })
    }

    // MARK: Tags

    private var isTag: Bool {
        guard bytes[place] == UInt8(ascii: "<"), place + 1 < bytes.count else { return false }
        let next =
            bytes[place + 1] == UInt8(ascii: "/") && place + 2 < bytes.count ? bytes[place + 2] : bytes[place + 1]
        return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(next | 0x20)
    }

    private mutating func skipTag() {
        while place < bytes.count, bytes[place] > 0x20, bytes[place] != UInt8(ascii: ">") { place += 1 }
        while attribute() != nil {}
    }

    /// Reads the next attribute of a tag: its name and value in lower case. Nil at the end of the tag.
    private mutating func attribute() -> (name: String, value: String)? {
        while place < bytes.count, bytes[place] <= 0x20 || bytes[place] == UInt8(ascii: "/") { place += 1 }
        guard place < bytes.count, bytes[place] != UInt8(ascii: ">") else { return nil }
        let start = place
        // An equals sign at the start belongs to the name.
        place += 1
        while place < bytes.count, bytes[place] > 0x20, !Self.endsName.contains(bytes[place]) { place += 1 }
        let name = text(start..<place).lowercased()
        skipBlanks()
        guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return (name, "") }
        place += 1
        skipBlanks()
        guard place < bytes.count else { return (name, "") }
        let quote = bytes[place]
        if quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
            let first = place + 1
            let last = bytes[first...].firstIndex(of: quote) ?? bytes.count
            place = min(last + 1, bytes.count)
            return (name, text(first..<last).lowercased())
        }
        let first = place
        while place < bytes.count, bytes[place] > 0x20, bytes[place] != UInt8(ascii: ">") { place += 1 }
        return (name, text(first..<place).lowercased())
    }

    private static let endsName = [UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "/")]

    private mutating func skipBlanks() {
        while place < bytes.count, bytes[place] <= 0x20 { place += 1 }
    }

    private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func isBlankOrSlash(_ index: Int) -> Bool {
        index < bytes.count && (bytes[index] <= 0x20 || bytes[index] == UInt8(ascii: "/"))
    }

    /// Whether the text at the current place begins with a word in lower case, regardless of its case.
    private func hasPrefix(_ word: String) -> Bool {
        let word = word.utf8
        guard place + word.count <= bytes.count else { return false }
        return zip(bytes[place...], word).allSatisfy { $0 == $1 || ($0 | 0x20 == $1 && $1 >= UInt8(ascii: "a")) }
    }

    /// The place behind the next occurrence of a word.
    private func end(of word: String, from start: Int) -> Int? {
        let word = Array(word.utf8)
        guard start + word.count <= bytes.count else { return nil }
        for index in start...(bytes.count - word.count)
        where bytes[index..<(index + word.count)].elementsEqual(word) {
            return index + word.count
        }
        return nil
    }
}
