/// Counts the open C handles of each kind, so that tests can assert that all handles were closed.
///
/// The owner of a handle calls ``opened(_:)`` after creating the handle and ``closed(_:)`` after freeing the handle.
/// Each call takes one short lock. The cost is small, because handles are created per file or connection, never per
/// row or chunk.
package enum HandleLedger {
    private static let counts = Locked<[String: Int]>([:])

    package static func opened(_ kind: String) { counts.withLock { $0[kind, default: 0] += 1 } }
    package static func closed(_ kind: String) { counts.withLock { $0[kind, default: 0] -= 1 } }

    /// The number of open handles per kind. Kinds without open handles are omitted.
    package static var live: [String: Int] { counts.withLock { $0 }.filter { $0.value != 0 } }
}
