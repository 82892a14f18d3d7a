/// A request of an operator to use no entry of a group that was fetched before it.
package struct CachePurge: Sendable, Hashable, Codable {
    /// The purged entries.
    package enum Subject: Sendable, Hashable, Codable {
        /// Entries with this tag.
        case tag(String)
        /// Entries whose source begins with this URL.
        case prefix(String)
        /// Entries of one source, as ``SHA256/shortName(of:)`` of its URL: a log does not contain the URL.
        case source(String)
    }

    /// The most purges that a log and a machine remember.
    package static let most = 20_000

    package var subject: Subject
    /// Whether the entries may still be used while they are revalidated.
    package var isSoft: Bool
    /// The place in the order of purges: milliseconds since 1970, or more if an earlier purge has a larger number. A machine
    /// stores with each entry the largest number that it knew when it began to fetch.
    package var stamp: Int

    package init(_ subject: Subject, isSoft: Bool, stamp: Int) {
        (self.subject, self.isSoft, self.stamp) = (subject, isSoft, stamp)
    }

    /// The purge without its stamp as one line.
    package var text: String {
        switch subject {
        case .tag(let tag): "\(isSoft ? "T" : "t") \(tag)"
        case .prefix(let prefix): "\(isSoft ? "P" : "p") \(prefix)"
        case .source(let name): "\(isSoft ? "S" : "s") \(name)"
        }
    }

    /// Reads a stamp, a space and a ``text``.
    package init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let stamp = Int(parts[0]), stamp > 0, !parts[2].isEmpty else { return nil }
        let value = String(parts[2])
        switch parts[1] {
        case "t": self.init(.tag(value), isSoft: false, stamp: stamp)
        case "T": self.init(.tag(value), isSoft: true, stamp: stamp)
        case "p": self.init(.prefix(value), isSoft: false, stamp: stamp)
        case "P": self.init(.prefix(value), isSoft: true, stamp: stamp)
        case "s": self.init(.source(value), isSoft: false, stamp: stamp)
        case "S": self.init(.source(value), isSoft: true, stamp: stamp)
        default: return nil
        }
    }
}

/// Up to which purge a machine has read the log of a tier.
package struct CachePurgePosition: Sendable, Hashable, Codable {
    /// The identifier of the log. A tier that has lost its log begins one with another identifier.
    package var logID: String
    /// The number of purges since the log began.
    package var count: Int

    package init(logID: String, count: Int) { (self.logID, self.count) = (logID, count) }
}

/// The purges of a log that a machine has not yet read.
package struct UnreadPurges: Sendable {
    /// Nil if the tier has no log yet, or has lost it.
    package var position: CachePurgePosition?
    /// The purges behind the position that was passed; all if that position belongs to another log.
    package var purges: [CachePurge]
    /// The number of purges that the log no longer contains and that the machine has not read.
    package var missed: Int

    package init(position: CachePurgePosition?, purges: [CachePurge], missed: Int) {
        (self.position, self.purges, self.missed) = (position, purges, missed)
    }
}
