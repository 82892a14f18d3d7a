package import Foundation

/// The newest version of each original. A version is known as long as an image made from it is in memory.
package final class OriginalVersions: Sendable {
    private struct Known { weak var version: OriginalVersion? }

    private struct State {
        var known: [KeyFingerprint: Known] = [:]
        /// The most recent versions, at most 256. The strong references keep a version known without an image
        /// in memory, so that work that started with an older version is recognised as stale when it ends.
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

    /// Records that these bytes just arrived from the server or from the program. Their version becomes the
    /// newest; the previous version becomes stale.
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

    /// Returns the version of bytes that were read from a cache. The version is stale if a different version is known.
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

    /// Returns the newest known version of an original; nil when no version is known, such as when no image
    /// made from the original is in memory.
    package func newest(for key: KeyFingerprint) -> ContentDigest? {
        state.withLock { $0.known[key]?.version }?.digest
    }
}

/// A cache that tracks the versions of its originals, and stores the metadata of an ``EntryIdentity`` with the bytes.
package protocol VersionedImageCache: LayeredImageCaching {
    var originalVersions: OriginalVersions { get }
    /// Returns the version of the original on disk under a key; nil if there is no such entry or its version
    /// is unknown.
    func diskVersion(of key: EntryKey) async -> ContentDigest?
    /// Like the asynchronous method, but blocks the caller.
    func diskVersionSync(of key: EntryKey) -> ContentDigest?
    /// Stores the metadata of a confirmed original, unless the entry on disk now has another version. The
    /// validators of one version must never confirm the bytes of another version. Nil stands for an unknown version,
    /// which every version matches.
    func storeMetadata(_ metadata: Data?, forKey key: String?, version: ContentDigest?)
}
