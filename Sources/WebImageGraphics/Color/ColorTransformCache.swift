import Foundation
import WebImageCore

/// The most recently used transforms, by profile and pixel format.
///
/// Making a transform takes longer than converting a thumbnail with it. Cached transforms do not count as live
/// handles; ``clear()`` frees them. Safe on any thread.
package enum ColorTransformCache {
    private struct Key: Hashable {
        let profile: ColorProfile
        let format: PixelFormat
    }

    private struct Entry {
        let key: Key
        /// nil when no conversion is needed or none is possible.
        let transform: ColorTransform?
    }

    private static let maxCount = 8
    /// The most recently used entry is last.
    private static let entries = Locked<[Entry]>([])

    /// The number of cached entries.
    package static var count: Int { entries.withLock { $0.count } }

    /// Removes all entries.
    package static func clear() {
        let kept = entries.withLock { entries in
            defer { entries = [] }
            return entries
        }
        // Freed here, outside the lock.
        withExtendedLifetime(kept) {}
    }

    static func transform(from profile: ColorProfile, format: PixelFormat) -> ColorTransform? {
        let key = Key(profile: profile, format: format)
        let known = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }
        if let known { return known.transform }
        let made = Entry(key: key, transform: ColorTransform(from: profile, format: format))
        let dropped = entries.withLock { entries -> Entry? in
            entries.append(made)
            return entries.count > maxCount ? entries.removeFirst() : nil
        }
        withExtendedLifetime(dropped) {}
        return made.transform
    }
}
