import Foundation

/// The newest version of each original, kept while an image made from it is in memory.
package final class OriginalVersions: Sendable {
    private struct Known { weak var version: OriginalVersion? }

    private struct State {
        var known: [KeyFingerprint: Known] = [:]
        /// The latest versions, kept alive so that work begun with an older version is recognised as stale when it
        /// ends.
        var recent: [OriginalVersion] = []
        var nextRecent = 0
        var nextSweep = 256

        mutating func put(_ version: OriginalVersion, _ key: KeyFingerprint) {
            known[key] = Known(version: version)
            if recent.count < OriginalVersions.recentCount {
                recent.append(version)
            } else {
                recent[nextRecent] = version
                nextRecent = (nextRecent + 1) % OriginalVersions.recentCount
            }
            guard known.count >= nextSweep else { return }
            known = known.filter { $0.value.version != nil }
            nextSweep = max(256, known.count * 2)
        }
    }

    private static let recentCount = 256
    private let state = Locked(State())

    package init() {}

    /// The version of bytes that just came from their server or program: all other versions become stale.
    @discardableResult
    package func declare(_ digest: ContentDigest, for key: KeyFingerprint) -> OriginalVersion {
        state.withLock { state in
            let known = state.known[key]?.version
            if let known, known.digest == digest { return known }
            known?.supersede()
            let new = OriginalVersion(digest)
            state.put(new, key)
            return new
        }
    }

    /// The version of bytes that a cache held: stale if another version has been declared.
    package func join(_ digest: ContentDigest, for key: KeyFingerprint) -> OriginalVersion {
        state.withLock { state in
            guard let known = state.known[key]?.version else {
                let new = OriginalVersion(digest)
                state.put(new, key)
                return new
            }
            return known.digest == digest ? known : OriginalVersion(digest, isStale: true)
        }
    }

    /// The version that was declared or joined last, as long as an image of it is in memory; nil where none is known.
    package func newest(for key: KeyFingerprint) -> ContentDigest? {
        state.withLock { $0.known[key]?.version }?.digest
    }
}

/// A cache that tracks the versions of its originals.
package protocol VersionedImageCache: LayeredImageCaching {
    var originalVersions: OriginalVersions { get }
    /// The version of the original on disk under a key; nil if there is none or its version is unknown.
    func diskVersion(of key: EntryKey) async -> ContentDigest?
    /// The same; blocks the caller.
    func diskVersionSync(of key: EntryKey) -> ContentDigest?
}
