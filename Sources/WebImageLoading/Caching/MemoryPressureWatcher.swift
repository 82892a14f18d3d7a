import Foundation
import WebImageCore

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
            let count = poll(&polls, nfds_t(polls.count), -1)
            if count < 0, errno == EINTR { continue }
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
