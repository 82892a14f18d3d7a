import Foundation

/// The processors that the program may use.
///
/// `ProcessInfo.activeProcessorCount` counts those of the machine (Swift 6.3.1): a container with one processor of a
/// machine with 64 would start 64 decode threads.
package enum Processors {
    /// The number of processors that the program may use, at least 1, as it was at the first access.
    package static let count = count(
        allowed: allowedCount(of: getpid()) ?? ProcessInfo.processInfo.activeProcessorCount,
        membership: (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? "", root: "/sys/fs/cgroup")

    /// The lowest of the number of processors on which the program may run (sched_setaffinity(2)) and the limits of its
    /// control groups, version 2. A quota of one and a half processors counts as two.
    ///
    /// - Parameters:
    ///   - allowed: The number of processors on which the program may run.
    ///   - membership: The content of `/proc/self/cgroup`.
    ///   - root: The folder at which the control groups are mounted.
    static func count(allowed: Int, membership: String, root: String) -> Int {
        let line = membership.split(separator: "\n").first { $0.hasPrefix("0::") }
        let names = line?.dropFirst(3).split(separator: "/").map(String.init) ?? []
        var least = Double(allowed)
        // In a container the path can be one of the host, which is not mounted. The limits are then those of the root.
        for depth in 0...names.count where !names.prefix(depth).contains("..") {
            let folder = ([root] + names.prefix(depth)).joined(separator: "/")
            if let quota = quota(of: folder) { least = min(least, quota) }
            if let count = processorCount(of: folder) { least = min(least, Double(count)) }
        }
        return max(1, Int(least.rounded(.up)))
    }

    /// The number of processors on which the main thread of a process may run. Another thread can be bound to one
    /// processor for a time. Nil if it cannot be read.
    static func allowedCount(of process: pid_t) -> Int? {
        let name = "Cpus_allowed_list:"
        let line = text("/proc/\(process)/status")?.split(separator: "\n").first { $0.hasPrefix(name) }
        return line.flatMap { count(ofList: $0.dropFirst(name.count)) }
    }

    /// The limit of processor time in processors: "max 100000", or the microseconds per period.
    private static func quota(of folder: String) -> Double? {
        let words = text(folder + "/cpu.max")?.split(whereSeparator: \.isWhitespace).compactMap { Double($0) } ?? []
        guard words.count == 2, words[0] > 0, words[1] > 0 else { return nil }
        return words[0] / words[1]
    }

    private static func processorCount(of folder: String) -> Int? {
        text(folder + "/cpuset.cpus.effective").flatMap { count(ofList: $0[...]) }
    }

    /// The number of processors in a list such as "0-3,8"; nil if the list is empty or malformed.
    private static func count(ofList list: Substring) -> Int? {
        var count = 0
        for part in list.split(whereSeparator: { $0 == "," || $0.isWhitespace }) {
            let ends = part.split(separator: "-").map { Int($0) }
            guard let first = ends.first ?? nil, let last = ends.last ?? nil, first >= 0, last >= first,
                last < 1 << 20, ends.count <= 2
            else { return nil }
            count += last - first + 1
        }
        return count > 0 ? count : nil
    }

    private static func text(_ path: String) -> String? { try? String(contentsOfFile: path, encoding: .utf8) }

    /// The nice value of the program: that of its main thread.
    static var niceValue: Int32 { getpriority(.init(PRIO_PROCESS.rawValue), id_t(getpid())) }

    /// Raises the nice value of the calling thread to at least `value` and that of the program. The nice value is never
    /// lowered, because lowering requires a privilege.
    ///
    /// A thread inherits the nice value of the thread that starts it. On Linux, libdispatch sets that of its threads, and
    /// of those of Swift's cooperative pool, without regard to that of the program: a program that `nice -n 3` starts as
    /// root would decode at 0.
    static func raiseNiceValue(to value: Int32 = .min) {
        // On Linux, the id 0 means the calling thread, not the process (setpriority(2), "C library/kernel
        // differences").
        let wanted = max(value, niceValue)
        guard wanted > getpriority(.init(PRIO_PROCESS.rawValue), 0) else { return }
        setpriority(.init(PRIO_PROCESS.rawValue), 0, wanted)
    }
}
