public import Foundation

/// One stage of one load, from its begin to its end. In tracing this is called a span.
public struct WebImageStageSpan: Sendable, Hashable {
    /// Identifies the stage. Unique in the process, increasing and never 0.
    public let id: UInt64
    /// The ``id`` of the `.load` span of the load that the stage runs for. For `.load`, its own ``id``.
    ///
    /// A shared task is attributed to the load that started it. This remains so if that load is cancelled while other
    /// loads wait for the task. A stage can therefore end after its load.
    public let loadID: UInt64
    /// The kind of stage.
    public let stage: WebImageLoadStage
    /// The URL of the load, unchanged. User information and query may be secrets. The `redacted` form of the URL has
    /// neither.
    public let url: URL

    /// The span that contains this one, which is always the `.load` span (``loadID``); nil for `.load`. Other stages
    /// contain no spans: they run one after another within one load.
    public var parentID: UInt64? { stage == .load ? nil : loadID }
}
