/// One version of an original. All images in memory that were made from the same version share one object of this
/// class.
package final class OriginalVersion: Sendable {
    package let digest: ContentDigest
    private let isSuperseded: Locked<Bool>

    init(_ digest: ContentDigest, isStale: Bool = false) {
        self.digest = digest
        isSuperseded = Locked(isStale)
    }

    /// Whether a newer version of the original is known.
    package var isStale: Bool { isSuperseded.withLock { $0 } }

    func supersede() { isSuperseded.withLock { $0 = true } }
}
