/// Counts live C handles by kind, so that tests can assert that none is left.
///
/// The one owner of a handle calls ``opened(_:)`` after making it and ``closed(_:)`` after freeing it. This costs two
/// short locks per handle; handles are made per file or connection, never per row or chunk.
package enum HandleLedger {
    private static let counts = Locked<[String: Int]>([:])

    package static func opened(_ kind: String) { counts.withLock { $0[kind, default: 0] += 1 } }
    package static func closed(_ kind: String) { counts.withLock { $0[kind, default: 0] -= 1 } }

    /// The number of live handles per kind; kinds without live handles are left out.
    package static var live: [String: Int] { counts.withLock { $0 }.filter { $0.value != 0 } }
}
