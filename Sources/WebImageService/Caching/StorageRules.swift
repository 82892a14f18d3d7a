/// Decides where results and sources are stored, and for how long.
///
/// A rule is `results SUBJECT PLACES SECONDS` or `sources SUBJECT PLACES SECONDS`. The subject is `preset:NAME`,
/// `preset:*` for any preset but `default`, or a pattern of sources; without it, the rule is for all. The places are `all`,
/// `none`, or `memory`, `disk` and `tiers` joined by `+`. The first rule that fits decides; without one, everything is
/// stored everywhere.
struct StorageRules: Sendable, Hashable {
    struct Places: OptionSet, Sendable, Hashable {
        let rawValue: Int
        static let memory = Places(rawValue: 1)
        static let disk = Places(rawValue: 2)
        static let tiers = Places(rawValue: 4)
        static let all: Places = [.memory, .disk, .tiers]
    }

    /// Where one result or source is stored.
    struct Storage: Sendable, Hashable {
        var places = Places.all
        /// The longest time in seconds for which it is fresh; nil for no limit.
        var seconds: Int?

        /// The lifetime within the limit.
        func limited(_ lifetime: Lifetime) -> Lifetime {
            guard let seconds, lifetime.maxAge - lifetime.age > seconds else { return lifetime }
            var lifetime = lifetime
            lifetime.maxAge = lifetime.age + seconds
            return lifetime
        }
    }

    enum Subject: Sendable, Hashable {
        case all
        case preset(String)
        case anyPreset
        case source(SourcePattern)

        fileprivate func fits(_ source: String, _ presets: [String]) -> Bool {
            switch self {
            case .all: true
            case .preset(let name): presets.contains(name)
            case .anyPreset: presets.contains { $0 != PresetTable.defaultName }
            case .source(let pattern): pattern.matches(source)
            }
        }
    }

    private struct Rule: Sendable, Hashable {
        var isForResults: Bool
        var subject: Subject
        var storage: Storage
    }

    private var rules: [Rule] = []

    init() {}

    /// - Throws: `ConfigurationError` for the first text that is no rule.
    init(_ texts: [String]) throws(ConfigurationError) {
        for (index, text) in texts.enumerated() {
            guard let rule = Self.rule(text) else {
                throw ConfigurationError("store-rule", Self.problem(text) ?? "", index: index)
            }
            rules.append(rule)
        }
    }

    /// Returns the reason why a text is no rule; nil if it is one.
    @Sendable static func problem(_ text: String) -> String? {
        rule(text) == nil
            ? "'\(text)' is not 'results' or 'sources', preset:NAME or a pattern of sources, places (all, none, or memory,"
                + " disk and tiers joined by +) and seconds; sources have no presets and are not stored in memory" : nil
    }

    /// The subjects of the rules, in the order of the rules.
    var subjects: [Subject] { rules.map(\.subject) }

    func ofResults(from source: String, presets: [String]) -> Storage {
        rules.first { $0.isForResults && $0.subject.fits(source, presets) }?.storage ?? Storage()
    }

    func ofSource(_ source: String) -> Storage {
        rules.first { !$0.isForResults && $0.subject.fits(source, []) }?.storage ?? Storage()
    }

    private static func rule(_ text: String) -> Rule? {
        var words = text.split(separator: " ")[...]
        guard let kind = words.popFirst(), kind == "results" || kind == "sources" else { return nil }
        var storage = Storage()
        if words.count > 1, let seconds = words.last.flatMap({ Int(digits: $0) }) {
            storage.seconds = seconds
            words.removeLast()
        }
        guard let last = words.popLast(), let places = places(last), words.count <= 1 else { return nil }
        storage.places = places
        guard let subject = subject(words.first) else { return nil }
        if kind == "sources" {
            if places != .all, places.contains(.memory) { return nil }
            switch subject {
            case .preset, .anyPreset: return nil
            case .all, .source: break
            }
        }
        return Rule(isForResults: kind == "results", subject: subject, storage: storage)
    }

    private static func subject(_ word: Substring?) -> Subject? {
        guard let word else { return .all }
        if word.hasPrefix("preset:") {
            let name = word.dropFirst("preset:".count)
            if name == "*" { return .anyPreset }
            return name.isEmpty ? nil : .preset(String(name))
        }
        let pattern = String(word)
        return SourcePattern.problem(pattern) == nil ? .source(SourcePattern(text: pattern)) : nil
    }

    private static func places(_ word: Substring) -> Places? {
        if word == "all" { return .all }
        if word == "none" { return [] }
        let names: [Substring: Places] = ["memory": .memory, "disk": .disk, "tiers": .tiers]
        var places: Places = []
        for part in word.split(separator: "+", omittingEmptySubsequences: false) {
            guard let place = names[part], !places.contains(place) else { return nil }
            places.insert(place)
        }
        return places
    }
}
