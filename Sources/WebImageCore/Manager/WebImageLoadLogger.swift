import Foundation

/// Writes a log record for the end of every stage: `.debug` for a stage, `.info` for a load, `.warning` for a failed load;
/// cancelled loads are `.info`.
///
/// ```swift
/// WebImageManager.shared.listener = WebImageLoadLogger()
/// ```
///
/// The message holds the redacted URL; the metadata is ``WebImageStageReport/attributes`` with `webimage.duration_ms`.
/// Safe on any thread; a stage costs what the destination costs.
public struct WebImageLoadLogger: WebImageManagerListener {
    private let destination: (any WebImageLogging)?

    /// - Parameter destination: Where records go; nil is where ``WebImageLog`` writes at that time.
    public init(destination: (any WebImageLogging)? = nil) { self.destination = destination }

    /// Writes nothing: the record of the end holds all.
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
