import Foundation
import WebImageCore

/// Runs the blocking reads of the local loaders on at most 4 threads, outside Swift's cooperative pool.
enum LoaderQueue {
    private static let pool = UserCodePool(name: "webimage.files", width: 4, most: 4)

    /// Runs `work` on one of the threads. If the caller's task is cancelled, the caller resumes immediately with
    /// `.cancelled`. If `work` is already running, it continues. Its argument `isCancelled` then returns true, so that
    /// `work` can end early.
    static func run(
        _ load: ImageDataLoad,
        _ work: @escaping @Sendable (_ isCancelled: @Sendable () -> Bool) -> Result<ImageDataResult, WebImageError>
    ) async throws(WebImageError) -> ImageDataResult {
        let completion = Completion<Result<ImageDataResult, WebImageError>>()
        let result = await withTaskCancellationHandler {
            await withValueContinuation { continuation in
                completion.whenCompleted { continuation.resume(returning: $0) }
                guard !completion.isCompleted else { return }
                pool.submit(priority: load.priority) {
                    guard !completion.isCompleted else { return }
                    completion.complete(with: work { completion.isCompleted })
                }
            }
        } onCancel: {
            completion.cancel(with: .failure(.cancelled.with(url: load.url)))
        }
        return try result.get()
    }
}

extension ImageDataLoad {
    /// The maximum number of encoded bytes of this load. The value comes from the decoding limits in the context or, if
    /// there are none, from the default limits.
    package var maxEncodedBytes: Int {
        request.limits?.maxEncodedBytes
            ?? DecodingLimits.default.maxEncodedBytes
    }
}
