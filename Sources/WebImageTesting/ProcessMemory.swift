import Foundation

/// What this process holds, as the kernel counts it.
public enum ProcessMemory {
    /// Whether freed memory goes back: the address sanitizer keeps it.
    public static let isMeasurable = dlsym(nil, "__asan_init") == nil

    /// Resident bytes that no file stands behind; nil where the kernel does not say.
    public static var anonymousBytes: Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("RssAnon:") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
