import CWebImageGTK
import Dispatch
import Foundation
import WebImageGTK

/// Checks that a GLib loop runs the tasks of the main actor and the closures of the main dispatch queue. Also measures
/// the processor time of the loop without work. A test runs the check in a separate process.
@MainActor final class MainLoopCheck {
    private var heard: [String] = []
    private let loop = g_main_loop_new(nil, 0)

    /// Prints the names of the completed steps, and the processor time that the process used in one second without
    /// work. Returns 0 after all steps, and 2 if the main loop cannot be attached. Exits with code 3 after 20 s.
    func run() -> Int32 {
        guard MainLoop.attach(), MainLoop.attach() else { return 2 }
        let deadline = DispatchWorkItem { exit(3) }
        DispatchQueue.global().asyncAfter(deadline: .now() + 20, execute: deadline)
        Task { @MainActor in
            heard.append("task")
            try await Task.sleep(for: .milliseconds(5))
            heard.append("sleep")
            heard.append(await Task.detached { await self.hop() }.value)
            await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
            heard.append("async")
            await withCheckedContinuation { continuation in
                DispatchQueue.main.asyncAfter(deadline: .now() + 0.005) { continuation.resume() }
            }
            heard.append("asyncAfter")
            let before = Self.processorMicroseconds()
            try await Task.sleep(for: .seconds(1))
            heard.append("idle=\(Self.processorMicroseconds() - before)us")
            g_main_loop_quit(loop)
        }
        g_main_loop_run(loop)
        print(heard.joined(separator: " "))
        return 0
    }

    private func hop() -> String { Thread.isMainThread ? "hop" : "hop-off-main" }

    private static func processorMicroseconds() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        let times = [usage.ru_utime, usage.ru_stime]
        return times.reduce(0) { $0 + Int($1.tv_sec) * 1_000_000 + Int($1.tv_usec) }
    }
}
