import Foundation
import WebImageCore

/// Runs the blocking reads of the local loaders on at most 4 threads, outside Swift's cooperative pool.
enum LoaderQueue {
    private struct Job {
        let id: UInt64
        let work: @Sendable () -> Void
    }

    private struct Waiting {
        var jobs = PriorityQueue<Job>()
        var lastID: UInt64 = 0
    }

    // Do not use an OperationQueue, because it uses the threads of Swift's cooperative pool. A slow file system would
    // then delay the tasks of the program.
    private static let threads = WorkerThreads(name: "webimage.files", most: 4)
    private static let waiting = Locked(Waiting())

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
                add(load.priority) {
                    guard !completion.isCompleted else { return }
                    completion.complete(with: work { completion.isCompleted })
                }
            }
        } onCancel: {
            completion.cancel(with: .failure(.cancelled.with(url: load.url)))
        }
        return try result.get()
    }

    private static func add(_ priority: LoadPriority, _ work: @escaping @Sendable () -> Void) {
        waiting.withLock { waiting in
            waiting.lastID += 1
            let job = Job(id: waiting.lastID, work: work)
            waiting.jobs.append(job, id: job.id, priority: priority)
        }
        threads.wake {
            waiting.withLock { waiting in
                guard let job = waiting.jobs.first else { return nil }
                return waiting.jobs.remove(job.id)?.work
            }
        }
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
