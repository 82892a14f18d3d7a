public import Foundation

/// One stage of one load, from its begin to its end: what a trace calls a span.
public struct WebImageStageSpan: Sendable, Hashable {
    /// Identifies the stage: unique in the process, never 0, growing.
    public let id: UInt64
    /// The ``id`` of the `.load` span of the load that the stage runs for; its own ``id`` for `.load`.
    ///
    /// Work that several loads share runs for the load that started it, also after that load was cancelled and others
    /// wait for the work. It can therefore end after that load.
    public let loadID: UInt64
    /// Which part.
    public let stage: WebImageLoadStage
    /// The URL that the load asks for, as given: with user information and query, which may be secrets. Its `redacted`
    /// form has neither.
    public let url: URL

    /// The span that this one is a part of: ``loadID``; nil for `.load`. The stages of a load have no parts of their own:
    /// a thumbnail made from the original reads, downloads, decodes and stores in sequence within one load.
    public var parentID: UInt64? { stage == .load ? nil : loadID }
}
