public import WebImageCore

/// What a service did for one request: the material of an access log and of metrics.
public struct ServiceRecord: Sendable {
    /// What a target asks for.
    public enum Route: String, Sendable, CaseIterable {
        /// A picture by imgproxy's grammar.
        case imgproxy
        /// A picture by thumbor's grammar.
        case thumbor
        /// Facts about a source.
        case info
        /// Whether the process runs.
        case health
        /// Whether it takes requests.
        case ready
        /// Counters.
        case metrics
        /// Removal of results.
        case purge
        /// The start page.
        case start
        /// None of these.
        case none
    }

    /// Where the answer came from.
    public enum Outcome: String, Sendable, CaseIterable {
        /// Made for this request.
        case made
        /// Made for several requests at once, this one among them.
        case joined
        /// From the memory of results.
        case memory
        /// From the results on disk.
        case disk
        /// A result past its lifetime.
        case stale
        /// The client's copy is current (304).
        case notModified
        /// A remembered failure.
        case negative
        /// An error.
        case refused
        /// Something that is no picture.
        case page
    }

    /// A part of the work that is measured.
    public enum Stage: String, Sendable, CaseIterable {
        /// Waiting for a place among the workers.
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

    /// Identifies the request in logs: the client's `X-Request-Id` if it is one, else made.
    public var requestID = ""
    /// The trace context of the request (W3C `traceparent`), if it was well formed.
    public var traceParent: String?
    /// What was asked for.
    public var route = Route.none
    /// Where the answer came from.
    public var outcome = Outcome.refused
    /// The source's URL without user information and query; nil for other routes.
    public var source: String?
    /// The reason of a refusal as one word for metrics (`signature`, `option`, `queue` …); nil for success.
    public var reason: String?
    /// The words for a log; never holds a secret.
    public var message: String?
    /// Time of the stages that ran for this request, not for one it joined.
    public var stages: [Stage: Duration] = [:]
    /// From the request to the answer.
    public var duration = Duration.zero
    /// Bytes of the source that were read or fetched.
    public var sourceByteCount: Int?
    /// The format of the answer's picture.
    public var format: ImageFormat?
    /// The size of the answer's picture.
    public var size: PixelSize?

    /// The request's place in the order of requests.
    var number: UInt64 = 0

    /// An empty record.
    public init() {}
}
