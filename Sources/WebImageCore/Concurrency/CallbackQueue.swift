public import Dispatch
import Foundation

/// A dispatch queue for completions, and the policy that decides when a completion is dispatched to this queue.
public final class CallbackQueue: Sendable {
    /// The rule that decides whether a block runs immediately on the current thread ("inline") or is
    /// dispatched to the queue.
    public enum Policy: Int, Sendable {
        /// Runs a block inline if the caller already runs on this queue. Otherwise dispatches the block to the queue.
        case safeExecute = 0
        /// Always dispatches a block to the queue.
        case dispatch = 1
        /// Always runs a block inline.
        case invoke = 2
        /// Runs a block inline on the main thread. On any other thread, dispatches the block to the queue.
        case safeAsyncMainThread = 3
    }

    private let queue: DispatchQueue
    private let state: Locked<Policy>
    private let isMain: Bool
    /// The mark of the queue; nil for the main queue, which ``MainThread`` recognizes.
    private let mark: Mark?

    /// The main queue. Blocks run inline on the main thread and are dispatched from other threads. Each
    /// access returns a new instance, so that the caller can change the policy of this instance.
    public static var main: CallbackQueue { CallbackQueue(main: .safeAsyncMainThread) }

    /// A shared instance of ``main`` that saves an allocation per load. Its policy must not be changed.
    package static let sharedMain = CallbackQueue.main
    private static let mainQueue = DispatchQueue.main

    /// The global queue with quality of service `userInitiated`.
    public static var global: CallbackQueue {
        CallbackQueue(queue: .global(qos: .userInitiated), policy: .safeExecute)
    }

    /// The queue on which the caller runs. If this queue cannot be determined, returns ``global``.
    ///
    /// The queue can be determined if it is the main queue, was passed to ``init(queue:policy:)`` before, or is the
    /// underlying queue of the current `OperationQueue`. Linux has no public function to determine other queues.
    public static var current: CallbackQueue {
        if MainThread.isCurrent { return .main }
        let known = DispatchQueue.getSpecific(key: Mark.key)?.queue ?? OperationQueue.current?.underlyingQueue
        return known.map { CallbackQueue(queue: $0) } ?? .global
    }

    /// A queue that runs every block inline. A completion then runs on the thread that ends the load. Useful in servers
    /// and tests.
    public static var invoking: CallbackQueue { CallbackQueue(main: .invoke) }

    /// Creates a callback queue for a dispatch queue.
    public init(queue: DispatchQueue, policy: Policy = .safeExecute) {
        self.queue = queue
        state = Locked(policy)
        isMain = MainThread.isMainQueue(queue)
        mark = isMain ? nil : Mark.of(queue)
    }

    private init(main policy: Policy) {
        queue = Self.mainQueue
        state = Locked(policy)
        isMain = true
        mark = nil
    }

    /// The rule that decides when blocks run inline.
    public var policy: Policy {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Runs `block` according to ``policy``.
    public func async(_ block: @escaping @Sendable () -> Void) {
        if runsInline { block() } else { queue.async(execute: block) }
    }

    /// Runs `block` before this method returns. The block runs inline if ``async(_:)`` would run the block inline or
    /// if the caller already runs on the queue. Otherwise the block runs on the queue while the caller is blocked.
    ///
    /// Exception: with ``Policy/safeAsyncMainThread``, a call outside the main thread dispatches the block and does
    /// not wait, as in SDWebImage.
    package func runWaiting(_ block: @escaping @Sendable () -> Void) {
        if isCurrent || runsInline {
            block()
        } else if policy == .safeAsyncMainThread {
            queue.async(execute: block)
        } else {
            queue.sync(execute: block)
        }
    }

    /// Whether ``async(_:)`` would run a block inline on the current thread.
    package var runsInline: Bool {
        switch policy {
        case .invoke: true
        case .dispatch: false
        case .safeAsyncMainThread: MainThread.isCurrent
        case .safeExecute: isCurrent
        }
    }

    /// Whether the caller runs on this queue.
    private var isCurrent: Bool {
        isMain ? MainThread.isCurrent : DispatchQueue.getSpecific(key: Mark.key).map { $0 === mark } ?? false
    }

    /// An object that is stored in a dispatch queue to identify the queue. Each queue has one mark, which is never
    /// replaced: a thread on the queue reads its mark without retaining it, so it could read a replaced mark after its
    /// release.
    private final class Mark: Sendable {
        // The reference is weak, because a strong reference would create a retain cycle.
        private struct Reference { weak var queue: DispatchQueue? }

        static let key = DispatchSpecificKey<Mark>()
        /// Makes `of(_:)` create one mark for each queue. The state is not used. It is a `Bool`, because the size of the state
        /// of a ``Locked`` must not be 0.
        private static let marking = Locked(false)
        private let reference = Locked(Reference())

        var queue: DispatchQueue? { reference.withLock { $0.queue } }

        /// Returns the mark of a queue. Creates the mark at the first call.
        static func of(_ queue: DispatchQueue) -> Mark {
            let mark = marking.withLock { _ in
                if let known = queue.getSpecific(key: key) { return known }
                let mark = Mark()
                queue.setSpecific(key: key, value: mark)
                return mark
            }
            // Several objects of the class `DispatchQueue` can stand for one queue, for example for a global queue.
            // Keep the newest, because an older one may be released.
            mark.reference.withLock { $0.queue = queue }
            return mark
        }
    }
}

extension MainThread {
    /// Runs `body` on the main actor. A call on the main thread runs `body` before it returns. Calls on other threads
    /// return immediately, and their closures run later, in the order of the calls.
    package static func run(_ body: @escaping @MainActor @Sendable () -> Void) {
        if isCurrent {
            MainActor.assumeIsolated(body)
        } else {
            DispatchQueue.main.async { MainActor.assumeIsolated(body) }
        }
    }
}

/// Runs the callbacks of one load one after another, in the order in which they were added, even on a
/// concurrent queue.
///
/// If the queue allows a new block to run inline, ``add(on:_:)`` runs all waiting blocks and then the new block
/// before it returns. There is one exception: if another thread is running a block of the load, that thread later
/// runs the new block. No thread ever waits for another thread.
package final class DeliveryLane: Sendable {
    private struct State {
        var waiting: [@Sendable () -> Void] = []
        var isScheduled = false
        /// The thread that currently runs a block.
        var runner: pthread_t?
    }

    private enum Action {
        case nothing
        case schedule
        /// Run the waiting blocks. The new block is the last of them.
        case drain
        /// Run the waiting blocks and then the new block immediately, inside the block that is running on this thread.
        /// That block has added the new block.
        case runNested(after: [@Sendable () -> Void])
    }

    private let state = Locked(State())

    package init() {}

    /// Adds a block, and runs it now or later according to the policy of `queue`.
    package func add(on queue: CallbackQueue, _ body: @escaping @Sendable () -> Void) {
        let runsInline = queue.runsInline
        let action = state.withLock { state -> Action in
            if let runner = state.runner {
                guard runsInline, pthread_equal(runner, pthread_self()) != 0 else {
                    state.waiting.append(body)
                    return .nothing
                }
                defer { state.waiting = [] }
                return .runNested(after: state.waiting)
            }
            state.waiting.append(body)
            if runsInline { return .drain }
            defer { state.isScheduled = true }
            return state.isScheduled ? .nothing : .schedule
        }
        switch action {
        case .nothing: break
        case .runNested(let earlier):
            for body in earlier { body() }
            body()
        case .drain: drain()
        case .schedule:
            queue.async {
                self.state.withLock { $0.isScheduled = false }
                self.drain()
            }
        }
    }

    /// Runs the waiting blocks, unless a thread is already running them.
    private func drain() {
        guard
            state.withLock({ state in
                guard state.runner == nil, !state.waiting.isEmpty else { return false }
                state.runner = pthread_self()
                return true
            })
        else { return }
        while let body = next() { body() }
    }

    /// Returns the next waiting block. If there is none, returns nil, and another thread may then run blocks.
    private func next() -> (@Sendable () -> Void)? {
        state.withLock { state in
            guard state.waiting.isEmpty else { return state.waiting.removeFirst() }
            state.runner = nil
            return nil
        }
    }
}
