import Foundation

/// Runs the blocking reads of the local loaders on at most 4 threads, outside the cooperative pool.
enum LoaderQueue {
    private struct Job {
        let id: UInt64
        let work: @Sendable () -> Void
    }

    private struct Waiting {
        var jobs = PriorityQueue<Job>()
        var lastID: UInt64 = 0
    }

    // Do not use an OperationQueue: it runs on the threads of Swift's cooperative pool, so that a slow file system
    // would delay the program's tasks.
    private static let threads = WorkerThreads(name: "webimage.files", most: 4)
    private static let waiting = Locked(Waiting())

    /// Runs `work` on one of the threads. After a cancel, the caller resumes immediately with `.cancelled`, and `work`
    /// continues until it calls its argument, which then returns true.
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
    /// The maximum number of encoded bytes of one load, from the context's decoding limits or the default limits.
    package var maxEncodedBytes: Int {
        requestContext.decodingLimits?.maxEncodedBytes
            ?? DecodingLimits.default.maxEncodedBytes
    }
}
