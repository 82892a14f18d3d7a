import Foundation

/// Measures the memory of this process, as the kernel and the allocator report it.
public enum ProcessMemory {
    /// Whether memory can be measured. False under a sanitizer, because a sanitizer keeps freed memory.
    public static let isMeasurable = Sanitizer.isMemoryMeasurable

    /// The number of resident bytes that no file backs; nil if the kernel does not report it.
    public static var anonymousBytes: Int? { status("RssAnon") }

    /// The maximum number of resident bytes since ``resetPeak()``; nil if the kernel does not report it.
    package static var peakBytes: Int? { status("VmHWM") }

    /// Resets ``peakBytes`` (proc(5), `clear_refs`).
    ///
    /// - Returns: Whether the kernel supports this.
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

    /// The number of allocated bytes that are not freed (`malloc_info(3)`); nil if it cannot be measured. Unlike
    /// resident memory, this number excludes freed memory that the allocator keeps.
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
        // The sums of all arenas are the last values in the text.
        func last(_ type: String) -> Int {
            String(cString: text).components(separatedBy: "type=\"\(type)\"").last?
                .components(separatedBy: "size=\"").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        return last("current") + last("mmap") - last("fast") - last("rest")
    }
}
