public import WebImageCore

/// What the log and the metrics contain about one request.
public struct ServiceLogEntry: Sendable {
    /// The kind of request.
    public enum Route: String, Sendable, CaseIterable {
        /// A picture in imgproxy's grammar.
        case imgproxy
        /// A picture in thumbor's grammar.
        case thumbor
        /// A description of a source in JSON.
        case info
        /// A check whether the process runs.
        case health
        /// A check whether the service accepts requests.
        case ready
        /// The counters as Prometheus text.
        case metrics
        /// A purge of results.
        case purge
        /// The start page.
        case start
        /// The route is not known.
        case none
    }

    /// The origin of the answer.
    public enum Outcome: String, Sendable, CaseIterable {
        /// The result was made for this request.
        case made
        /// The result was made for several requests. This request joined the work of another request.
        case joined
        /// The result comes from the memory cache.
        case memory
        /// The result comes from the disk cache.
        case disk
        /// The result comes from a cache tier that several machines share.
        case tier
        /// The result is stale.
        case stale
        /// The client's copy is current (304).
        case notModified
        /// The answer is a remembered failure.
        case negative
        /// The answer is an error.
        case refused
        /// The answer is a page, such as a health check or the start page.
        case page
    }

    /// A measured part of the work.
    public enum Stage: String, Sendable, CaseIterable {
        /// Waiting for a free decode thread, or for a decode that is shared with another request.
        case queue
        /// Reading or fetching the source.
        case fetch
        /// Decoding.
        case decode
        /// Geometry and effects.
        case transform
        /// Encoding.
        case encode
    }

    /// Identifies the request in logs: the client's `X-Request-Id` if it is valid, otherwise a new one.
    public var requestID = ""
    /// The trace context of the request (W3C `traceparent`); nil if the field is missing or not well formed.
    public var traceParent: String?
    /// The kind of request.
    public var route = Route.none
    /// The target without the signature, the source and the query. Logs show this form.
    public var target = ""
    /// The origin of the answer.
    public var outcome = Outcome.refused
    /// The source's URL without user information and query; nil if the request names no source.
    public var source: String?
    /// The reason of a refusal as one word for metrics (`signature`, `option`, `queue` …); nil for success.
    public var reason: String?
    /// The message for a log. It never contains a secret.
    public var message: String?
    /// The durations of the stages that ran for this request; empty if the request joined the work of another request.
    public var stages: [Stage: Duration] = [:]
    /// The time from the arrival of the request until the answer was complete, or until a body that arrives began.
    public var duration = Duration.zero
    /// The size in bytes of the source that was read or fetched; nil if the source was not needed.
    public var sourceByteCount: Int?
    /// The format of the answer's picture.
    public var format: ImageFormat?
    /// The size of the answer's picture.
    public var size: PixelSize?

    /// The request's number in the order in which requests were accepted.
    var number: UInt64 = 0
    /// The time and the memory for the answer. The time starts when the request is accepted.
    var budget = WorkBudget(time: nil)

    /// Creates an empty entry.
    public init() {}

    /// Creates the entry of a new request.
    init(_ request: ServiceRequest) {
        requestID = RequestIdentity.requestID(request.headers)
        traceParent = RequestIdentity.traceParent(request.headers)
    }
}
