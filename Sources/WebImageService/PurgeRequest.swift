import Foundation
import WebImageLoading

/// What the query of a request to `/purge` names.
struct PurgeRequest {
    enum Subject: Equatable {
        /// The URL of a source, with all its results.
        case source(String)
        /// The target of one result.
        case target(String)
        /// All entries with one of the tags, or of sources whose URL begins with a text.
        case entries([CachePurge.Subject])
    }

    let subject: Subject
    /// Whether what is purged is used while it is made again.
    let isSoft: Bool

    /// The most tags of one purge.
    private static let mostTags = 10_000
    private static let mostPrefixBytes = 8192

    /// - Parameter query: `source=URL`, `target=TARGET`, `tag=TAG,TAG` or `prefix=URL`, percent-encoded, and for the last
    ///   two perhaps `&soft=yes` or `&soft=no`.
    ///
    /// - Parameter sources: Maps what clients write to the sources that entries have.
    init(query: Substring, _ sources: SourcePolicy) throws(ServiceRefusal) {
        var query = query
        var softness: Bool?
        if let ending = ["&soft=yes", "&soft=no"].first(where: { query.hasSuffix($0) }) {
            query = query.dropLast(ending.count)
            softness = ending == "&soft=yes"
        }
        let pair = query.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, let value = pair[1].removingPercentEncoding, !value.isEmpty else { throw Self.unknown }
        switch pair[0] {
        case "source": subject = .source(value)
        case "target": subject = .target(value)
        // A further parameter, such as a soft that is neither yes nor no, is not part of a tag or a prefix.
        case "tag" where !pair[1].contains("&"): subject = .entries(try Self.tags(value))
        case "prefix" where !pair[1].contains("&"): subject = .entries(try Self.prefixes(value, sources))
        default: throw Self.unknown
        }
        switch subject {
        case .entries: break
        case .source, .target:
            guard softness == nil else {
                throw .target("soft is for tags and prefixes; a source or a target is purged at once")
            }
        }
        isSoft = softness ?? false
    }

    private static let unknown = ServiceRefusal.target(
        "a purge requires source=URL, target=TARGET, tag=TAG,TAG or prefix=URL, percent-encoded")

    private static func tags(_ value: String) throws(ServiceRefusal) -> [CachePurge.Subject] {
        let tags = value.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
        guard (1...mostTags).contains(tags.count), tags.allSatisfy(CacheTags.isTag) else {
            throw .target("a purge has 1 to \(mostTags) tags of 1 to \(CacheTags.longest) visible characters")
        }
        return tags.map { .tag($0) }
    }

    /// The prefixes of sources whose URL begins with a text as clients write it, before replacements and the base URL.
    private static func prefixes(
        _ value: String, _ sources: SourcePolicy
    ) throws(ServiceRefusal) -> [CachePurge.Subject] {
        guard !value.contains("*"), let texts = sources.prefixes(of: value) else {
            throw .target(
                "sources with this prefix are replaced by sources without a common one; purge by tag or source")
        }
        var subjects: [CachePurge.Subject] = []
        var refusal: ServiceRefusal?
        for text in texts {
            do throws(ServiceRefusal) {
                let subject = try prefix(text)
                if !subjects.contains(subject) { subjects.append(subject) }
            } catch {
                refusal = error
            }
        }
        if subjects.isEmpty, let refusal { throw refusal }
        return subjects
    }

    private static func prefix(_ value: String) throws(ServiceRefusal) -> CachePurge.Subject {
        guard var prefix = (try? SourcePattern(checking: value))?.text, !value.contains("*"),
            prefix.utf8.count <= mostPrefixBytes,
            let mark = prefix.range(of: "://"), mark.upperBound < prefix.endIndex
        else { throw .target("a prefix is a URL with scheme and host, without *") }
        // The name of a host ends at a slash: https://a.example is no prefix of https://a.example.com/.
        if prefix.split(separator: "/", omittingEmptySubsequences: true).count == 2, !prefix.hasSuffix("/") {
            prefix += "/"
        }
        return .prefix(prefix)
    }
}
