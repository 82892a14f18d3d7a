import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// The purges by tag and prefix that a machine knows. A pure value.
struct PurgeTable: Sendable {
    /// Whether an entry may be used.
    enum Verdict: Sendable {
        case valid
        /// Only while it is revalidated.
        case soft
        case hard
    }

    /// The stamps of the last purges of one subject; 0 for none.
    private struct Stamps {
        var hard = 0
        var soft = 0

        var newest: Int { max(hard, soft) }
    }

    /// The largest stamps of the purges that were forgotten. Entries that did not know them may be purged.
    struct Floors: Sendable, Codable, Equatable {
        var tag = 0
        var prefix = 0
        /// Nil in files of earlier versions.
        var source: Int?

        var newest: Int { max(tag, prefix, source ?? 0) }
    }

    private var tags: [String: Stamps] = [:]
    private var prefixes: [String: Stamps] = [:]
    private var sources: [String: Stamps] = [:]
    /// The largest stamp in `sources`.
    private var newestSource = 0
    /// The lengths of `prefixes` in bytes.
    private var prefixLengths: Set<Int> = []
    private(set) var floors = Floors()
    /// The largest known stamp.
    private(set) var stamp = 0

    private let most: Int

    init(most: Int = CachePurge.most) { self.most = most }

    /// All purges, the oldest first.
    var all: [CachePurge] {
        func purges(_ subject: CachePurge.Subject, _ stamps: Stamps) -> [CachePurge] {
            [(stamps.hard, false), (stamps.soft, true)].filter { $0.0 > 0 }.map {
                CachePurge(subject, isSoft: $0.1, stamp: $0.0)
            }
        }
        return
            (tags.flatMap { purges(.tag($0.key), $0.value) } + prefixes.flatMap { purges(.prefix($0.key), $0.value) }
            + sources.flatMap { purges(.source($0.key), $0.value) })
            .sorted { $0.stamp < $1.stamp }
    }

    /// Adds a purge. Returns whether it was new.
    @discardableResult
    mutating func add(_ purge: CachePurge) -> Bool {
        stamp = max(stamp, purge.stamp)
        let isNew: Bool
        switch purge.subject {
        case .tag(let tag): isNew = Self.raise(&tags[tag, default: Stamps()], purge)
        case .prefix(let prefix):
            isNew = Self.raise(&prefixes[prefix, default: Stamps()], purge)
            prefixLengths.insert(prefix.utf8.count)
        case .source(let name):
            isNew = Self.raise(&sources[name, default: Stamps()], purge)
            newestSource = max(newestSource, purge.stamp)
        }
        if tags.count + prefixes.count + sources.count > most { forgetOldHalf() }
        return isNew
    }

    private static func raise(_ stamps: inout Stamps, _ purge: CachePurge) -> Bool {
        let path = purge.isSoft ? \Stamps.soft : \Stamps.hard
        guard stamps[keyPath: path] < purge.stamp else { return false }
        stamps[keyPath: path] = purge.stamp
        return true
    }

    /// Records that purges of any subject up to a stamp are not known.
    mutating func missed(upTo stamp: Int) { raise(Floors(tag: stamp, prefix: stamp, source: stamp)) }

    /// Takes in what another table has forgotten.
    mutating func raise(_ other: Floors) {
        floors = Floors(
            tag: max(floors.tag, other.tag), prefix: max(floors.prefix, other.prefix),
            source: max(floors.source ?? 0, other.source ?? 0))
        stamp = max(stamp, other.newest)
    }

    /// Whether this purge was added, or is older than those that were forgotten.
    func knows(_ purge: CachePurge) -> Bool {
        let (stamps, floor) =
            switch purge.subject {
            case .tag(let tag): (tags[tag], floors.tag)
            case .prefix(let prefix): (prefixes[prefix], floors.prefix)
            case .source(let name): (sources[name], floors.source ?? 0)
            }
        return purge.stamp <= floor || (purge.isSoft ? stamps?.soft : stamps?.hard) == purge.stamp
    }

    /// Adds purges of other machines with larger stamps than any that an entry of this machine can have.
    ///
    /// Their own stamps are not larger: those of this machine come from purges that no other machine could receive, and its
    /// clock can be ahead. An entry that was fetched between those and the others would be used although it is purged.
    ///
    /// - Returns: The purges to send: those of `missing`, and the others with their new stamps.
    mutating func overtaking(_ late: [CachePurge], in missing: [CachePurge]) -> [CachePurge] {
        let texts = Set(late.map(\.text))
        var sent = missing.filter { !texts.contains($0.text) }
        for var purge in late.sorted(by: { $0.stamp < $1.stamp }) {
            purge.stamp = stamp + 1
            add(purge)
            sent.append(purge)
        }
        return sent
    }

    private mutating func forgetOldHalf() {
        let newest = [tags, prefixes, sources].flatMap { $0.values.map(\.newest) }.sorted()
        let limit = newest[newest.count / 2]
        func forgotten(_ stamps: [String: Stamps]) -> Int {
            stamps.values.lazy.map(\.newest).filter { $0 < limit }.max() ?? 0
        }
        raise(Floors(tag: forgotten(tags), prefix: forgotten(prefixes), source: forgotten(sources)))
        tags = tags.filter { $0.value.newest >= limit }
        prefixes = prefixes.filter { $0.value.newest >= limit }
        sources = sources.filter { $0.value.newest >= limit }
        prefixLengths = Set(prefixes.keys.map(\.utf8.count))
    }

    /// The name of a source in ``CachePurge/Subject/source(_:)``.
    static func name(of source: String) -> String { SHA256.shortName(of: source) }

    /// - Parameters:
    ///   - source: The URL of the source.
    ///   - seen: The largest stamp that the machine knew when it began to fetch the source.
    func verdict(tags ofEntry: some Sequence<String>, source: String, seen: Int) -> Verdict {
        guard seen < stamp else { return .valid }
        guard seen >= max(floors.prefix, floors.source ?? 0) else { return .hard }
        var isSoft = false
        if seen < newestSource, let stamps = sources[Self.name(of: source)] {
            if stamps.hard > seen { return .hard }
            if stamps.soft > seen { isSoft = true }
        }
        for tag in ofEntry {
            guard seen >= floors.tag else { return .hard }
            guard let stamps = tags[tag] else { continue }
            if stamps.hard > seen { return .hard }
            if stamps.soft > seen { isSoft = true }
        }
        let sourceLength = source.utf8.count
        for length in prefixLengths where length <= sourceLength {
            guard let text = String(source.utf8.prefix(length)), let stamps = prefixes[text] else { continue }
            if stamps.hard > seen { return .hard }
            if stamps.soft > seen { isSoft = true }
        }
        return isSoft ? .soft : .valid
    }
}

extension CachePurge {
    /// Whether a later purge can have a greater stamp. The stamps of a tier and of a disk can be any number.
    var isPlausible: Bool { StoredPurges.isPlausible(stamp) }
}

/// The purges of a table in the cache folder.
struct StoredPurges: Sendable, Codable {
    var purges: [CachePurge]
    var floors: PurgeTable.Floors
    /// Up to which line of the log of each tier the purges were obeyed. Nil in files of earlier versions.
    var positions: [String: CachePurgePosition]?

    init(_ table: PurgeTable, positions: [String: CachePurgePosition]) {
        (purges, floors, self.positions) = (table.all, table.floors, positions)
    }

    /// Reads what a process has written, also one of an older version, which wrote the purges alone. A damaged file has none.
    init(_ data: Data) {
        let stored = try? JSONDecoder().decode(Self.self, from: data)
        let all = stored?.purges ?? (try? JSONDecoder().decode([CachePurge].self, from: data)) ?? []
        purges = all.suffix(2 * CachePurge.most).filter(\.isPlausible)
        let floors = stored?.floors ?? PurgeTable.Floors()
        self.floors =
            [floors.tag, floors.prefix, floors.source ?? 0].allSatisfy(Self.isPlausible) ? floors : PurgeTable.Floors()
        positions = stored?.positions
    }

    fileprivate static func isPlausible(_ stamp: Int) -> Bool { (0...StoredNumber.most).contains(stamp) }
}

/// The tags of sources and results.
enum CacheTags {
    /// The most tags of one source or one target.
    static let most = 1_000
    /// The most bytes of a tag.
    static let longest = 1_024
    /// The most bytes of both fields of an origin together.
    static let mostBytes = StoredResponse.maxTagBytes

    /// Whether a text is a tag: visible ASCII characters without commas.
    static func isTag(_ text: some StringProtocol) -> Bool {
        (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x2C }
    }

    /// The tags of an origin's response: `Cache-Tag`, separated by commas, and `Surrogate-Key`, separated by spaces.
    ///
    /// A text with other characters is no tag: no purge can name it.
    ///
    /// - Parameter fields: The fields, with names in lower case. The values of several lines are joined by commas.
    static func tags(_ fields: [String: String]) -> [String] { read(fields).tags }

    /// Whether an origin has given more tags, or longer ones, than ``tags(_:)`` returns. A purge could miss the response.
    static func isIncomplete(_ fields: [String: String]) -> Bool { !read(fields).isWhole }

    private static func read(_ fields: [String: String]) -> (tags: [String], isWhole: Bool) {
        let (list, keys) = (fields["cache-tag"] ?? "", fields["surrogate-key"] ?? "")
        guard !list.isEmpty || !keys.isEmpty else { return ([], true) }
        var (tags, known, isWhole) = ([String](), Set<String>(), list.utf8.count + keys.utf8.count <= mostBytes)
        for text in list.split(separator: ",") + keys.split(whereSeparator: { $0 == " " || $0 == "," }) {
            let tag = text.trimmingCharacters(in: .whitespaces)
            if tag.utf8.count > longest { isWhole = false }
            guard isTag(tag), known.insert(tag).inserted else { continue }
            guard tags.count < most else { return (tags, false) }
            tags.append(tag)
        }
        return (tags, isWhole)
    }
}
