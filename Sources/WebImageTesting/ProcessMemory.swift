import Foundation

/// What this process holds, as the kernel counts it.
public enum ProcessMemory {
    /// Whether freed memory goes back: a sanitizer keeps it.
    public static let isMeasurable = Sanitizer.isMemoryMeasurable

    /// Resident bytes that no file stands behind; nil where the kernel does not say.
    public static var anonymousBytes: Int? { status("RssAnon") }

    /// The most resident bytes there were since ``resetPeak()``; nil where the kernel does not say.
    package static var peakBytes: Int? { status("VmHWM") }

    /// Lets ``peakBytes`` begin anew (proc(5), `clear_refs`).
    ///
    /// - Returns: Whether the kernel does so here.
    package static func resetPeak() -> Bool {
        guard let file = FileHandle(forWritingAtPath: "/proc/self/clear_refs") else { return false }
        return (try? file.write(contentsOf: Data("5".utf8))) != nil
    }

    private static func status(_ name: String) -> Int? {
        guard let status = try? String(contentsOfFile: "/proc/self/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix(name + ":") })
        else { return nil }
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }

    /// Bytes the allocator has handed out and not got back, exact where resident memory holds what it keeps for later;
    /// nil where the allocator does not tell (`malloc_info(3)`).
    public static var allocatedBytes: Int? {
        typealias Report = @convention(c) (Int32, UnsafeMutablePointer<FILE>) -> Int32
        guard isMeasurable, let symbol = dlsym(nil, "malloc_info") else { return nil }
        var text: UnsafeMutablePointer<CChar>?
        var length = 0
        guard let stream = open_memstream(&text, &length) else { return nil }
        let isReported = unsafeBitCast(symbol, to: Report.self)(0, stream) == 0
        fclose(stream)
        defer { free(text) }
        guard isReported, let text else { return nil }
        // The sums over all arenas come last.
        func last(_ type: String) -> Int {
            String(cString: text).components(separatedBy: "type=\"\(type)\"").last?
                .components(separatedBy: "size=\"").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        return last("current") + last("mmap") - last("fast") - last("rest")
    }
}
