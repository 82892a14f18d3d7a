import Foundation
import WebImageHTTP

/// The line of a stored source's metadata that contains the newest purge that was known when its fetch began. Readers of
/// other versions ignore the line.
enum SourceMark {
    private static let name = "@seen: "

    /// The number in the metadata; nil if they have none.
    static func seen(_ metadata: Data?) -> Int? {
        guard let metadata else { return nil }
        let line = String(decoding: metadata, as: UTF8.self).split(separator: "\n").last { $0.hasPrefix(name) }
        return line.flatMap { Int($0.dropFirst(name.count)) }
    }

    /// Adds the number. Metadata that have one belong to a source that was not fetched again; they keep it.
    static func marked(_ metadata: Data?, seen: Int) -> Data? {
        guard let metadata, seen > 0, self.seen(metadata) == nil else { return metadata }
        return metadata + Data("\n\(name)\(seen)".utf8)
    }

    /// Whether a stored source may be used.
    ///
    /// - Parameter tags: The tags of the target.
    static func verdict(
        of metadata: Data?, source: String, tags: [String], in purges: PurgeJournal
    ) -> PurgeTable.Verdict {
        let fields = metadata.flatMap(StoredResponse.init(serialized:))?.fields ?? [:]
        return purges.verdict(tags: tags + CacheTags.tags(fields), source: source, seen: seen(metadata))
    }
}
