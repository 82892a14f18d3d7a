import Foundation

/// The memory of this process, as the kernel and the allocator count it.
public enum ProcessMemory {
    /// Whether freed memory is returned to the system: a sanitizer keeps it.
    public static let isMeasurable = Sanitizer.isMemoryMeasurable

    /// Resident bytes that no file backs; nil when the kernel does not report them.
    public static var anonymousBytes: Int? { status("RssAnon") }

    /// The maximum of resident bytes since ``resetPeak()``; nil when the kernel does not report it.
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

    /// Bytes that the allocator has allocated and that are not freed; nil when the allocator does not report them
    /// (`malloc_info(3)`). Unlike resident memory this excludes freed memory that the allocator keeps.
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
        // The sums of all arenas are last.
        func last(_ type: String) -> Int {
            String(cString: text).components(separatedBy: "type=\"\(type)\"").last?
                .components(separatedBy: "size=\"").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        return last("current") + last("mmap") - last("fast") - last("rest")
    }
}
