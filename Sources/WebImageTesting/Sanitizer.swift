import Foundation

/// A sanitizer that a process can be built with. Some test limits differ under a sanitizer.
public enum Sanitizer: Sendable {
    /// AddressSanitizer, which detects accesses outside of allocated memory.
    case address
    /// ThreadSanitizer, which detects data races.
    case thread

    /// The active sanitizer; nil in a plain build.
    public static let running: Sanitizer? =
        dlsym(nil, "__asan_init") != nil ? .address : dlsym(nil, "__tsan_init") != nil ? .thread : nil

    /// The factor by which time limits are longer under a sanitizer than in a plain build.
    package static let slowdown = 20

    /// Returns a time limit: unchanged in a plain build, twenty times as long under a sanitizer.
    public static func time(_ bound: Duration) -> Duration { running == nil ? bound : bound * slowdown }

    /// Returns a time limit in seconds: unchanged in a plain build, twenty times as long under a sanitizer.
    public static func seconds(_ bound: Double) -> Double { running == nil ? bound : bound * Double(slowdown) }

    /// The environment variables with the options of the sanitizers, as assignments (`ASAN_OPTIONS=…`). Tests pass
    /// these assignments to a child process that does not inherit the environment.
    package static var options: [String] {
        ["ASAN_OPTIONS", "TSAN_OPTIONS"].compactMap { name in
            ProcessInfo.processInfo.environment[name].map { "\(name)=\($0)" }
        }
    }

    /// Whether the numbers of resident and allocated bytes are meaningful. False under a sanitizer, because a sanitizer
    /// keeps freed memory and allocates memory for itself.
    public static var isMemoryMeasurable: Bool { running == nil }
}
