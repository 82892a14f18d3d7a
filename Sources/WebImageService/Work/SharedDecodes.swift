import Dispatch
import WebImageCore

/// One decode for concurrent jobs that need the same source, at the largest of their sizes.
///
/// A job is known here before its source is fetched, so that the first decode of a source can serve all jobs that wait for
/// it. A job that finds a running decode of another job waits for it on its own thread of the decode pool. The running
/// decode already has a thread, so the wait cannot deadlock. A decoded picture is held while another job of its source is
/// running.
final class SharedDecodes: Sendable {
    /// A decode of one source: its size, in the upright picture, and all that must be equal to share it.
    struct Key: Hashable, Sendable {
        /// Decides everything but the size.
        var options: DecodingOptions
        var isUpright: Bool
        var size: PixelSize

        /// Whether a picture decoded for this key can be scaled down to the other one: both are the whole picture.
        func covers(_ other: Key) -> Bool {
            options == other.options && isUpright == other.isUpright && size.width >= other.size.width
                && size.height >= other.size.height
        }
    }

    private final class Slot: Sendable {
        let version: String
        let key: Key
        private let result = Locked<Result<Image, any Error>?>(nil)
        private let group = DispatchGroup()

        init(_ version: String, _ key: Key) {
            self.version = version
            self.key = key
            group.enter()
        }

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
        /// The decodes that running jobs will need, if the header tells.
        var wanted: [ObjectIdentifier: @Sendable (ImageInfo) -> Key?] = [:]
        var slots: [Slot] = []
    }

    private let state = Locked<[String: Jobs]>([:])

    /// The maximum size of a decode that is larger than its own job needs: 64 MB in memory.
    private static let sharedPixelCount = 16 << 20

    /// A running job; ends when released.
    final class Job: Sendable {
        private let decodes: SharedDecodes
        private let source: String

        fileprivate init(_ decodes: SharedDecodes, _ source: String, _ wanted: @escaping @Sendable (ImageInfo) -> Key?)
        {
            self.decodes = decodes
            self.source = source
            decodes.state.withLock { $0[source, default: Jobs()].wanted[ObjectIdentifier(self)] = wanted }
        }

        deinit { decodes.leave(source, ObjectIdentifier(self)) }

        /// The picture at the key's size or a larger one, decoded by this job or by another one. Blocks.
        ///
        /// - Parameters:
        ///   - version: Identifies the bytes of the source.
        ///   - info: The header of the source.
        ///   - decode: Decodes for a key.
        /// - Returns: The picture and whether this job decoded it.
        func image(
            _ key: Key, version: String, info: ImageInfo, decode: (Key) throws -> Image
        ) throws -> (image: Image, isOwn: Bool) {
            // The sizes that the other jobs need are computed outside the lock.
            let others = decodes.wanted(source, besides: ObjectIdentifier(self))
            let largest = others.compactMap { $0(info) }
                .filter { $0.covers(key) && $0.size.pixelCount <= SharedDecodes.sharedPixelCount }
                .max { $0.size.pixelCount < $1.size.pixelCount }
            guard let (slot, isFirst) = decodes.slot(source, version, key, largest ?? key) else {
                return (try decode(key), true)
            }
            guard isFirst else { return (try slot.wait(), false) }
            let result = Result { try decode(slot.key) }
            slot.finish(result)
            decodes.forget(source, slot, evenIfShared: (try? result.get()) == nil)
            return (try result.get(), true)
        }
    }

    /// Begins a job of a source.
    ///
    /// - Parameter wanted: The decode that the job will need, found by the header alone; nil if that is not known.
    func begin(_ source: String, wanted: @escaping @Sendable (ImageInfo) -> Key?) -> Job { Job(self, source, wanted) }

    /// The number of sources with running jobs.
    var count: Int { state.withLock { $0.count } }

    private func wanted(_ source: String, besides job: ObjectIdentifier) -> [@Sendable (ImageInfo) -> Key?] {
        state.withLock { state in state[source]?.wanted.filter { $0.key != job }.map(\.value) ?? [] }
    }

    /// Nil for a job that runs alone: nothing is held for it.
    private func slot(
        _ source: String, _ version: String, _ key: Key, _ largest: Key
    ) -> (Slot, isFirst: Bool)? {
        state.withLock { state in
            guard var jobs = state[source], jobs.wanted.count > 1 else { return nil }
            if let slot = jobs.slots.first(where: { $0.version == version && $0.key.covers(key) }) {
                return (slot, false)
            }
            let slot = Slot(version, largest)
            jobs.slots.append(slot)
            state[source] = jobs
            return (slot, true)
        }
    }

    private func forget(_ source: String, _ slot: Slot, evenIfShared: Bool) {
        state.withLock { state in
            guard evenIfShared || state[source]?.wanted.count ?? 0 < 2 else { return }
            state[source]?.slots.removeAll { $0 === slot }
        }
    }

    private func leave(_ source: String, _ job: ObjectIdentifier) {
        let freed = state.withLock { state -> Jobs? in
            state[source]?.wanted[job] = nil
            guard state[source]?.wanted.isEmpty == true else { return nil }
            return state.removeValue(forKey: source)
        }
        withExtendedLifetime(freed) {}
    }
}
