public import Dispatch
import Foundation

/// A dispatch queue and the manner in which completions are run on it.
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

    /// Inline when on main, else dispatched to the main queue; each access gives one of its own, whose policy is the
    /// caller's to change.
    public static var main: CallbackQueue { CallbackQueue(main: .safeAsyncMainThread) }

    /// The same for all who change nothing of it, so that a load allocates none.
    package static let sharedMain = CallbackQueue.main
    private static let mainQueue = DispatchQueue.main

    /// The global queue of high priority.
    public static var global: CallbackQueue {
        CallbackQueue(queue: .global(qos: .userInitiated), policy: .safeExecute)
    }

    /// The queue the caller is on: main, one that was wrapped before, or an operation queue's own; else ``global``.
    ///
    /// Linux has no public way to ask for any other.
    public static var current: CallbackQueue {
        if MainThread.isCurrent { return .main }
        let known = DispatchQueue.getSpecific(key: key)?.queue ?? OperationQueue.current?.underlyingQueue
        return known.map { CallbackQueue(queue: $0) } ?? .global
    }

    /// Runs blocks inline, on whichever thread ends the load: for servers and tests.
    public static var invoking: CallbackQueue { CallbackQueue(main: .invoke) }

    /// A queue of the caller's.
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

    /// The manner in which blocks are run.
    public var policy: Policy {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// Runs `block` according to ``policy``.
    public func async(_ block: @escaping @Sendable () -> Void) {
        if runsInline { block() } else { queue.async(execute: block) }
    }

    /// Runs `block` before this returns: inline where ``async(_:)`` would, or when already on the queue, else on the queue
    /// while the caller waits.
    ///
    /// Under ``Policy/safeAsyncMainThread`` off main it is dispatched and not waited for, as in the original.
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

    /// Whether a block given now would run before ``async(_:)`` returns.
    package var runsInline: Bool {
        switch policy {
        case .invoke: true
        case .dispatch: false
        case .safeAsyncMainThread: MainThread.isCurrent
        case .safeExecute:
            isMain ? MainThread.isCurrent : DispatchQueue.getSpecific(key: Self.key)?.queue === queue
        }
    }

    /// Which queue this is; weak, else the queue would hold itself.
    private final class Mark: @unchecked Sendable {
        // Unchecked is true because the reference is set once, before the mark is shared.
        weak var queue: DispatchQueue?
        init(queue: DispatchQueue) { self.queue = queue }
    }

    private static let key = DispatchSpecificKey<Mark>()
}
