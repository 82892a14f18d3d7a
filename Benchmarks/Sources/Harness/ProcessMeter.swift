import Foundation

/// The processor time and the resident memory of a process: this one, or another one from outside.
public struct ProcessMeter: Sendable {
    private let clock: clockid_t
    private let folder: String

    /// Of a running process; this one unless said.
    public init(_ process: pid_t = getpid()) {
        var clock = clockid_t()
        // Of all threads, ended ones too, to the nanosecond.
        self.clock = clock_getcpuclockid(process, &clock) == 0 ? clock : CLOCK_PROCESS_CPUTIME_ID
        folder = "/proc/\(process)"
    }

    /// Milliseconds of processor time so far, the user's and the system's.
    public var cpu: Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }

    /// `malloc_trim`, whose header Swift's module of the C library leaves out.
    private static let trim = dlsym(nil, "malloc_trim").map {
        unsafeBitCast($0, to: (@convention(c) (Int) -> Int32).self)
    }

    /// Makes what is resident now the peak, and gives it in bytes; nil where the kernel does not let us.
    ///
    /// This process first gives back what it has freed: else it would take that, and not grow.
    public func resetPeak() -> Int? {
        if folder == "/proc/\(getpid())" { _ = Self.trim?(0) }
        guard let file = FileHandle(forWritingAtPath: folder + "/clear_refs") else { return nil }
        guard (try? file.write(contentsOf: Data("5".utf8))) != nil else { return nil }
        return peak
    }

    /// The most that was resident since ``resetPeak()``, in bytes.
    public var peak: Int? { status("VmHWM:") }

    /// What is resident now and no file stands behind, in bytes.
    public var anonymous: Int? { status("RssAnon:") }

    private func status(_ field: String) -> Int? {
        let status = try? String(contentsOfFile: folder + "/status", encoding: .utf8)
        let line = status?.split(separator: "\n").first { $0.hasPrefix(field) }
        return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }.map { $0 * 1024 }
    }
}
