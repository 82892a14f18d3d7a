import Foundation

/// The decoded frames of one animation. All players of the animation share the store.
///
/// The store's share of the process's memory budget limits the number of frames in the store. One frame is always
/// allowed. The window is the number of upcoming frames to decode ahead. The window is initially 1. It doubles each
/// time all frames in the window are decoded, up to the maximum number of frames. The decode pool decodes one frame of
/// the store at a time, in playback order, and only while a player requests frames. All methods are safe on any thread.
package final class FrameStore: Sendable {
    /// A frame whose decode has failed.
    private struct Failure {
        var count = 0
        /// The time on the registry's clock at which the frame may be decoded again.
        var retry = Duration.zero

        /// Records a failure. A cause can pass: memory was short, or a decoder process had ended. A damaged frame fails at each
        /// retry, so the delay doubles, from 5 s to 320 s.
        mutating func fail(at now: Duration) {
            retry = now + .seconds(5 << min(count, 6))
            count += 1
        }
    }

    private struct State {
        var frames: [Int: Image] = [:]
        var frameBytes = 0
        var isDecoding = false
        /// The number of calls of `removeAllFrames`. If this number changes during a decode, the decoded frame is
        /// discarded.
        var generation = 0
        var failures: [Int: Failure] = [:]
        /// The number of upcoming frames to decode ahead.
        var window = 1
        /// The memory limit in bytes that a player set for the frames. If nil, the share of the budget applies.
        var limit: Int?
        var wanted: [Int] = []
        var decodeCount = 0
        var decodeSeconds = 0.0

        /// Returns the maximum number of frames in memory, at least one. If `limit` is set, the frames must fit into
        /// `limit`, and `capacity` is ignored. Otherwise the frames and the decoder's canvases together must fit into
        /// `capacity`, which is the store's share of the budget in bytes.
        func fits(_ capacity: Int) -> Int {
            guard frameBytes > 0 else { return 1 }
            return max(1, limit.map { $0 / frameBytes } ?? (capacity / frameBytes - FrameStore.workingFrames))
        }
    }

    /// The assumed number of canvases in the memory of a decoder. Each canvas has the size of a frame. The decoder
    /// draws on one canvas. The other canvas is a copy of an earlier frame; later frames are drawn over such a copy.
    private static let workingFrames = 2

    package let provider: any AnimatedImageProvider
    /// The key of this store in the registry. It is the identity of the provider.
    let key: RoleIdentity
    private let registry: FrameStoreRegistry
    private let state = Locked(State())

    init(provider: any AnimatedImageProvider, key: RoleIdentity, registry: FrameStoreRegistry) {
        self.provider = provider
        self.key = key
        self.registry = registry
    }

    /// The number of frames in memory.
    var currentFrameCount: Int { state.withLock { $0.frames.count } }
    /// The number of decodes that have ended since the store was created, including failed decodes.
    package var decodeCount: Int { state.withLock { $0.decodeCount } }
    /// The memory of the frames in bytes.
    package var byteCount: Int { state.withLock { $0.frames.count * $0.frameBytes } }
    /// The moving average of the duration of a decode on the decode pool, in seconds; 0 before the first decode.
    package var decodeSeconds: Double { state.withLock { $0.decodeSeconds } }
    /// The memory in bytes for all frames of the animation and the decoder's canvases. The size of a frame is unknown
    /// before the first decode. Until then, 1 byte is assumed.
    var need: Int {
        let frames = Playback.frames(provider.animatedImageFrameCount) + Self.workingFrames
        let (bytes, overflow) = state.withLock { max($0.frameBytes, 1).multipliedReportingOverflow(by: frames) }
        return overflow ? .max : bytes
    }

    package func frame(at index: Int) -> Image? { state.withLock { $0.frames[index] } }

    /// Whether playback can continue with this frame immediately. This is the case if the frame is in memory, or if its
    /// decode has failed.
    package func isReady(_ index: Int) -> Bool {
        state.withLock { $0.frames[index] != nil || $0.failures[index] != nil }
    }

    /// Sets the memory limit for the frames in bytes. The limit replaces the share of the budget. If `bytes` is nil,
    /// the share applies.
    func setLimit(_ bytes: Int?) { state.withLock { $0.limit = bytes } }

    /// Copies frames from another store of the same animation into this store until this store is full.
    func adoptFrames(of other: FrameStore) {
        let (frames, frameBytes) = other.state.withLock { ($0.frames, $0.frameBytes) }
        state.withLock { $0.frameBytes = max($0.frameBytes, frameBytes) }
        let capacity = registry.capacity(of: self)
        state.withLock { state in
            for (index, frame) in frames.sorted(by: { $0.key < $1.key }) where state.frames[index] == nil {
                guard state.frames.count < state.fits(capacity) else { return }
                state.frames[index] = frame
            }
            state.window = max(state.window, min(state.frames.count, state.fits(capacity)))
        }
    }

    func removeAllFrames() {
        let dropped = state.withLock { state in
            state.generation += 1
            defer { (state.frames, state.window) = ([:], 1) }
            return state.frames
        }
        _ = dropped
    }

    /// Releases all frames except the next frame to show, and reduces the window to one frame.
    func trim() {
        let dropped = state.withLock { state -> [Int: Image] in
            state.window = 1
            let kept = state.wanted.first.flatMap { index in state.frames[index].map { [index: $0] } } ?? [:]
            defer { state.frames = kept }
            return state.frames
        }
        _ = dropped
    }

    /// Releases the frames that exceed a share of the budget in bytes.
    func shrink(to capacity: Int) {
        let dropped = state.withLock { Self.evict(&$0, fits: $0.fits(capacity), $0.wanted) }
        _ = dropped
    }

    /// Starts to decode the first missing frame of the window, unless a decode is running. A frame whose decode has failed
    /// is decoded again after a delay. Evicts frames that exceed the capacity. Players call this method when they start and at each tick.
    ///
    /// - Parameter upcoming: the indices of the upcoming frames in playback order. The window is the start of this
    ///   list.
    package func prefetch(_ upcoming: [Int]) {
        let (capacity, now) = (registry.capacity(of: self), registry.clock.now)
        let (next, generation, dropped) = state.withLock { state -> (Int?, Int, [Image]) in
            let fits = state.fits(capacity)
            state.wanted = Array(upcoming.prefix(min(fits, state.window)))
            if state.window < fits, state.wanted.allSatisfy({ state.frames[$0] != nil }) {
                state.window = min(state.window * 2, fits)
                state.wanted = Array(upcoming.prefix(min(fits, state.window)))
            }
            let dropped = Self.evict(&state, fits: fits, upcoming)
            guard !state.isDecoding,
                let next = state.wanted.first(where: {
                    state.frames[$0] == nil && state.failures[$0, default: Failure()].retry <= now
                })
            else { return (nil, 0, dropped) }
            state.isDecoding = true
            return (next, state.generation, dropped)
        }
        _ = dropped
        if let next { decode(next, generation) }
    }

    /// Returns a frame. If the frame is not in memory, decodes it on the calling thread. Players call this method to
    /// seek.
    func decodeNow(_ index: Int) -> Image? {
        if let known = frame(at: index) { return known }
        let generation = state.withLock { $0.generation }
        let image = provider.animatedImageFrame(at: index)
        keep(image, at: index, generation, seconds: nil)
        return image
    }

    /// Evicts frames until at most `fits` frames are left, and returns the evicted frames. Frames that are not in
    /// `upcoming` are evicted first. Then the frames at the end of `upcoming` are evicted.
    private static func evict(_ state: inout State, fits: Int, _ upcoming: [Int]) -> [Image] {
        guard state.frames.count > fits else { return [] }
        let rank = Dictionary(uniqueKeysWithValues: upcoming.enumerated().map { ($1, $0) })
        let ordered = state.frames.keys.sorted { rank[$0] ?? .max > rank[$1] ?? .max }
        return ordered.prefix(state.frames.count - fits).compactMap { state.frames.removeValue(forKey: $0) }
    }

    private func decode(_ index: Int, _ generation: Int) {
        Task.detached { [weak self, provider, pool = registry.decodePool] in
            let start = ContinuousClock.now
            let image = try? await pool.run { () throws(WebImageError) in
                provider.animatedImageFrame(at: index)
            }
            let time = ContinuousClock.now - start
            let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
            self?.keep(image ?? nil, at: index, generation, seconds: seconds)
        }
    }

    private func keep(_ image: Image?, at index: Int, _ generation: Int, seconds: Double?) {
        let now = registry.clock.now
        state.withLock { state in
            state.decodeCount += 1
            if let seconds {
                state.isDecoding = false
                state.decodeSeconds = state.decodeSeconds == 0 ? seconds : state.decodeSeconds * 0.7 + seconds * 0.3
            }
            guard generation == state.generation else { return }
            guard let image else {
                state.failures[index, default: Failure()].fail(at: now)
                return
            }
            state.failures[index] = nil
            state.frames[index] = image
            state.frameBytes = max(state.frameBytes, image.pixels.byteCount)
        }
    }
}

/// Divides one memory budget among all frame stores of the process.
package enum FrameBudget {
    /// The default budget in bytes. It is 10 % of the machine's memory, but at most 256 MiB.
    package static var automatic: Int { min(Int(ProcessInfo.processInfo.physicalMemory / 10), 256 << 20) }

    /// Returns the share of each store in bytes, in the order of `needs`. A store that needs less than an equal share
    /// receives all that it needs. The other stores receive equal parts of the remaining budget.
    package static func allot(_ needs: [Int], of budget: Int) -> [Int] {
        var shares = [Int](repeating: 0, count: needs.count)
        var left = max(budget, 0)
        var waiting = needs.count
        for index in needs.indices.sorted(by: { needs[$0] < needs[$1] }) {
            shares[index] = min(max(needs[index], 0), left / waiting)
            left -= shares[index]
            waiting -= 1
        }
        return shares
    }
}
