import Foundation
package import WebImageCore

/// The newest version of each original. A version is known while an image that was made from this version is in memory.
/// The 256 most recent versions are known even without such an image.
package final class OriginalVersions: Sendable {
    private struct Known { weak var version: OriginalVersion? }

    private struct State {
        var known: [KeyFingerprint: Known] = [:]
        /// The most recent versions, at most 256. Because of these strong references, a version stays known even if no
        /// image is in memory. If a load started with an older version, its result is therefore recognised as stale.
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

    /// Records that new bytes of an original have arrived from the server or from the program. The version of these
    /// bytes becomes the newest version, and the previous version becomes stale.
    @discardableResult
    func declare(_ digest: ContentDigest, for key: KeyFingerprint) -> OriginalVersion {
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
    ///
    /// - Parameter isStored: Whether the bytes were read from the disk layer.
    package func join(
        _ digest: ContentDigest, for key: KeyFingerprint, isStored: Bool = false
    ) -> OriginalVersion {
        state.withLock { state in
            guard let known = state.known[key]?.version else {
                let new = OriginalVersion(digest, isStored: isStored)
                state.put(new, key)
                return new
            }
            guard known.digest == digest else { return OriginalVersion(digest, isStale: true) }
            if isStored { known.noteStored() }
            return known
        }
    }

    /// Whether a version on disk that differs from the known version must be newer, because the known version has
    /// already been on disk. Another process has then replaced it.
    func mayTakeIn(_ digest: ContentDigest, for key: KeyFingerprint) -> Bool {
        guard let known = state.withLock({ $0.known[key]?.version }) else { return false }
        return known.digest != digest && known.isStored
    }

    /// Makes the version that the disk layer has now the newest version, if ``mayTakeIn(_:for:)`` still holds.
    func takeIn(_ digest: ContentDigest, for key: KeyFingerprint) -> OriginalVersion {
        state.withLock { state in
            let known = state.known[key]?.version
            if let known, known.digest == digest { return known }
            guard known?.isStored ?? true else { return OriginalVersion(digest, isStale: true) }
            known?.supersede()
            let new = OriginalVersion(digest, isStored: true)
            state.put(new, key)
            return new
        }
    }

    /// Records that the disk layer has the bytes of a version.
    func noteStored(_ digest: ContentDigest, for key: KeyFingerprint) {
        let known = state.withLock { $0.known[key]?.version }
        if let known, known.digest == digest { known.noteStored() }
    }

    /// Makes every image in memory that was made from the original stale.
    func forget(_ key: KeyFingerprint) {
        let known = state.withLock { $0.known.removeValue(forKey: key)?.version }
        known?.supersede()
    }

    /// Returns the newest known version of an original; nil when no version is known.
    package func newest(for key: KeyFingerprint) -> ContentDigest? {
        state.withLock { $0.known[key]?.version }?.digest
    }
}
