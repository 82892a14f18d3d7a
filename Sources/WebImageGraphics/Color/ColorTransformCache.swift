import Foundation
import WebImageCore

/// The most recently used transforms, by profile and layout: making one takes longer than converting a thumbnail.
///
/// Cached transforms are not counted as live handles; ``clear()`` releases them. Safe on any thread.
package enum ColorTransformCache {
    private struct Key: Hashable {
        let profile: ColorProfile
        let format: PixelFormat
    }

    private struct Entry {
        let key: Key
        /// Nil if there is nothing to convert, or if lcms2 cannot convert it.
        let transform: ColorTransform?
    }

    private static let maxCount = 8
    /// In order of use, the newest last.
    private static let entries = Locked<[Entry]>([])

    /// The number of cached transforms.
    package static var count: Int { entries.withLock { $0.count } }

    /// Releases all transforms.
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
