public import Dispatch
import Foundation

/// A dispatch queue and the policy by which completions run on it.
public final class CallbackQueue: Sendable {
    /// When a block runs inline and when it is dispatched.
    public enum Policy: Int, Sendable {
        /// Inline when already on this queue, else dispatched.
        case safeExecute = 0
        /// Always dispatched.
        case dispatch = 1
        /// Always inline, on the current thread.
        case invoke = 2
        /// Inline when on main, else dispatched to the main queue.
        case safeAsyncMainThread = 3
    }

    private let queue: DispatchQueue
    private let state: Locked<Policy>
    private let isMain: Bool

    /// Inline when on main, else dispatched to the main queue. Each access returns a new instance, whose policy the
    /// caller may change.
    public static var main: CallbackQueue { CallbackQueue(main: .safeAsyncMainThread) }

    /// A shared instance for code that does not change it, so that a load allocates none.
    package static let sharedMain = CallbackQueue.main
    private static let mainQueue = DispatchQueue.main

    /// The global queue with quality of service `userInitiated`.
    public static var global: CallbackQueue {
        CallbackQueue(queue: .global(qos: .userInitiated), policy: .safeExecute)
    }

    /// The caller's queue: main, a queue wrapped before, or the queue of the current `OperationQueue`; else ``global``.
    ///
    /// Linux has no public way to determine any other queue.
    public static var current: CallbackQueue {
        if MainThread.isCurrent { return .main }
        let known = DispatchQueue.getSpecific(key: key)?.queue ?? OperationQueue.current?.underlyingQueue
        return known.map { CallbackQueue(queue: $0) } ?? .global
    }

    /// Runs blocks inline, on the thread that ends the load; for servers and tests.
    public static var invoking: CallbackQueue { CallbackQueue(main: .invoke) }

    /// Wraps a queue.
    public init(queue: DispatchQueue, policy: Policy = .safeExecute) {
        self.queue = queue
        state = Locked(policy)
        isMain = MainThread.isMainQueue(queue)
        if !isMain { queue.setSpecific(key: Self.key, value: Mark(queue: queue)) }
    }

    private init(main policy: Policy) {
        queue = Self.mainQueue
        state = Locked(policy)
        isMain = true
    }

    /// Determines when blocks run inline.
    public var policy: Policy {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Runs `block` according to ``policy``.
    public func async(_ block: @escaping @Sendable () -> Void) {
        if runsInline { block() } else { queue.async(execute: block) }
    }

    /// Runs `block` before this returns: inline under the conditions of ``async(_:)`` or when already on the queue,
    /// else on the queue while the caller waits.
    ///
    /// Under ``Policy/safeAsyncMainThread``, off the main thread, it is dispatched without waiting, as in SDWebImage.
    package func runWaiting(_ block: @escaping @Sendable () -> Void) {
        let isHere = isMain ? MainThread.isCurrent : DispatchQueue.getSpecific(key: Self.key)?.queue === queue
        if isHere || runsInline {
            block()
        } else if policy == .safeAsyncMainThread {
            queue.async(execute: block)
        } else {
            queue.sync(execute: block)
        }
    }

    /// Whether ``async(_:)`` would run a block before it returns.
    package var runsInline: Bool {
        switch policy {
        case .invoke: true
        case .dispatch: false
        case .safeAsyncMainThread: MainThread.isCurrent
        case .safeExecute:
            isMain ? MainThread.isCurrent : DispatchQueue.getSpecific(key: Self.key)?.queue === queue
        }
    }

    /// Identifies the queue; weak, else the queue would retain itself.
    private final class Mark: @unchecked Sendable {
        // Unchecked is correct because the reference is set once, before the mark is shared.
        weak var queue: DispatchQueue?
        init(queue: DispatchQueue) { self.queue = queue }
    }

    private static let key = DispatchSpecificKey<Mark>()
}
