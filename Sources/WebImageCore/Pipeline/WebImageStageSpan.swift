public import Foundation

/// One stage of one load, from its begin to its end; a span in terms of tracing.
public struct WebImageStageSpan: Sendable, Hashable {
    /// Identifies the stage. Unique in the process, increasing and never 0.
    public let id: UInt64
    /// The ``id`` of the `.load` span of the load that the stage runs for. For `.load`, its own ``id``.
    ///
    /// A shared task counts for the load that started it, also after that load was cancelled and other loads still wait for
    /// the task. A stage can therefore end after its load.
    public let loadID: UInt64
    /// The kind of stage.
    public let stage: WebImageLoadStage
    /// The URL of the load, unchanged. User information and query may be secrets; the `redacted` form has neither.
    public let url: URL

    /// The span that contains this one: ``loadID``; nil for `.load`. Stages contain no further spans: a thumbnail made from
    /// the original reads, downloads, decodes and stores in sequence within one load.
    public var parentID: UInt64? { stage == .load ? nil : loadID }
}
