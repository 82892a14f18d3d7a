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
        let completion = Completion<Result<ImageDataResult, WebImageError>>()
        let result = await withTaskCancellationHandler {
            await withHandover { continuation in
                completion.whenCompleted { continuation.resume(returning: $0) }
                guard !completion.isCompleted else { return }
                let operation = BlockOperation {
                    guard !completion.isCompleted else { return }
                    completion.complete(with: work { completion.isCompleted })
                }
                operation.queuePriority = load.priority == .high ? .high : load.priority == .low ? .low : .normal
                queue.addOperation(operation)
            }
        } onCancel: {
            completion.cancel(with: .failure(.cancelled.with(url: load.url)))
        }
        return try result.get()
    }
}

extension ImageDataLoad {
    /// The cap on the bytes of one load: the context's limits, else the default.
    package var maxEncodedBytes: Int {
        requestContext.decodingLimits?.maxEncodedBytes
            ?? DecodingLimits.default.maxEncodedBytes
    }
}
