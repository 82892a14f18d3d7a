import Foundation

/// Measures the processor time and the resident memory of this process or of another process.
public struct ProcessMeter: Sendable {
    private let clock: clockid_t
    private let folder: String

    /// Creates a meter of a running process. By default, this is the current process.
    public init(_ process: pid_t = getpid()) {
        var clock = clockid_t()
        // This clock includes all threads of the process, even those that have ended, and has a resolution of
        // 1 ns.
        self.clock = clock_getcpuclockid(process, &clock) == 0 ? clock : CLOCK_PROCESS_CPUTIME_ID
        folder = "/proc/\(process)"
    }

    /// Milliseconds of processor time so far, user and system.
    public var cpu: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// The function `malloc_trim(3)`. It is looked up at run time, because Swift's Glibc module does not
    /// import its header.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Sets the peak to the current resident memory and returns this memory in bytes. Returns nil if the kernel does
    /// not allow the reset.
    ///
    /// If the meter measures the current process, the function first returns freed heap memory to the system.
    /// Otherwise later allocations would reuse that memory, and no growth would be measured.
    public func resetPeak() -> Int? {
        if folder == "/proc/\(getpid())" { _ = Self.trim?(0) }
        guard let file = FileHandle(forWritingAtPath: folder + "/clear_refs") else { return nil }
        guard (try? file.write(contentsOf: Data("5".utf8))) != nil else { return nil }
        return peak
    }

    /// The peak of resident memory since ``resetPeak()``, in bytes.
    public var peak: Int? { status("VmHWM:") }

    /// The current resident memory that is not backed by a file, in bytes.
    public var anonymous: Int? { status("RssAnon:") }

    private func status(_ field: String) -> Int? {
        let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
