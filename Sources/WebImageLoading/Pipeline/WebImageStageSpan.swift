public import Foundation
import WebImageCore

/// One stage of one load, from its start to its end. Tracing systems call such a stage a span.
public struct WebImageStageSpan: Sendable, Hashable {
    /// Identifies the stage. Unique in the process, increasing and never 0.
    public let id: UInt64
    /// The ``id`` of the `.load` span of the load to which this stage belongs. For a `.load` span, equal to ``id``.
    ///
    /// The stages of a shared task belong to the load that started the task, even if that load is cancelled while other
    /// loads wait for the task. A stage can therefore end after the load to which it belongs.
    public let loadID: UInt64
    /// The kind of stage.
    public let stage: WebImageLoadStage
    /// The URL of the load, unchanged. Its user information and query can contain secrets. The `redacted` form of the
    /// URL omits user information and query.
    public let url: URL

    /// The id of the span that contains this span. Nil for a `.load` span. For all other stages, this is the id of the
    /// `.load` span (``loadID``). These stages run one after another, so none of them contains another.
    public var parentID: UInt64? { stage == .load ? nil : loadID }
}
