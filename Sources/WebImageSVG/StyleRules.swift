import Foundation

/// The declarations of a document's style sheets, found by a part of the selector.
///
/// The price of a drawing needs an upper bound, so a rule may match more elements here than in librsvg, but not fewer.
/// Only the last compound of a selector is compared, and of this compound only one class, id or name.
struct StyleRules {
    private enum Key: Hashable {
        case any
        case name(String)
        case id(String)
        case className(String)
    }

    private var rules: [Key: [[String: String]]] = [:]

    var isEmpty: Bool { rules.isEmpty }

    /// Adds the rules of a style sheet.
    mutating func add(_ css: Data) {
        let text = String(decoding: StyleReferences.withoutComments(css), as: UTF8.self)
        // Nested blocks, strings and escapes need a whole parser of CSS. The declarations of such a style sheet are
        // applied to every element.
        guard !text.contains(where: { $0 == "\\" || $0 == "\"" || $0 == "'" || $0 == "@" }),
            let parsed = Self.parsed(text)
        else {
            let all = text.split { $0 == ";" || $0 == "{" || $0 == "}" }.map(String.init)
            for declaration in all { rules[.any, default: []].append(Self.declarations(declaration)) }
            return
        }
        for (selectors, block) in parsed {
            let declarations = Self.declarations(block)
            guard !declarations.isEmpty else { continue }
            for key in Set(Self.keys(selectors)) { rules[key, default: []].append(declarations) }
        }
    }

    /// The declarations that may apply to an element.
    func declarations(name: String, id: String?, classes: String?) -> [[String: String]] {
        guard !isEmpty else { return [] }
        var found = rules[.any, default: []] + rules[.name(name), default: []]
        if let id { found += rules[.id(id), default: []] }
        for one in (classes ?? "").split(whereSeparator: \.isWhitespace) {
            found += rules[.className(String(one)), default: []]
        }
        return found
    }

    /// Parses `name: value; …`. Names are in lower case.
    static func declarations(_ text: some StringProtocol) -> [String: String] {
        var result: [String: String] = [:]
        for declaration in text.split(separator: ";") {
            guard let colon = declaration.firstIndex(of: ":") else { continue }
            let name = declaration[..<colon].lowercased().filter { !$0.isWhitespace }
            result[name, default: ""] += " " + declaration[declaration.index(after: colon)...]
        }
        return result
    }

    private static func parsed(_ text: String) -> [(selectors: Substring, block: Substring)]? {
        var rest = text[...]
        var result: [(Substring, Substring)] = []
        while let open = rest.firstIndex(of: "{") {
            let block = rest[rest.index(after: open)...]
            guard let close = block.firstIndex(of: "}"), !block[..<close].contains("{"),
                !rest[..<open].contains("}")
            else { return nil }
            result.append((rest[..<open], block[..<close]))
            rest = block[block.index(after: close)...]
        }
        return rest.contains("}") ? nil : result
    }

    private static func keys(_ selectors: Substring) -> [Key] {
        guard !selectors.contains(where: { $0 == "(" || $0 == "[" }) else { return [.any] }
        return selectors.split(separator: ",").map { selector in
            let compound = selector.split { $0.isWhitespace || ">+~".contains($0) }.last ?? ""
            func part(after mark: Character) -> String? {
                guard let start = compound.firstIndex(of: mark) else { return nil }
                return String(compound[compound.index(after: start)...].prefix { !".#:".contains($0) })
            }
            if let name = part(after: ".") { return .className(name) }
            if let id = part(after: "#") { return .id(id) }
            let name = String(compound.prefix { $0 != ":" })
            return name.isEmpty || name == "*" ? .any : .name(name)
        }
    }
}
