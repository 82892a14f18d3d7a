public import Foundation

/// A report of a stage that ended.
public struct WebImageStageReport: Sendable {
    /// The stage that ended.
    public let stage: WebImageLoadStage
    /// The URL of the load.
    public let url: URL
    /// The duration of the stage.
    public let duration: Duration
    /// Bytes read, fetched or produced by decoding; nil if there were none.
    public let byteCount: Int?
    /// Where the bytes or the image came from; `none` means the loader, nil means nowhere or unknown.
    public let origin: ImageCacheType?
    /// The error of a stage that failed.
    public let error: WebImageError?
}

/// Receives every stage of every load, for metrics and logs. A shared task is reported once for all its subscribers.
///
/// Called on the thread that does the work, so it must return quickly. Without a listener nothing is measured.
@preconcurrency public protocol WebImageManagerListener: Sendable {
    /// A stage begins.
    func imageManager(_ imageManager: WebImageManager, didBegin stage: WebImageLoadStage, for url: URL)
    /// A stage has ended; every beginning has an end.
    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport)
}

/// A stage whose beginning was reported to a listener.
struct StageObservation: StageObserving {
    private let manager: WebImageManager
    private let listener: any WebImageManagerListener
    private let stage: WebImageLoadStage
    private let url: URL
    private let start = ContinuousClock.now

    init(
        _ manager: WebImageManager, _ listener: any WebImageManagerListener, _ stage: WebImageLoadStage, _ url: URL
    ) {
        self.manager = manager
        self.listener = listener
        self.stage = stage
        self.url = url
        listener.imageManager(manager, didBegin: stage, for: url)
    }

    func end(_ summary: StageSummary, _ error: WebImageError?) {
        listener.imageManager(
            manager,
            didEnd: WebImageStageReport(
                stage: stage, url: url, duration: start.duration(to: .now), byteCount: summary.byteCount,
                origin: summary.origin,
                error: error))
    }
}
