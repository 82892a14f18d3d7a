import Dispatch
import WebImageCore

/// Shares one decode among concurrent jobs that need the same source. The size of the decode is the largest of the
/// sizes that the jobs need.
///
/// A job registers before its source is fetched, so that the first decode of the source can serve all jobs that wait
/// for the source. If another job already runs a suitable decode, a job waits for this decode. The wait blocks a thread
/// of the decode pool. It cannot deadlock, because the running decode already has its own thread. A decoded picture is
/// kept while another job of the same source runs. All kept pictures together have a limited size: without it, requests
/// for ever new sizes of one source would keep all of these sizes.
final class SharedDecodes: Sendable {
    /// Describes a decode of one source. Jobs can share a decode only if `options` and `isUpright` are equal.
    struct Key: Hashable, Sendable {
        /// The options of the decode without the size.
        var options: DecodingOptions
        var isUpright: Bool
        /// The size of the upright result of the decode in pixels.
        var size: PixelSize
        /// The smallest size of the whole upright picture from which the result can be scaled without a visible loss:
        /// twice the result's scale, or the full size. Nil if the result is scaled from a picture of ``size`` anyway.
        var sharedSize: PixelSize?
        /// The part of the upright picture that is decoded; nil means the whole picture.
        var region: PixelRegion?

        /// Whether a picture that is decoded for this key serves the job of the other key.
        func covers(_ other: Key) -> Bool {
            guard options == other.options, isUpright == other.isUpright else { return false }
            if size == other.size, region == other.region { return true }
            let needed = other.sharedSize ?? other.size
            return region == nil && size.width >= needed.width && size.height >= needed.height
        }

        /// The decode that serves this job and others.
        var shared: Key {
            Key(options: options, isUpright: isUpright, size: sharedSize ?? size)
        }

        /// The options of the decode with the size. `info` is the header of the source.
        func decoding(of info: ImageInfo) -> DecodingOptions {
            var decoding = options
            if region != nil || size != info.pixelSize {
                decoding.thumbnailPixelSize = size
                decoding.preserveAspectRatio = false
                decoding.sourceRegion = region
            }
            return decoding
        }
    }

    /// A decoded picture, and whether it shows only the region of its key.
    typealias Picture = (image: Image, isCut: Bool)

    private final class Slot: Sendable {
        let version: String
        let key: Key
        private let result = Locked<Result<Picture, any Error>?>(nil)
        private let group = DispatchGroup()

        init(_ version: String, _ key: Key) {
            self.version = version
            self.key = key
            group.enter()
        }

        func finish(_ value: Result<Picture, any Error>) {
            result.withLock { $0 = value }
            group.leave()
        }

        /// Waits for the decode, or until the budget has ended.
        func wait(_ budget: WorkBudget) throws -> Picture {
            while group.wait(timeout: .now() + .milliseconds(20)) == .timedOut { try budget.check() }
            guard let value = result.withLock({ $0 }) else { throw WebImageError.cancelled }
            return try value.get()
        }
    }

    private struct Jobs {
        /// One function for each running job. The function receives the header of the source and returns the key of the
        /// decode that the job needs.
        var wanted: [ObjectIdentifier: @Sendable (ImageInfo) -> Key?] = [:]
        var slots: [Slot] = []
    }

    private struct State {
        var jobs: [String: Jobs] = [:]
        /// The kept decodes of all sources, the oldest first.
        var kept: [(source: String, slot: Slot)] = []
        var keptByteCount = 0

        /// Keeps a decode. Forgets the oldest decodes while the kept ones exceed the limit.
        mutating func keep(_ slot: Slot, _ source: String, limit: Int) -> [Slot] {
            jobs[source]?.slots.append(slot)
            kept.append((source, slot))
            keptByteCount += slot.key.size.byteCount(4)
            var freed: [Slot] = []
            while keptByteCount > limit, kept.count > 1, let oldest = kept.first {
                forget(oldest.slot, oldest.source)
                freed.append(oldest.slot)
            }
            return freed
        }

        /// Forgets a decode. Jobs that wait for it or use its picture are not affected.
        mutating func forget(_ slot: Slot, _ source: String) {
            jobs[source]?.slots.removeAll { $0 === slot }
            guard let index = kept.firstIndex(where: { $0.slot === slot }) else { return }
            kept.remove(at: index)
            keptByteCount -= slot.key.size.byteCount(4)
        }
    }

    private let state = Locked(State())
    private let keptLimit: Int

    /// - Parameter keptBytes: The maximum size of all kept pictures in bytes. The newest picture is kept even if it is
    ///   larger.
    init(keptBytes: Int = 64 << 20) { keptLimit = keptBytes }

    /// The size of all kept pictures in bytes.
    var keptByteCount: Int { state.withLock { $0.keptByteCount } }

    /// The maximum number of pixels of a decode that is enlarged to serve other jobs: 16 megapixels, which use 64 MB of
    /// memory.
    private static let sharedPixelCount = 16 << 20

    /// A running job. It ends with ``end()``, at the latest when the object is released.
    final class Job: Sendable {
        private let decodes: SharedDecodes
        private let source: String

        fileprivate init(_ decodes: SharedDecodes, _ source: String, _ wanted: @escaping @Sendable (ImageInfo) -> Key?)
        {
            self.decodes = decodes
            self.source = source
            decodes.state.withLock { $0.jobs[source, default: Jobs()].wanted[ObjectIdentifier(self)] = wanted }
        }

        deinit { end() }

        /// Ends the job before its answer is sent. A thread of the decode pool can release the object later than the
        /// client receives the answer. Until then a following request would share the decode of this job, so its pixels
        /// would depend on the time of the release.
        func end() { decodes.leave(source, ObjectIdentifier(self)) }

        /// Returns the picture that the key describes, or the whole picture at its shared size or a larger size. This job
        /// or another job decodes it. Blocks.
        ///
        /// - Parameters:
        ///   - version: Identifies the bytes of the source.
        ///   - info: The information in the header of the source.
        ///   - budget: Ends a wait. The decode itself ends with the budget of the job that runs it.
        ///   - decode: Decodes the picture that a key describes.
        /// - Returns: The picture and whether this job decoded it.
        func image(
            _ key: Key, version: String, info: ImageInfo, budget: WorkBudget, decode: (Key) throws -> Picture
        ) throws -> (picture: Picture, isOwn: Bool) {
            // Read the functions under the lock, but call them outside the lock.
            let others = decodes.wanted(source, besides: ObjectIdentifier(self)).compactMap { $0(info) }
            // Jobs of equal results share the decode of the result. Otherwise all results are scaled from one picture.
            let largest =
                others.allSatisfy { $0 == key }
                ? nil
                : (others + [key]).map(\.shared)
                    .filter { $0.covers(key) && $0.size.pixelCount <= SharedDecodes.sharedPixelCount }
                    .max { $0.size.pixelCount < $1.size.pixelCount }
            guard let (slot, isFirst) = decodes.slot(source, version, key, largest ?? key) else {
                return (try decode(key), true)
            }
            guard isFirst else {
                do { return (try slot.wait(budget), false) } catch let error as WebImageError where error.isCancellation
                {
                    // The clients of the other job have left, but the clients of this job wait. Decode again.
                    try budget.check()
                    decodes.forget(source, slot, evenIfShared: true)
                    return try image(key, version: version, info: info, budget: budget, decode: decode)
                }
            }
            let result = Result { try decode(slot.key) }
            slot.finish(result)
            decodes.forget(source, slot, evenIfShared: (try? result.get()) == nil)
            return (try result.get(), true)
        }
    }

    /// Begins a job of a source.
    ///
    /// - Parameter wanted: Receives the header of the source and returns the key of the decode that the job will need;
    ///   nil if this decode is not known.
    func begin(_ source: String, wanted: @escaping @Sendable (ImageInfo) -> Key?) -> Job { Job(self, source, wanted) }

    /// The number of sources with running jobs.
    var count: Int { state.withLock { $0.jobs.count } }

    private func wanted(_ source: String, besides job: ObjectIdentifier) -> [@Sendable (ImageInfo) -> Key?] {
        state.withLock { state in state.jobs[source]?.wanted.filter { $0.key != job }.map(\.value) ?? [] }
    }

    /// Returns the decode that the job shares, and whether the job must perform this decode. Returns nil if the source
    /// has neither a suitable decode nor another job. The job then decodes without sharing.
    private func slot(
        _ source: String, _ version: String, _ key: Key, _ largest: Key
    ) -> (Slot, isFirst: Bool)? {
        let (found, freed) = state.withLock { state -> ((Slot, isFirst: Bool)?, [Slot]) in
            guard let jobs = state.jobs[source] else { return (nil, []) }
            // Use an existing decode even if no other job is left. The other jobs may have ended before this job needs
            // the decode.
            if let slot = jobs.slots.first(where: { $0.version == version && $0.key.covers(key) }) {
                return ((slot, false), [])
            }
            guard jobs.wanted.count > 1 else { return (nil, []) }
            let slot = Slot(version, largest)
            return ((slot, true), state.keep(slot, source, limit: keptLimit))
        }
        withExtendedLifetime(freed) {}
        return found
    }

    private func forget(_ source: String, _ slot: Slot, evenIfShared: Bool) {
        state.withLock { state in
            guard evenIfShared || state.jobs[source]?.wanted.count ?? 0 < 2 else { return }
            state.forget(slot, source)
        }
    }

    private func leave(_ source: String, _ job: ObjectIdentifier) {
        let freed = state.withLock { state -> Jobs? in
            state.jobs[source]?.wanted[job] = nil
            guard let jobs = state.jobs[source], jobs.wanted.isEmpty else { return nil }
            for slot in jobs.slots { state.forget(slot, source) }
            state.jobs[source] = nil
            return jobs
        }
        withExtendedLifetime(freed) {}
    }
}
