import Foundation

/// The sanitizer that this process was built with, for bounds that apply only in a plain build.
public enum Sanitizer: Sendable {
    /// Detects accesses outside of allocated memory.
    case address
    /// Detects unordered accesses of two threads.
    case thread

    /// The active sanitizer; nil in a plain build.
    public static let running: Sanitizer? =
        dlsym(nil, "__asan_init") != nil ? .address : dlsym(nil, "__tsan_init") != nil ? .thread : nil

    /// How many times longer a time limit is under a sanitizer than in a plain build.
    package static let slowdown = 20

    /// Returns a bound of time: unchanged in a plain build, twenty times as long under a sanitizer.
    public static func time(_ bound: Duration) -> Duration { running == nil ? bound : bound * slowdown }

    /// Returns a bound in seconds, scaled in the same way.
    public static func seconds(_ bound: Double) -> Double { running == nil ? bound : bound * Double(slowdown) }

    /// Whether resident and allocated bytes are meaningful: a sanitizer keeps freed memory and adds its own.
    public static var isMemoryMeasurable: Bool { running == nil }
}
