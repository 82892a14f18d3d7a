import CWebImageSandbox
import Foundation
import WebImageCore

/// The process of a worker, as the kernel knows it. Its status is collected once: by the thread that needs it, or by
/// ``SandboxReaper`` as soon as the process ends.
final class SandboxChild: Sendable {
    /// How a process ended that the host did not end.
    enum End: Equatable {
        case exited(Int32)
        case signalled(Int32)
        /// Another part of the program has collected the status, or the process does not end.
        case unknown
    }

    private struct State {
        var end: End?
        var onEnd: (@Sendable () -> Void)?
    }

    let child: webimage_sandbox_child
    private let number: UInt64
    private let forks = webimage_sandbox_fork_count()
    private let state = Locked(State())

    /// Takes over the pidfd of `child`. If `isWatched`, the process is removed from the kernel's table at its end.
    init(_ child: webimage_sandbox_child, isWatched: Bool = true) {
        self.child = child
        number = isWatched ? SandboxReaper.shared.makeNumber() : 0
        if isWatched { SandboxReaper.shared.watch(self, number) }
    }

    deinit { if isOfThisProcess { webimage_sandbox_release(child.pidfd) } }

    /// Whether this process has started the worker. False in a fork of it, whose descriptors of the worker are closed.
    var isOfThisProcess: Bool { forks == webimage_sandbox_fork_count() }

    /// Whether the status was collected.
    var hasEnded: Bool { state.withLock { $0.end != nil } }

    /// Sets what ``SandboxReaper`` calls when it has collected the status.
    func onEnd(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.onEnd = action } }

    /// Calls `body` with the process identifier, which no other process has meanwhile: its status is not collected yet.
    func withIdentifier<Value>(_ body: (pid_t) -> Value) -> Value? {
        state.withLock { $0.end == nil ? body(child.pid) : nil }
    }

    func kill() { withUnsafePointer(to: child) { webimage_sandbox_kill($0) } }

    /// Waits for the end. Returns nil if the process still runs after `milliseconds`.
    func end(within milliseconds: Int32) -> End? {
        guard withUnsafePointer(to: child, { webimage_sandbox_has_ended($0, milliseconds) }) else { return nil }
        return state.withLock { state in
            if let end = state.end { return end }
            let end = withUnsafePointer(to: child, Self.collect)
            state.end = end
            return end
        }
    }

    private static func collect(_ child: UnsafePointer<webimage_sandbox_child>) -> End {
        var value: Int32 = 0
        switch webimage_sandbox_collect(child, &value) {
        case webimage_sandbox_exited: return .exited(value)
        case webimage_sandbox_signalled: return .signalled(value)
        default: return .unknown
        }
    }

    /// Kills the process and waits for its end. Returns how it ended if it had ended before.
    func finish() -> End? {
        // From here on the reaper has no reference, so the pidfd is closed with the last reference of the caller.
        SandboxReaper.shared.forget(number)
        // A process that has ended by itself says more than the signal of the host.
        let end = end(within: 0)
        if end == nil {
            kill()
            // A process that hangs in the kernel is left to the reaper.
            if self.end(within: 5000) == nil { SandboxReaper.shared.keep(self, number) }
        }
        return end
    }

    /// Kills the process and lets the reaper wait for its end.
    func finishLater() {
        guard SandboxReaper.shared.watches(number) else {
            _ = finish()
            return
        }
        if end(within: 0) == nil { kill() }
    }

    /// Collects the status of a process that has ended. Returns what is to be called then.
    fileprivate func collectNow() -> (@Sendable () -> Void)? {
        _ = end(within: 0)
        return state.withLock { $0.onEnd }
    }
}

/// Collects the status of decoder processes as soon as they end. Without it, a process that ends without work would stay a
/// zombie until its pool needs it, and a program that waits for any of its children would find it. One thread serves all.
final class SandboxReaper: Sendable {
    private static let instance = Locked<SandboxReaper?>(nil)

    /// The reaper of this process. A fork has neither the thread nor the list of its parent.
    static var shared: SandboxReaper {
        instance.withLock { instance in
            if let instance, instance.forks == webimage_sandbox_fork_count() { return instance }
            let reaper = SandboxReaper()
            instance = reaper
            return reaper
        }
    }

    private struct State {
        var lastNumber: UInt64 = 0
        var children: [UInt64: SandboxChild] = [:]
    }

    private let forks = webimage_sandbox_fork_count()
    private let file = webimage_sandbox_make_watch()
    private let state = Locked(State())

    private init() {
        guard file >= 0 else { return }
        let thread = Thread(name: "webimage.reaper") { [self] in run() }
        thread.stackSize = 256 << 10
        thread.start()
    }

    fileprivate func makeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    fileprivate func watch(_ child: SandboxChild, _ number: UInt64) {
        state.withLock { $0.children[number] = child }
        let isWatched = withUnsafePointer(to: child.child) { webimage_sandbox_watch(file, $0, number) == 0 }
        // Its status is collected by its pool then.
        if !isWatched { forget(number) }
    }

    /// Whether the status of the process will be collected at its end.
    fileprivate func watches(_ number: UInt64) -> Bool { state.withLock { $0.children[number] != nil } }

    /// Removes a process whose status another thread collects.
    fileprivate func forget(_ number: UInt64) {
        let child = state.withLock { $0.children.removeValue(forKey: number) }
        withExtendedLifetime(child) {}
    }

    /// Adds a process again that ``forget(_:)`` has removed.
    fileprivate func keep(_ child: SandboxChild, _ number: UInt64) {
        state.withLock { $0.children[number] = child }
        // Its end may have been reported meanwhile.
        if child.end(within: 0) != nil { forget(number) }
    }

    private func run() {
        while true {
            let number = webimage_sandbox_next_end(file)
            // The program has closed the file, for example because it became a daemon. The pools collect then.
            guard number > 0 else { return }
            // The lock is held so that no reference is left when `forget` returns.
            let action = state.withLock { $0.children.removeValue(forKey: number)?.collectNow() }
            action?()
        }
    }
}
