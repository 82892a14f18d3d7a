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

    struct Rule: Sendable, Hashable {
        fileprivate let isForResults: Bool
        fileprivate let subject: Subject
        fileprivate var storage = Storage()

        init(_ text: String) throws(SettingProblem) {
            let problem = SettingProblem(
                "'\(text)' is not 'results' or 'sources', preset:NAME or a pattern of sources, places (all, none, or memory,"
                    + " disk and tiers joined by +) and seconds; sources have no presets and are not stored in memory")
            var words = text.split(separator: " ")[...]
            guard let kind = words.popFirst(), kind == "results" || kind == "sources" else { throw problem }
            if words.count > 1, let seconds = words.last.flatMap({ Int(digits: $0) }) {
                storage.seconds = seconds
                words.removeLast()
            }
            guard let last = words.popLast(), let places = StorageRules.places(last), words.count <= 1,
                let subject = StorageRules.subject(words.first)
            else { throw problem }
            storage.places = places
            if kind == "sources" {
                if places != .all, places.contains(.memory) { throw problem }
                switch subject {
                case .preset, .anyPreset: throw problem
                case .all, .source: break
                }
            }
            self.subject = subject
            isForResults = kind == "results"
        }
    }

    private let rules: [Rule]

    init(_ rules: [Rule] = []) { self.rules = rules }

    /// The subjects of the rules, in the order of the rules.
    var subjects: [Subject] { rules.map(\.subject) }

    func ofResults(from source: String, presets: [String]) -> Storage {
        rules.first { $0.isForResults && $0.subject.fits(source, presets) }?.storage ?? Storage()
    }

    func ofSource(_ source: String) -> Storage {
        rules.first { !$0.isForResults && $0.subject.fits(source, []) }?.storage ?? Storage()
    }

    private static func subject(_ word: Substring?) -> Subject? {
        guard let word else { return .all }
        if word.hasPrefix("preset:") {
            let name = word.dropFirst("preset:".count)
            if name == "*" { return .anyPreset }
            return name.isEmpty ? nil : .preset(String(name))
        }
        return (try? SourcePattern(checking: String(word))).map(Subject.source)
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
