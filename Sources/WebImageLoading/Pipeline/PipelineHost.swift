public import Foundation
import WebImageCore

/// The functions of the manager that its pipeline uses: the state of the manager, the decisions of the delegate, the
/// reports to the listener and the list of failed URLs.
protocol PipelineHost: AnyObject, Sendable {
    /// Whether the manager is shut down. New loads then end with `.cancelled`.
    var isShutDown: Bool { get }
    /// Whether the manager has a delegate, which can refuse downloads and change images.
    var hasDelegate: Bool { get }
    /// Returns whether the delegate allows the download of the original.
    func mayDownload(_ url: URL) -> Bool
    /// Returns the image that the delegate returns for `image`; nil if the delegate rejects `image`. Runs user code.
    func changed(_ image: Image, from url: URL) -> Image?
    /// Returns whether a failed URL must be remembered and not tried again. If there is a delegate, the delegate
    /// decides. Otherwise returns `loaderBlocks`, the decision of the loader.
    func blocks(_ url: URL, after error: WebImageError, loaderBlocks: Bool) -> Bool
    /// Returns the error of a failed URL; nil if the loader may be used.
    func failure(of url: URL, in scope: CacheScope) -> WebImageError?
    func rememberFailure(_ error: WebImageError, of url: URL, in scope: CacheScope)
    func forgetFailure(of url: URL, in scope: CacheScope)
    /// Adds `amount` to the number of pending writes. A shutdown waits until this number is zero.
    func changePendingStores(by amount: Int)
    /// Reports the start of a stage to the listener. Returns nil if there is no listener.
    func observation(of stage: WebImageLoadStage, _ url: URL, in loadID: UInt64) -> StageObservation?
}

/// A running stage whose start was reported to the listener.
final class StageObservation: Sendable {
    let span: WebImageStageSpan
    private let joined = Locked<[UInt64]>([])
    private let ended: @Sendable (StageSummary, WebImageError?, _ joinedLoadIDs: [UInt64]) -> Void

    /// - Parameter ended: Reports the end of the stage to the listener.
    init(
        _ span: WebImageStageSpan,
        ended: @escaping @Sendable (StageSummary, WebImageError?, _ joinedLoadIDs: [UInt64]) -> Void
    ) {
        self.span = span
        self.ended = ended
    }

    /// Identifies the load to the shared tasks that the load starts or joins. If the load joins a shared task of
    /// another load, records the id of that other load.
    var origin: SharedTaskOrigin {
        SharedTaskOrigin(id: span.loadID) { [joined, own = span.loadID] id in
            joined.withLock { if id != own, !$0.contains(id) { $0.append(id) } }
        }
    }

    /// Reports the end of the stage.
    func end(_ summary: StageSummary, _ error: WebImageError?) { ended(summary, error, joined.withLock { $0 }) }
}

/// The result of a stage, as values for the report of the stage.
struct StageSummary: Sendable {
    var byteCount: Int?
    var origin: ImageCacheType?
    var image: Image?
    var statusCode: Int?
    var workerTimes: DecoderWorkerTimes?
}

extension LoadPlan {
    /// Reports the start of a stage to the listener. Returns nil if there is no listener, or if there was no listener
    /// when the load started.
    func observation(of stage: WebImageLoadStage) -> StageObservation? {
        observation.flatMap { host.observation(of: stage, url, in: $0.span.loadID) }
    }

    /// Runs a stage. If there is a listener, reports the start and the end of the stage.
    func observed<Value>(
        _ stage: WebImageLoadStage, _ summary: (Value) -> StageSummary,
        _ body: () async throws(WebImageError) -> Value
    ) async throws(WebImageError) -> Value {
        guard let observation = observation(of: stage) else { return try await body() }
        do throws(WebImageError) {
            let value = try await body()
            observation.end(summary(value), nil)
            return value
        } catch {
            observation.end(StageSummary(), error)
            throw error
        }
    }
}

/// A stage of a load.
public enum WebImageLoadStage: String, Sendable, Hashable, CaseIterable {
    /// The lookup in memory.
    case memory
    /// The read of a disk entry.
    case disk
    /// The fetch by a loader.
    case download
    /// The decoding of bytes into pixels.
    case decode
    /// The run of one transformer.
    case transform
    /// Passing the result to the caches. With `.waitStoreCache`, the stage ends when the caches have stored the result.
    case store
    /// The whole load, from call to final completion.
    case load
}

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
