import Foundation

/// Runs blocking reads of the local loaders, off the cooperative pool, a few at a time.
enum LoaderQueue {
    private static let queue: OperationQueue = {
        let queue = OperationQueue()
        queue.name = "webimage.loader.local"
        queue.maxConcurrentOperationCount = 4
        return queue
    }()

    /// Runs `work` on the queue; a cancel resumes at once with `.cancelled` and `work` sees it through its argument.
    static func run(
        _ load: ImageDataLoad,
        _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) -> Result<ImageDataResult, WebImageError>
    ) async throws(WebImageError) -> ImageDataResult {
        let waiter = Waiter()
        let result = await withTaskCancellationHandler {
            await withHandover { continuation in
                guard waiter.wait(continuation, url: load.url) else { return }
                let operation = BlockOperation {
                    guard !waiter.isEnded else { return }
                    waiter.end(work { waiter.isEnded })
                }
                operation.queuePriority = load.priority == .high ? .high : load.priority == .low ? .low : .normal
                queue.addOperation(operation)
            }
        } onCancel: {
            waiter.end(.failure(.cancelled.with(url: load.url)))
        }
        return try result.get()
    }

    /// One continuation, resumed once by whoever is first: the work or the cancel.
    private final class Waiter: Sendable {
        typealias Outcome = Result<ImageDataResult, WebImageError>
        private struct State {
            var continuation: Handover<Outcome>?
            var isEnded = false
        }

        private let state = Locked(State())

        var isEnded: Bool { state.withLock { $0.isEnded } }

        /// False, with the continuation resumed, when the cancel came first.
        func wait(_ continuation: Handover<Outcome>, url: URL) -> Bool {
            let isEnded = state.withLock { state in
                if !state.isEnded { state.continuation = continuation }
                return state.isEnded
            }
            if isEnded { continuation.resume(returning: .failure(.cancelled.with(url: url))) }
            return !isEnded
        }

        func end(_ outcome: Outcome) {
            let continuation = state.withLock { state in
                state.isEnded = true
                return state.continuation.take()
            }
            continuation?.resume(returning: outcome)
        }
    }
}

extension ImageDataLoad {
    /// The cap on the bytes of one load: the context's limits, else the default.
    package var maxEncodedBytes: Int {
        context?.read(.decodingLimits, as: DecodingLimits.self)?.maxEncodedBytes
            ?? DecodingLimits.default.maxEncodedBytes
    }
}
