/// One version of an original, shared by the images in memory that were made from it.
package final class OriginalVersion: Sendable {
    package let digest: ContentDigest
    private let isSuperseded: Locked<Bool>

    init(_ digest: ContentDigest, isStale: Bool = false) {
        self.digest = digest
        isSuperseded = Locked(isStale)
    }

    /// Whether a newer original has arrived since.
    package var isStale: Bool { isSuperseded.withLock { $0 } }

    func supersede() { isSuperseded.withLock { $0 = true } }
}
