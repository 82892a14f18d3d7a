/// One version of an original. All images in memory that were made from the same version share one object of this
/// class.
package final class OriginalVersion: Sendable {
    private struct State {
        var isSuperseded: Bool
        var isStored: Bool
    }

    package let digest: ContentDigest
    private let state: Locked<State>

    package init(_ digest: ContentDigest, isStale: Bool = false, isStored: Bool = false) {
        self.digest = digest
        state = Locked(State(isSuperseded: isStale, isStored: isStored))
    }

    /// Whether a newer version of the original is known.
    package var isStale: Bool { state.withLock { $0.isSuperseded } }

    /// Whether the disk layer has had this version. A different version on disk is then newer. Otherwise the bytes of
    /// this version may still be waiting to be written.
    package var isStored: Bool { state.withLock { $0.isStored } }

    package func supersede() { state.withLock { $0.isSuperseded = true } }
    package func noteStored() { state.withLock { $0.isStored = true } }
}
