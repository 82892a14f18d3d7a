import Foundation
package import WebImageCore

/// Caches the most recently used colour transforms. The key of a transform consists of its profile and its pixel
/// layout.
///
/// Creating a transform takes longer than converting the colours of a thumbnail. Cached transforms do not count as live
/// handles in tests; ``clear()`` frees them. Thread-safe.
package enum ColorTransformCache {
    private struct Key: Hashable {
        enum Layout: Hashable {
            case pixels(PixelFormat, to: PixelFormat)
            case ink(isInverted: Bool, isDeep: Bool)
        }

        let profile: ColorProfile
        let layout: Layout
    }

    private struct Entry {
        let key: Key
        /// The transform; nil if no conversion is needed or no conversion is possible.
        let transform: ColorTransform?
    }

    private static let maxCount = 8
    /// The cached entries, with the most recently used entry last.
    private static let entries = Locked<[Entry]>([])

    /// The number of cached entries.
    package static var count: Int { entries.withLock { $0.count } }

    static func transform(
        from profile: ColorProfile, format: PixelFormat, to target: PixelFormat
    ) -> ColorTransform? {
        transform(Key(profile: profile, layout: .pixels(format, to: target))) {
            ColorTransform(from: profile, format: format, to: target)
        }
    }

    /// Whether the colours of inks with 8 bits, stored as in JPEG, can be converted with this profile.
    package static func canConvertInk(of profile: ColorProfile) -> Bool {
        transform(fromInkOf: profile, isInverted: true, isDeep: false) != nil
    }

    static func transform(fromInkOf profile: ColorProfile, isInverted: Bool, isDeep: Bool) -> ColorTransform? {
        transform(Key(profile: profile, layout: .ink(isInverted: isInverted, isDeep: isDeep))) {
            ColorTransform(fromInkOf: profile, isInverted: isInverted, isDeep: isDeep)
        }
    }

    private static func transform(_ key: Key, make: () -> ColorTransform?) -> ColorTransform? {
        let known = entries.withLock { entries -> Entry? in
            guard let index = entries.lastIndex(where: { $0.key == key }) else { return nil }
            let entry = entries.remove(at: index)
            entries.append(entry)
            return entry
        }
        if let known { return known.transform }
        let made = Entry(key: key, transform: make())
        let dropped = entries.withLock { entries -> Entry? in
            entries.append(made)
            return entries.count > maxCount ? entries.removeFirst() : nil
        }
        withExtendedLifetime(dropped) {}
        return made.transform
    }
}
