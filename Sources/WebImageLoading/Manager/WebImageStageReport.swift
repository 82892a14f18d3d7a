public import Foundation
public import WebImageCore

/// The result of a stage that ended.
public struct WebImageStageReport: Sendable {
    /// Identifies the stage and its load.
    public let span: WebImageStageSpan
    /// The duration of the stage.
    public let duration: Duration
    /// The number of bytes that the stage read, downloaded, produced or stored. For the stage `.load`, the number of
    /// encoded bytes of the image. Nil if the stage reports no number.
    public let byteCount: Int?
    /// The origin of the bytes or of the image. `.none` means the loader; nil means no result or an unknown origin.
    public let origin: ImageCacheType?
    /// The size of the image in pixels; nil for stages without an image.
    public let pixelSize: PixelSize?
    /// The format that the image was decoded from; nil for stages without an image and for an unknown format.
    public let format: ImageFormat?
    /// The HTTP status of a download; nil for other stages and for loaders without HTTP.
    public let statusCode: Int?
    /// The ``WebImageStageSpan/loadID`` of every load whose shared task this load joined. Tracing systems call such
    /// references links. The stages of a shared task are reported only for the load that started it. Empty for all
    /// stages except `.load`.
    public let joinedLoadIDs: [UInt64]
    /// The error of a failed stage; nil after success.
    public let error: WebImageError?

    /// The kind of stage.
    public var stage: WebImageLoadStage { span.stage }
    /// The URL of the load; see ``WebImageStageSpan/url``.
    public var url: URL { span.url }
}

/// Generates the ids of spans.
enum StageSpanID {
    private static let last = Locked<UInt64>(0)

    static func next() -> UInt64 {
        last.withLock { last in
            last += 1
            return last
        }
    }
}

/// A running stage whose start was reported to a listener.
final class StageObservation: StageObserving {
    let span: WebImageStageSpan
    private let manager: WebImageManager
    private let listener: any WebImageManagerListener
    private let joined = Locked<[UInt64]>([])
    private let start = ContinuousClock.now

    /// - Parameter loadID: The id of the `.load` span that the stage belongs to; nil for the stage `.load`.
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

    /// Identifies the load to the shared tasks that the load starts or joins. If the load joins a shared task of
    /// another load, records the id of that other load.
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
