import Dispatch
import WebImageCore

/// One decode for concurrent jobs that need the same source at the same size.
///
/// A job that finds a running decode of another job waits for it on its own thread of the decode pool. The running decode
/// already has a thread, so the wait cannot deadlock. A decoded picture is held while another job of its source is running.
final class SharedDecodes: Sendable {
    /// The identity of a decode of one source.
    struct Key: Hashable, Sendable {
        var options: DecodingOptions
        var isUpright: Bool
    }

    private final class Slot: Sendable {
        private let result = Locked<Result<Image, any Error>?>(nil)
        private let group = DispatchGroup()

        init() { group.enter() }

        func finish(_ value: Result<Image, any Error>) {
            result.withLock { $0 = value }
            group.leave()
        }

        func wait() throws -> Image {
            group.wait()
            guard let value = result.withLock({ $0 }) else { throw WebImageError.cancelled }
            return try value.get()
        }
    }

    private struct Jobs {
        var count = 0
        var slots: [Key: Slot] = [:]
    }

    private let state = Locked<[String: Jobs]>([:])

    /// A running job; ends when released.
    final class Job: Sendable {
        private let decodes: SharedDecodes
        private let version: String

        fileprivate init(_ decodes: SharedDecodes, _ version: String) {
            self.decodes = decodes
            self.version = version
        }

        deinit { decodes.leave(version) }

        /// The picture decoded as `key` describes, by this job or by another one. Blocks.
        ///
        /// - Returns: The picture and whether this job decoded it.
        func image(_ key: Key, decode: () throws -> Image) throws -> (image: Image, isOwn: Bool) {
            guard let (slot, isFirst) = decodes.slot(version, key) else { return (try decode(), true) }
            guard isFirst else { return (try slot.wait(), false) }
            let result = Result { try decode() }
            slot.finish(result)
            decodes.forget(version, key, evenIfShared: (try? result.get()) == nil)
            return (try result.get(), true)
        }
    }

    /// Begins a job of a source.
    func begin(_ version: String) -> Job {
        state.withLock { $0[version, default: Jobs()].count += 1 }
        return Job(self, version)
    }

    /// The number of sources with running jobs.
    var count: Int { state.withLock { $0.count } }

    /// Nil for a job that runs alone: nothing is held for it.
    private func slot(_ version: String, _ key: Key) -> (Slot, isFirst: Bool)? {
        state.withLock { state in
            guard var jobs = state[version], jobs.count > 1 else { return nil }
            if let slot = jobs.slots[key] { return (slot, false) }
            let slot = Slot()
            jobs.slots[key] = slot
            state[version] = jobs
            return (slot, true)
        }
    }

    private func forget(_ version: String, _ key: Key, evenIfShared: Bool) {
        let freed = state.withLock { state -> Slot? in
            guard evenIfShared || state[version]?.count ?? 0 < 2 else { return nil }
            return state[version]?.slots.removeValue(forKey: key)
        }
        withExtendedLifetime(freed) {}
    }

    private func leave(_ version: String) {
        let freed = state.withLock { state -> Jobs? in
            state[version]?.count -= 1
            guard state[version]?.count == 0 else { return nil }
            return state.removeValue(forKey: version)
        }
        withExtendedLifetime(freed) {}
    }
}
