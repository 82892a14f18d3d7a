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
    /// The times that the decode spent on decoder processes (`WebImageSandbox`), including that of reading the header.
    /// Nil for other stages, for failed ones, and for a decode in this process.
    public let workerTimes: DecoderWorkerTimes?
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

extension StageObservation {
    /// Reports the start of a stage to a listener.
    ///
    /// - Parameter loadID: The id of the `.load` span that the stage belongs to; nil for the stage `.load`.
    convenience init(
        of stage: WebImageLoadStage, _ url: URL, in loadID: UInt64?, manager: WebImageManager,
        listener: any WebImageManagerListener
    ) {
        let id = StageSpanID.next()
        let span = WebImageStageSpan(id: id, loadID: loadID ?? id, stage: stage, url: url)
        let start = ContinuousClock.now
        self.init(span) { summary, error, joined in
            var status = summary.statusCode ?? error?.response?.statusCode
            if status == nil, stage == .download, case .http(let code)? = error?.underlying { status = code }
            listener.imageManager(
                manager,
                didEnd: WebImageStageReport(
                    span: span, duration: start.duration(to: .now), byteCount: summary.byteCount,
                    origin: summary.origin, pixelSize: summary.image?.pixelSize,
                    format: summary.image.flatMap(Self.format), statusCode: stage == .download ? status : nil,
                    joinedLoadIDs: joined, workerTimes: summary.workerTimes, error: error))
        }
        listener.imageManager(manager, didBegin: span)
    }

    private static func format(_ image: Image) -> ImageFormat? {
        image.imageFormat == .undefined ? nil : image.imageFormat
    }
}

extension WebImageStageSpan {
    /// The attributes that are known when the stage begins: `webimage.stage`, `webimage.load.id`, `url.scheme`,
    /// `server.address`, and `server.port` if the URL has a port. If OpenTelemetry's semantic conventions define
    /// a name for an attribute, this name is used.
    ///
    /// The attributes contain no secrets: user information, path, query and cache key are omitted. They are computed on
    /// every call.
    public var attributes: [String: String] {
        var attributes = ["webimage.stage": stage.rawValue, "webimage.load.id": "\(loadID)"]
        attributes["url.scheme"] = url.scheme?.lowercased()
        attributes["server.address"] = url.host?.lowercased()
        attributes["server.port"] = url.port.map { "\($0)" }
        return attributes
    }
}

extension WebImageStageReport {
    /// The attributes of the span and of its result: `webimage.origin` (`memory`, `disk`, `loader`), `webimage.bytes`,
    /// `webimage.image.width` and `.height` in pixels, `webimage.image.format`, `http.response.status_code`,
    /// `webimage.joined` (the number of loads whose work was joined), `webimage.worker.wait`, `.work` and `.transit`
    /// (``workerTimes`` in seconds) and, after a failure, `error.type` (the name of
    /// the ``WebImageError/Code`` of the error). Unknown values are omitted.
    ///
    /// The attributes contain no secrets (see ``WebImageStageSpan/attributes``). They are computed on every call.
    public var attributes: [String: String] {
        var attributes = span.attributes
        attributes["webimage.origin"] = originName
        attributes["webimage.bytes"] = byteCount.map { "\($0)" }
        attributes["webimage.image.width"] = pixelSize.map { "\($0.width)" }
        attributes["webimage.image.height"] = pixelSize.map { "\($0.height)" }
        attributes["webimage.image.format"] = format?.name
        attributes["http.response.status_code"] = statusCode.map { "\($0)" }
        if !joinedLoadIDs.isEmpty { attributes["webimage.joined"] = "\(joinedLoadIDs.count)" }
        if let times = workerTimes {
            attributes["webimage.worker.wait"] = "\(times.waiting / .seconds(1))"
            attributes["webimage.worker.work"] = "\(times.working / .seconds(1))"
            attributes["webimage.worker.transit"] = "\(times.transit / .seconds(1))"
        }
        attributes["error.type"] = error.map { "\($0.code)" }
        return attributes
    }

    /// `memory`, `disk` or `loader`; nil without an origin.
    var originName: String? {
        switch origin {
        case .memory?: "memory"
        case .disk?: "disk"
        case nil: nil
        default: "loader"
        }
    }
}
