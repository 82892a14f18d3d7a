import Foundation
import WebImageCore

extension WebImageManager {
    /// Ends the manager's work. Cancels every load, waits for the pending writes, then flushes the cache. Loads that
    /// begin after this call end with `.cancelled`.
    ///
    /// - Parameter deadline: The maximum duration of this call.
    /// - Returns: Whether the loads, the writes and the flush finished before the deadline. False also if the
    ///   surrounding task was cancelled before the loads and writes finished. Unfinished work continues in the
    ///   background.
    @discardableResult
    public func shutdown(deadline: Duration = .seconds(5)) async -> Bool {
        let end = ContinuousClock.now + NumberLimits.finite(deadline)
        shutDown()
        cancelAll()
        while isRunning || ownsPipeline && sharedTaskCount > 0 || pendingStoreCount > 0 {
            guard ContinuousClock.now < end else { return false }
            try? await Task.sleep(for: .milliseconds(2))
            if Task.isCancelled { return false }
        }
        let cache = settings.roles.cache
        guard cache.isFlushable else { return true }
        return await withValueContinuation { continuation in
            let completion = Completion<Bool> { continuation.resume(returning: $0) }
            Task.detached {
                await cache.flush()
                completion.complete(with: true)
            }
            Task.detached {
                try? await Task.sleep(until: end, clock: .continuous)
                completion.complete(with: false)
            }
        }
    }
}
