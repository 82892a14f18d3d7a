import Foundation
public import WebImageCore

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

/// Writes a log record at the end of every stage. For the stage `.load`, the level is `.warning` if the load failed for
/// another reason than a cancel, and `.info` otherwise. For all other stages, the level is `.debug`.
///
/// ```swift
/// WebImageManager.shared.listener = WebImageLoadLogger()
/// ```
///
/// The message contains the redacted URL. The metadata is ``WebImageStageReport/attributes`` plus
/// `webimage.duration_ms`. Safe on any thread. Each stage waits while the destination processes one record.
public struct WebImageLoadLogger: WebImageManagerListener {
    private let destination: (any WebImageLogging)?

    /// - Parameter destination: The destination of the records. If nil, each record goes to the destination that
    ///   ``WebImageLog`` has when the record is written.
    public init(destination: (any WebImageLogging)? = nil) { self.destination = destination }

    /// Writes nothing. The record at the end of the stage contains all values.
    public func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}

    /// Writes one record.
    public func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
        guard let destination = destination ?? WebImageLog.shared.destination else { return }
        let failed = report.error.map { !$0.isCancellation && $0.code != .cacheNotModified } ?? false
        let level: WebImageLogLevel = report.stage != .load ? .debug : failed ? .warning : .info
        var metadata = report.attributes
        let milliseconds = report.duration / .milliseconds(1)
        metadata["webimage.duration_ms"] = "\((milliseconds * 1000).rounded() / 1000)"
        let outcome = report.error.map { $0.code.words } ?? report.originName ?? "done"
        destination.log(level, "\(report.stage.rawValue) of \(report.url.redacted): \(outcome)", metadata: metadata)
    }
}
