import Foundation
import WebImageCore

/// The maximum memory of this process: the memory of the machine, or the limit of the process's control group if this
/// limit is lower.
enum MemorySize {
    /// The cost limit of the memory layer in bytes if ``ImageCacheConfig/maxMemoryCost`` is 0: 15 % of ``available``.
    static let automaticCost = available / 100 * 15

    /// The maximum memory of this process in bytes.
    static let available: Int = {
        let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return limits(groups: groups) { try? String(contentsOfFile: $0, encoding: .utf8) }.reduce(physical, min)
    }()

    /// Returns the memory limits, in bytes, of control groups and of their ancestors. `groups` is the content of
    /// `/proc/self/cgroup` (cgroups(7)).
    static func limits(groups: String, read: (String) -> String?) -> [Int] {
        groups.split(separator: "\n").flatMap { line -> [Int] in
            let fields = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
            guard fields.count == 3 else { return [] }
            if fields[0] == "0", fields[1].isEmpty {
                return limits(under: "/sys/fs/cgroup", group: fields[2], file: "memory.max", read: read)
            }
            guard fields[1].split(separator: ",").contains("memory") else { return [] }
            return limits(under: "/sys/fs/cgroup/memory", group: fields[2], file: "memory.limit_in_bytes", read: read)
        }
    }

    private static func limits(
        under root: String, group: Substring, file: String, read: (String) -> String?
    ) -> [Int] {
        var names = group.split(separator: "/")
        var limits: [Int] = []
        while true {
            let path = ([root] + names.map(String.init) + [file]).joined(separator: "/")
            // The kernel writes "max" (version 2) or a number near 2⁶³ (version 1) if there is no limit.
            let text = read(path)?.trimmingCharacters(in: .whitespacesAndNewlines)
            if let limit = text.flatMap({ Int($0) }), limit > 0, limit < 1 << 60 { limits.append(limit) }
            if names.popLast() == nil { return limits }
        }
    }
}
