package import Foundation
package import WebImageCore
package import WebImageLoading

/// Decides when a further worker may start. A pure value: the caller passes the time.
///
/// A worker that dies before it is ready would die again at once: the pause doubles from 0.1 s to 30 s. A worker that
/// dies in a decode is the fault of its picture; but after three such deaths within ten seconds only four workers a
/// second start, so that a page of hostile pictures cannot keep the machine busy with starts.
struct SandboxBackOff: Sendable {
    private var failedStarts = 0
    private var retryAt = Duration.zero
    /// The times of the last deaths in a decode, at most three.
    private var deaths: [Duration] = []
    private var lastStart: Duration?

    /// The time until which no worker may start; nil if one may start now.
    func pause(at now: Duration) -> Duration? {
        if now < retryAt { return retryAt - now }
        guard deaths.count == 3, let first = deaths.first, now - first < .seconds(10), let lastStart else { return nil }
        let next = lastStart + .milliseconds(250)
        return now < next ? next - now : nil
    }

    /// Whether the last start failed, so that callers must not wait for a worker.
    var isUnavailable: Bool { failedStarts > 0 }

    mutating func started(at now: Duration) {
        failedStarts = 0
        lastStart = now
    }

    mutating func failedToStart(at now: Duration) {
        failedStarts += 1
        retryAt = now + min(.milliseconds(100) * (1 << min(failedStarts - 1, 10)), .seconds(30))
    }

    mutating func died(at now: Duration) { deaths = (deaths + [now]).suffix(3) }
}

/// The decoder processes of one program.
///
/// A decode blocks its thread until a worker is free, as it would block during the decode itself. Workers start when
/// they are needed and end after an idle time or a number of pictures. A worker decodes pictures of one cache scope
/// only, because a worker that a picture took over sees the pictures that it decodes later.
package final class SandboxPool: Sendable {
    package struct Configuration: Sendable {
        package var worker = SandboxWorker.Configuration()
        /// The most workers at a time, over all profiles.
        package var mostWorkers = ProcessInfo.processInfo.activeProcessorCount
        /// The number of pictures after which a worker is replaced; 1: a process for each picture.
        package var picturesPerWorker = 500
        /// The time after which a worker without work ends.
        package var idleLifetime: Duration = .seconds(30)

        package init() {}
    }

    /// What the pool has done since it was made.
    package struct Statistics: Sendable, Equatable {
        package var workers = 0
        package var started = 0
        package var pictures = 0
        /// Workers that crashed, were killed at a deadline or violated the protocol.
        package var died = 0
        /// Workers that were replaced after their number of pictures.
        package var recycled = 0
        /// Workers that ended because they had no work, or made room for another profile or scope.
        package var retired = 0
    }

    /// Which pictures a worker may decode.
    private struct Kind: Hashable {
        var profile: SandboxProfile
        var scope: CacheScope
    }

    private struct Idle {
        var worker: SandboxWorker
        var kind: Kind
        var pictures: Int
        var since: Duration
    }

    private struct State {
        /// The workers without work, the longest idle first.
        var idle: [Idle] = []
        var statistics = Statistics()
        var backOff = SandboxBackOff()
        var isShutDown = false
        var timer: (any WebImageOperation)?
    }

    private enum Turn {
        case use(Idle)
        case start(replacing: Idle?)
        /// All workers are busy, or no worker may start yet.
        case wait(Duration?)
        case unavailable
    }

    private let configuration: Configuration
    private let clock: any DelayClock
    private let state = Locked(State())
    /// Signalled when a worker becomes free or a place for one.
    private let freed = NSCondition()

    package init(_ configuration: Configuration = Configuration(), clock: any DelayClock = SystemClock()) {
        self.configuration = configuration
        self.clock = clock
    }

    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// Decodes a picture in a worker. Blocks the calling thread.
    ///
    /// - Parameter scope: Whose picture it is. No worker decodes pictures of two scopes.
    /// - Throws: The error of ``SandboxWorker/decode(_:options:)``; `.fileSystem` if no worker can start.
    package func decode(
        _ data: Data, profile: SandboxProfile, scope: CacheScope = .shared, options: DecodingOptions
    ) throws(WebImageError) -> Image {
        // `unstored` bodies belong to unknown owners: no two of them share a worker.
        let kind = Kind(profile: profile, scope: scope)
        var lent = try worker(for: kind)
        do throws(WebImageError) {
            let image = try lent.worker.decode(data, options: options)
            lent.pictures += 1
            takeBack(lent)
            return image
        } catch {
            lent.pictures += 1
            takeBack(lent)
            throw error
        }
    }

    /// Ends the idle workers and refuses further pictures. Workers that decode end after their picture.
    package func shutDown() {
        let idle = state.withLock { state in
            state.isShutDown = true
            state.timer?.cancel()
            state.timer = nil
            state.statistics.workers -= state.idle.count
            defer { state.idle.removeAll() }
            return state.idle
        }
        // Ending a worker waits for its process; that happens here, outside the lock.
        withExtendedLifetime(idle) {}
        signal()
    }

    private func worker(for kind: Kind) throws(WebImageError) -> Idle {
        while true {
            switch state.withLock({ next(for: kind, &$0) }) {
            case .use(let idle): return idle
            case .start: return try start(kind)
            case .wait(let pause): wait(for: pause)
            case .unavailable:
                throw WebImageError(
                    .fileSystem, stage: .decode, underlying: .message("no decoder process can be started"),
                    hint: "Name a worker executable, or decode in this process.")
            }
        }
    }

    private func next(for kind: Kind, _ state: inout State) -> Turn {
        if state.isShutDown { return .unavailable }
        if let index = state.idle.lastIndex(where: { $0.kind == kind && $0.kind.scope != .unstored }) {
            return .use(state.idle.remove(at: index))
        }
        if let pause = state.backOff.pause(at: clock.now) {
            return state.backOff.isUnavailable ? .unavailable : .wait(pause)
        }
        var replaced: Idle?
        if state.statistics.workers >= configuration.mostWorkers {
            guard !state.idle.isEmpty else { return .wait(nil) }
            replaced = state.idle.removeFirst()
            state.statistics.workers -= 1
            state.statistics.retired += 1
        }
        state.statistics.workers += 1
        return .start(replacing: replaced)
    }

    private func start(_ kind: Kind) throws(WebImageError) -> Idle {
        do throws(WebImageError) {
            let worker = try SandboxWorker(kind.profile, configuration: configuration.worker)
            state.withLock { state in
                state.backOff.started(at: clock.now)
                state.statistics.started += 1
            }
            return Idle(worker: worker, kind: kind, pictures: 0, since: clock.now)
        } catch {
            state.withLock { state in
                state.backOff.failedToStart(at: clock.now)
                state.statistics.workers -= 1
            }
            signal()
            throw error
        }
    }

    private func takeBack(_ lent: Idle) {
        var lent = lent
        let isUsable = lent.worker.isUsable
        state.withLock { state in
            state.statistics.pictures += 1
            if !isUsable {
                state.statistics.died += 1
                state.backOff.died(at: clock.now)
            } else if lent.pictures >= configuration.picturesPerWorker || lent.kind.scope == .unstored {
                state.statistics.recycled += 1
            } else if !state.isShutDown {
                lent.since = clock.now
                state.idle.append(lent)
                if state.timer == nil { schedule(&state) }
                return
            }
            state.statistics.workers -= 1
        }
        signal()
    }

    /// Ends idle workers after their time. One timer serves all.
    private func schedule(_ state: inout State) {
        state.timer = clock.schedule(after: configuration.idleLifetime) { [weak self] in self?.retireIdle() }
    }

    private func retireIdle() {
        let now = clock.now
        let ended = state.withLock { state -> [Idle] in
            state.timer = nil
            let ended = state.idle.filter { now - $0.since >= configuration.idleLifetime }
            state.idle.removeAll { now - $0.since >= configuration.idleLifetime }
            state.statistics.workers -= ended.count
            state.statistics.retired += ended.count
            if !state.idle.isEmpty { schedule(&state) }
            return ended
        }
        withExtendedLifetime(ended) {}
    }

    private func wait(for pause: Duration?) {
        freed.lock()
        // A signal between the decision and this wait would be lost; the wait is bounded instead.
        let seconds = min((pause ?? .milliseconds(50)) / .seconds(1), 0.05)
        _ = freed.wait(until: Date(timeIntervalSinceNow: seconds))
        freed.unlock()
    }

    private func signal() {
        freed.lock()
        freed.signal()
        freed.unlock()
    }
}
