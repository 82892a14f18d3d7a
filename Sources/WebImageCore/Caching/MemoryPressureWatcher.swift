import Foundation

/// Watches how long work waits for memory (PSI, <https://docs.kernel.org/accounting/psi.html>) on a thread that sleeps
/// until the kernel wakes it. Without PSI it reads the available memory every 5 seconds.
enum MemoryPressureWatcher {
    static func start() {
        let thread = Thread { watch() }
        thread.name = "webimage.memory-pressure"
        thread.stackSize = 1 << 18
        thread.start()
    }

    private static func watch() {
        // Start the triggers late: removing one waits for every processor, measured 25 ms. That is half the time of a
        // command that shows one image, but irrelevant for a long-running program. No trigger fires within its first
        // 2-second window anyway.
        sleep(2)
        // Fires when some, or all, work waits for 200 ms within 2 s. Unprivileged windows must be multiples of 2 s.
        let triggers = [(MemoryPressure.warning, "some 200000 2000000"), (.critical, "full 200000 2000000")]
        let watched = triggers.compactMap { pressure, trigger in
            open(trigger, files: pressureFiles()).map { (pressure, $0) }
        }
        guard !watched.isEmpty else { return pollMemoryInfo() }
        while true {
            var polls = watched.map { pollfd(fd: $0.1, events: Int16(POLLPRI), revents: 0) }
            let count = poll(&polls, nfds_t(polls.count), -1)
            if count < 0, errno == EINTR { continue }
            // The group was removed, or the kernel withdrew the trigger.
            guard count > 0, polls.allSatisfy({ $0.revents & Int16(POLLERR | POLLNVAL) == 0 }) else { break }
            for (poll, (pressure, _)) in zip(polls, watched) where poll.revents & Int16(POLLPRI) != 0 {
                MemoryPressureRelay.system.report(pressure)
            }
        }
        for (_, file) in watched { close(file) }
        pollMemoryInfo()
    }

    /// The process's own control group comes first: its limit may be far below the machine's memory.
    private static func pressureFiles() -> [String] {
        let groups = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8)) ?? ""
        return pressureFiles(groups: groups)
    }

    static func pressureFiles(groups: String) -> [String] {
        let unified = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }
        let own = unified.map { "/sys/fs/cgroup" + $0.dropFirst(3) + "/memory.pressure" }
        return (own.map { [$0] } ?? []) + ["/proc/pressure/memory"]
    }

    /// A descriptor with a priority event (`POLLPRI`) when the trigger fires; nil if no file accepts the trigger.
    static func open(_ trigger: String, files: [String]) -> Int32? {
        for path in files {
            let file = Glibc.open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
            guard file >= 0 else { continue }
            // The kernel expects the terminating zero as part of the trigger.
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

    /// Warning below 10 % available memory, critical below 5 % (`MemAvailable`, proc(5)).
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
