/// Remembers the credentials that request modifiers set, to find those that are used only once.
///
/// The scope of a load with credentials is a hash of them. A later load finds the stored picture if its modifier sets
/// the same value again, as it does with the token of a session. A signature that contains a time differs in every
/// load: a picture stored under it would fill the disk and would never be found.
struct ModifierCredentials: Sendable {
    /// The number of changes of the credentials of known URLs, with no value used twice in between, from which on the
    /// credentials count as used once. Fewer changes are users who log in, log out and change accounts.
    static let limit = 8
    private static let loadCapacity = 64
    private static let modifierCapacity = 32

    /// A modifier together with an origin.
    struct Source: Hashable, Sendable {
        let modifier: String
        let origin: String
    }

    /// What a load does with its picture.
    enum Verdict: Equatable {
        case stored
        /// The credentials are used once, so the picture is not stored. `isNew` is true once for each source.
        case unstored(isNew: Bool)
    }

    private struct Loads {
        /// The hashes of the latest loads, oldest first.
        private var latest: [(url: Int, credentials: Int)] = []
        private var changes = 0
        private var hasReported = false

        mutating func verdict(credentials: Int, url: Int) -> Verdict {
            if latest.contains(where: { $0.credentials == credentials }) {
                changes = 0
            } else if latest.contains(where: { $0.url == url }) {
                changes += 1
            }
            latest.removeAll { $0.url == url && $0.credentials == credentials }
            if latest.count == loadCapacity { latest.removeFirst() }
            latest.append((url, credentials))
            guard changes >= limit else { return .stored }
            defer { hasReported = true }
            return .unstored(isNew: !hasReported)
        }
    }

    private var loads: [Source: Loads] = [:]

    /// Records a load and decides whether its picture is stored.
    mutating func verdict(on credentials: String, of url: String, from source: Source) -> Verdict {
        if loads[source] == nil, loads.count == Self.modifierCapacity { loads = [:] }
        return loads[source, default: Loads()].verdict(credentials: credentials.hashValue, url: url.hashValue)
    }
}
