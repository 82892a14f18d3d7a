public import Foundation

/// The end of a part of a load.
public struct WebImageStageReport: Sendable {
    /// Identifies the stage and its load.
    public let span: WebImageStageSpan
    /// How long it took.
    public let duration: Duration
    /// Bytes read, fetched or decoded to; nil where there were none.
    public let byteCount: Int?
    /// Where the bytes or the image came from; `none` is the loader, nil if there is no result or it is not known.
    public let origin: ImageCacheType?
    /// The size of the image in pixels; nil for stages that have no image.
    public let pixelSize: PixelSize?
    /// The format that the image was decoded from; nil for stages that have no image, and if it is not known.
    public let format: ImageFormat?
    /// The HTTP status of a download; nil for other stages and loaders without HTTP.
    public let statusCode: Int?
    /// The loads whose work this `.load` joined, as their ``WebImageStageSpan/loadID``: what a trace calls links. The
    /// stages of that work are reported for those loads alone. Empty for every other stage.
    public let joinedLoadIDs: [UInt64]
    /// Why it failed.
    public let error: WebImageError?

    /// Which part.
    public var stage: WebImageLoadStage { span.stage }
    /// The URL that the load asks for; see ``WebImageStageSpan/url``.
    public var url: URL { span.url }
}

/// Counts up the ids of spans.
enum StageSpanID {
    private static let last = Locked<UInt64>(0)

    static func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

/// A stage whose begin was reported to a listener.
final class StageObservation: StageObserving {
    let span: WebImageStageSpan
    private let manager: WebImageManager
    private let listener: any WebImageManagerListener
    private let joined = Locked<[UInt64]>([])
    private let start = ContinuousClock.now

    /// - Parameter loadID: Nil for `.load` itself.
    init(
        _ manager: WebImageManager, _ listener: any WebImageManagerListener, _ stage: WebImageLoadStage, _ url: URL,
        in loadID: UInt64?
    ) {
        let id = StageSpanID.next()
        span = WebImageStageSpan(id: id, loadID: loadID ?? id, stage: stage, url: url)
        self.manager = manager
        self.listener = listener
        listener.imageManager(manager, didBegin: span)
    }

    /// The load, as the work that it starts and joins refers to it.
    var origin: SharedTaskOrigin {
        SharedTaskOrigin(id: span.loadID) { [joined, own = span.loadID] id in
            joined.withLock { if id != own, !$0.contains(id) { $0.append(id) } }
        }
    }

    func end(_ summary: StageSummary, _ error: WebImageError?) {
        var status = summary.statusCode ?? error?.response?.statusCode
        if status == nil, span.stage == .download, case .http(let code)? = error?.underlying { status = code }
        listener.imageManager(
            manager,
            didEnd: WebImageStageReport(
                span: span, duration: start.duration(to: .now), byteCount: summary.byteCount, origin: summary.origin,
                pixelSize: summary.image?.pixelSize, format: summary.image.flatMap(Self.format),
                statusCode: span.stage == .download ? status : nil, joinedLoadIDs: joined.withLock { $0 },
                error: error))
    }

    private static func format(_ image: Image) -> ImageFormat? {
        image.imageFormat == .undefined ? nil : image.imageFormat
    }
}
