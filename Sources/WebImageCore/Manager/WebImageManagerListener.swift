public import Foundation

/// The end of a part of a load.
public struct WebImageStageReport: Sendable {
    /// Which part.
    public let stage: WebImageLoadStage
    /// What is loaded.
    public let url: URL
    /// How long it took.
    public let duration: Duration
    /// Bytes read, fetched or decoded to; nil where there were none.
    public let byteCount: Int?
    /// Where the bytes or the image came from; `none` is the loader, nil is nowhere or not told.
    public let origin: ImageCacheType?
    /// Why it failed.
    public let error: WebImageError?
}

/// Hears of every stage of every load, for figures and logs. Shared work is told once, whoever waits for it.
///
/// Called on the thread that works, so it must be quick. Without a listener nothing is measured.
@preconcurrency public protocol WebImageManagerListener: Sendable {
    /// A stage begins.
    func imageManager(_ imageManager: WebImageManager, didBegin stage: WebImageLoadStage, for url: URL)
    /// A stage has ended; every beginning has an end.
    func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport)
}

/// A stage whose begin was reported to a listener.
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
