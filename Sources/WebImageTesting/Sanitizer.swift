import Foundation

/// The sanitizer that this process was built with, for bounds that hold in a plain build alone.
public enum Sanitizer: Sendable {
    /// Finds reads and writes outside of memory that is in use.
    case address
    /// Finds unordered accesses of two threads.
    case thread

    /// The one that runs; nil in a plain build.
    public static let running: Sanitizer? =
        dlsym(nil, "__asan_init") != nil ? .address : dlsym(nil, "__tsan_init") != nil ? .thread : nil

    /// A bound of time, as it is in a plain build and twenty times as long under a sanitizer.
    public static func time(_ bound: Duration) -> Duration { running == nil ? bound : bound * 20 }

    /// The same for a number of seconds.
    public static func seconds(_ bound: Double) -> Double { running == nil ? bound : bound * 20 }

    /// Whether resident and allocated bytes say anything: a sanitizer keeps what is freed and adds its own.
    public static var isMemoryMeasurable: Bool { running == nil }
}
