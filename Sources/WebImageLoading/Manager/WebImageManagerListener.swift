import WebImageCore

/// Receives the start and the end of every stage of every load, for metrics, traces and logs.
///
/// The methods are called on the thread that performs the stage, so they must be fast. The stages `.load` and `.memory`
/// begin on the thread and in the task of the caller. When they begin, the task-local values, such as the context of a
/// trace, are therefore those of the caller. All other stages run in tasks without the caller's task-local values.
/// Shared work is reported once, not once for each of its subscribers. If a manager has no listener, nothing is
/// measured. ``WebImageManagerListeners`` combines several listeners.
@preconcurrency public protocol WebImageManagerListener: Sendable {
    /// A stage begins.
    func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan)
    /// A stage has ended. For each stage whose start was reported, this method is called exactly once, with the same
    /// ``WebImageStageSpan/id``.
    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport)
}

/// Combines several listeners into one listener. The listeners are called in the order of the list.
public struct WebImageManagerListeners: WebImageManagerListener {
    private let listeners: [any WebImageManagerListener]

    /// Combines listeners.
    public init(_ listeners: [any WebImageManagerListener]) { self.listeners = listeners }

    /// Reports the start to each listener.
    public func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {
        for listener in listeners { listener.imageManager(imageManager, didBegin: span) }
    }

    /// Reports the end to each listener.
    public func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        for listener in listeners { listener.imageManager(imageManager, didEnd: report) }
    }
}
