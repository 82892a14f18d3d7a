import Foundation
public import WebImageCore

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
