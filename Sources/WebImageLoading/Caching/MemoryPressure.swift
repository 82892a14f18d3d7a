import Foundation
import WebImageCore

/// The level of memory pressure.
public enum MemoryPressure: Int, Sendable {
    /// Some threads wait for memory. Observers should release everything that is cheap to recreate.
    case warning = 1
    /// All threads wait for memory, or almost no memory is available. Observers should release everything.
    case critical = 2
}

/// A source of memory pressure events. A watcher or a test reports each event with ``report(_:)``.
public final class MemoryPressureRelay: Sendable {
    private let observers = Locked<[UInt: @Sendable (MemoryPressure) -> Void]>([:])
    private let next = Locked<UInt>(0)
    private let start: Completion<Void>

    /// Creates a relay without a watcher. Its only events are calls of ``report(_:)``.
    public convenience init() { self.init {} }

    /// Creates a relay that calls `start` once, when the first observer is added.
    init(start: @escaping @Sendable () -> Void) { self.start = Completion(start) }

    /// Reports the memory pressure of this process's control group, or of the whole machine if the group
    /// cannot be watched. The watcher starts on a separate thread when the first observer is added.
    ///
    /// Every event calls the observers. It also releases all images that were loaded by name, and all animation frames
    /// except the next frame of each animation.
    public static let system: MemoryPressureRelay = {
        let relay = MemoryPressureRelay { MemoryPressureWatcher.start() }
        // The numbers of other observers begin at 1. Observer 0 is therefore never replaced or removed.
        relay.observers.withLock { observers in
            observers[0] = { _ in
                FrameStoreRegistry.shared.trim()
                AnimatedImage.removeNamedImages()
            }
        }
        return relay
    }()

    /// Calls every observer on the calling thread.
    public func report(_ pressure: MemoryPressure) {
        for observer in observers.withLock({ Array($0.values) }) { observer(pressure) }
    }

    /// Calls `handler` on any thread whenever memory is short. The calls end when the returned token is released.
    public func observe(_ handler: @escaping @Sendable (MemoryPressure) -> Void) -> any Sendable {
        let number = next.withLock { number in
            number += 1
            return number
        }
        observers.withLock { $0[number] = handler }
        start.complete(with: ())
        return Token { [weak self] in self?.observers.withLock { $0[number] = nil } }
    }

    private final class Token: Sendable {
        let release: @Sendable () -> Void
        init(_ release: @escaping @Sendable () -> Void) { self.release = release }
        deinit { release() }
    }
}

/// Watches how long threads wait for memory, with the kernel's pressure stall information (PSI,
/// <https://docs.kernel.org/accounting/psi.html>).
///
/// The watcher's thread sleeps until the kernel wakes it. If PSI is not available, the thread reads the available
/// memory every 5 seconds.
enum MemoryPressureWatcher {
    static func start() {
        let thread = Thread(name: "webimage.memory") { watch() }
        thread.stackSize = 1 << 18
        thread.start()
    }

    private static func watch() {
        // Register the triggers late. The kernel needs 25 ms (measured) to remove a trigger, because it waits for
        // every processor. It removes the triggers when the process ends. A command that shows one image takes only
        // 50 ms in total. With the delay, such a command ends before the triggers exist. The delay is harmless,
        // because no trigger fires within its first window of 2 s.
        sleep(2)
        // The triggers fire when some threads ("some") or all threads ("full") have waited for 200 ms within
        // a window of 2 s. For unprivileged processes, the window must be a multiple of 2 s.
        let triggers = [(MemoryPressure.warning, "some 200000 2000000"), (.critical, "full 200000 2000000")]
        let watched = triggers.compactMap { pressure, trigger in
            open(trigger, files: pressureFiles()).map { (pressure, $0) }
        }
        guard !watched.isEmpty else { return pollMemoryInfo() }
        while true {
            var polls = watched.map { pollfd(fd: $0.1, events: Int16(POLLPRI), revents: 0) }
            let count = SystemCall.retrying { poll(&polls, nfds_t(polls.count), -1) }
            // An error event means that the group was removed or the kernel removed the trigger.
            guard count > 0, polls.allSatisfy({ $0.revents & Int16(POLLERR | POLLNVAL) == 0 }) else { break }
            for (poll, (pressure, _)) in zip(polls, watched) where poll.revents & Int16(POLLPRI) != 0 {
                MemoryPressureRelay.system.report(pressure)
            }
        }
        for (_, file) in watched { close(file) }
        pollMemoryInfo()
    }

    /// Returns the pressure files in the order in which they are tried. The file of the process's control group is the
    /// first, because the limit of this group can be far below the memory of the machine.
    private static func pressureFiles() -> [String] {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return pressureFiles(groups: groups)
    }

    static func pressureFiles(groups: String) -> [String] {
        let unified = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        let own = unified.map { "/sys/fs/cgroup" + $0.dropFirst(3) + "/memory.pressure" }
        return (own.map { [$0] } ?? []) + ["/proc/pressure/memory"]
    }

    /// Registers a trigger with the first file that accepts the trigger, and returns the file's descriptor. Returns nil
    /// if no file accepts the trigger. The descriptor has a priority event (`POLLPRI`) when the trigger fires.
    static func open(_ trigger: String, files: [String]) -> Int32? {
        for path in files {
            let file = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            // Write the terminating zero as well, because the kernel expects this byte as part of the trigger.
            if trigger.withCString({ write(file, $0, trigger.utf8.count + 1) }) > 0 { return file }
            close(file)
        }
        return nil
    }

    private static func pollMemoryInfo() {
        while true {
            sleep(5)
            guard let text = try? String(contentsOfFile: "/proc/meminfo", encoding: .utf8) else { return }
            if let pressure = pressure(meminfo: text) { MemoryPressureRelay.system.report(pressure) }
        }
    }

    /// Returns `.warning` if less than 10 % of the memory is available, and `.critical` if less than 5 % is available;
    /// otherwise nil. `meminfo` is the content of `/proc/meminfo` (`MemAvailable`, proc(5)).
    static func pressure(meminfo: String) -> MemoryPressure? {
        func kilobytes(_ name: String) -> Int? {
            let line = meminfo.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        }
        guard let total = kilobytes("MemTotal"), let available = kilobytes("MemAvailable"), total > 0 else {
            return nil
        }
        if available < total / 20 { return .critical }
        return available < total / 10 ? .warning : nil
    }
}

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
