import CWebImageSandbox
import Foundation
package import WebImageCore

/// The decoder processes of one program.
///
/// A request blocks its thread until a worker is free, as it would block during the decode itself. Workers start when
/// they are needed and end after an idle time or a number of pictures. A worker decodes files of one owner only, because
/// a worker that a file took over sees the files that it decodes later.
package final class SandboxPool: Sendable {
    package struct Configuration: Sendable {
        package var worker = SandboxWorker.Configuration()
        /// The most workers at a time, over all profiles and idle ones included.
        var mostWorkers = max(Processors.count, 2) + 4
        /// The number of files after which a worker gets no other file; 1: a process for each file that is decoded or
        /// whose header is read. The worker ends when it keeps no animation and no arriving picture any more.
        package var picturesPerWorker = 1000
        /// The number of files after which a successor starts in the background, so that no request waits for it.
        var filesBeforeSuccessor: Int { usesTemplates ? .max : picturesPerWorker - picturesPerWorker / 10 }
        /// Whether a template makes the workers, where their libraries allow it. It costs the memory of a further process.
        var usesTemplates: Bool { picturesPerWorker <= 10 }
        /// The time after which a worker without work ends.
        var idleLifetime: Duration = .seconds(30)
        /// The time after which a worker without work returns its unused memory to the kernel.
        var restTime: Duration = .seconds(2)

        package init() {}
    }

    /// What the pool has done since it was made.
    package struct Statistics: Sendable, Equatable {
        package var workers = 0
        package var started = 0
        package var pictures = 0
        /// Workers that ended in a request, by reason.
        package var ended: [SandboxWorker.End: Int] = [:]
        /// Workers that did not become ready.
        var failedStarts = 0
        /// Workers that were replaced after their number of pictures.
        var recycled = 0
        /// Workers that ended because they had no work, or made room for another profile or owner.
        package var retired = 0
        /// Requests that waited for a worker, including those for which a worker was started.
        package var waits = 0
        /// The time of all requests that workers did not spend on them.
        package var transit = Duration.zero

        /// Workers that crashed, were killed or violated the protocol.
        var died: Int { ended.values.reduce(0, +) }
    }

    /// Which files a worker may decode.
    struct Kind: Hashable {
        enum Owner: Hashable {
            case shared
            case scoped(String)
            /// The only file of an unknown owner.
            case one(UInt64)
        }

        var profile: SandboxProfile
        var owner: Owner
    }

    private struct Lent {
        var worker: SandboxWorker
        var kind: Kind
        var pictures = 0
        var since = Duration.zero
        var hasSuccessor = false
        /// Whether it has returned its unused memory since its last work.
        var rests = false
        var transit = Duration.zero
    }

    private struct State {
        /// The workers without work, the longest idle first.
        var idle: [Lent] = []
        /// The workers with work.
        var busy: Set<ObjectIdentifier> = []
        var statistics = Statistics()
        var backOff = SandboxBackOff()
        var isShutDown = false
        var timer: (any WebImageOperation)?
        /// When a template was used last.
        var lastFork: Duration?
        var lastNumber: UInt64 = 0
        /// The process that has started the workers.
        var forks = webimage_sandbox_fork_count()
    }

    private enum Turn {
        case use(Lent)
        case start(replacing: Lent?)
        /// All workers are busy, or no worker may start yet.
        case wait(Duration?)
        case unavailable
    }

    package let configuration: Configuration
    private let clock: any DelayClock
    private let state = Locked(State())
    private let templates = SandboxTemplates()
    /// Signalled when a worker becomes free or a place for one.
    private let freed = SandboxSignal()

    package init(_ configuration: Configuration = Configuration(), clock: any DelayClock = SystemClock()) {
        self.configuration = configuration
        self.clock = clock
    }

    package var statistics: Statistics { state.withLock { $0.statistics } }

    /// The number of workers without work.
    var idleCount: Int { state.withLock { $0.idle.count } }
    /// The number of workers with work.
    var busyCount: Int { state.withLock { $0.busy.count } }

    /// Returns a number that no other animation or picture of this pool has.
    func makeNumber() -> UInt64 {
        state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
    }

    /// The kind of worker for the file that the current job reads.
    func kind(_ profile: SandboxProfile) -> Kind {
        switch FileOwner.current {
        case .shared: Kind(profile: profile, owner: .shared)
        case .scoped(let scope): Kind(profile: profile, owner: .scoped(scope))
        case .unknown: Kind(profile: profile, owner: .one(makeNumber()))
        }
    }

    /// Calls `body` with a worker. Blocks the calling thread until one is free.
    ///
    /// A worker that was lost for a reason outside of the request is replaced once.
    ///
    /// - Parameters:
    ///   - preferred: The worker that keeps the animation. If it is busy, the call waits for it.
    /// - Throws: The error of `body`; `.sandboxUnavailable` if no worker can start; `.cancelled` if the current
    ///   ``WorkBudget`` was cancelled.
    func withWorker<Value>(
        _ kind: Kind, preferring preferred: SandboxWorker? = nil,
        _ body: (SandboxWorker) throws(WebImageError) -> Value
    ) throws(WebImageError) -> Value {
        var isRetry = false
        while true {
            let lent = try waited(for: kind, preferring: isRetry ? nil : preferred)
            do throws(WebImageError) {
                let value = try body(lent.worker)
                takeBack(lent)
                return value
            } catch {
                takeBack(lent)
                guard lent.worker.end == .lost, error.code == .decoderFailed, !isRetry else { throw error }
                isRetry = true
            }
        }
    }

    /// Returns a worker, and adds the time of the wait to the current ``WorkBudget``, also if the wait fails.
    private func waited(for kind: Kind, preferring preferred: SandboxWorker?) throws(WebImageError) -> Lent {
        let start = ContinuousClock.now
        defer {
            if let budget = WorkBudget.current {
                var times = DecoderWorkerTimes()
                times.waiting = ContinuousClock.now - start
                budget.add(times)
            }
        }
        return try worker(for: kind, preferring: preferred)
    }

    /// Starts a worker unless there is one, so that the first picture need not wait for it. Blocks the calling thread.
    package func prepare(_ profile: SandboxProfile) {
        try? withWorker(Kind(profile: profile, owner: .shared)) { _ in }
    }

    /// Ends the idle workers and refuses further requests. Busy workers end after their request.
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
        templates.end()
        freed.signal()
    }

    private func worker(for kind: Kind, preferring preferred: SandboxWorker?) throws(WebImageError) -> Lent {
        var hasWaited = false
        while true {
            do throws(WebImageError) {
                try WorkBudget.checkCurrent()
            } catch {
                // The picture is not too expensive: it has not been decoded.
                guard hasWaited, error.code == .limitExceeded else { throw error }
                throw .noWorker("no decoder process was free in time")
            }
            let seen = freed.count
            switch state.withLock({ next(for: kind, preferred, &$0, countsWait: !hasWaited) }) {
            case .use(let lent): return lent
            case .start: return try start(kind)
            case .wait(let pause):
                hasWaited = true
                // A cancelled request must not wait for the others.
                freed.wait(after: seen, atMost: min(pause ?? .milliseconds(50), .milliseconds(50)))
            case .unavailable: throw .noWorker("no decoder process can be started")
            }
        }
    }

    private func next(
        for kind: Kind, _ preferred: SandboxWorker?, _ state: inout State, countsWait: Bool
    ) -> Turn {
        if state.forks != webimage_sandbox_fork_count() {
            // The workers are those of the parent. Numbers go on, because this process may keep its animations.
            state = State(isShutDown: state.isShutDown, lastNumber: state.lastNumber)
        }
        if state.isShutDown { return .unavailable }
        if let preferred, state.busy.contains(ObjectIdentifier(preferred)) {
            if countsWait { state.statistics.waits += 1 }
            return .wait(nil)
        }
        func isUsable(_ lent: Lent) -> Bool {
            lent.kind == kind && lent.worker.files < configuration.picturesPerWorker
        }
        let index =
            preferred.flatMap { preferred in state.idle.lastIndex { $0.worker === preferred } }
            // The successor is not used before it is needed.
            ?? state.idle.lastIndex { $0.hasSuccessor && isUsable($0) } ?? state.idle.lastIndex(where: isUsable)
        if let index {
            var lent = state.idle.remove(at: index)
            lent.rests = false
            state.busy.insert(ObjectIdentifier(lent.worker))
            return .use(lent)
        }
        if countsWait { state.statistics.waits += 1 }
        if let pause = state.backOff.pause(at: clock.now) {
            return state.backOff.isUnavailable ? .unavailable : .wait(pause)
        }
        var replaced: Lent?
        if state.statistics.workers >= configuration.mostWorkers {
            guard !state.idle.isEmpty else { return .wait(nil) }
            // A worker that keeps an animation or an arriving picture makes room last.
            let index = state.idle.firstIndex { $0.worker.sessions.isEmpty } ?? 0
            replaced = state.idle.remove(at: index)
            state.statistics.workers -= 1
            state.statistics.retired += 1
        }
        state.statistics.workers += 1
        return .start(replacing: replaced)
    }

    private func start(_ kind: Kind) throws(WebImageError) -> Lent {
        do throws(WebImageError) {
            let template =
                configuration.usesTemplates ? templates.template(kind.profile, configuration.worker) : nil
            let worker = try SandboxWorker(kind.profile, configuration: configuration.worker, from: template)
            worker.onEnd { [weak self, weak worker] in if let worker { self?.forget(worker) } }
            state.withLock { state in
                state.backOff.started(at: clock.now)
                if template != nil {
                    state.lastFork = clock.now
                    if state.timer == nil, !state.isShutDown { schedule(&state) }
                }
                state.statistics.started += 1
                state.busy.insert(ObjectIdentifier(worker))
            }
            return Lent(worker: worker, kind: kind)
        } catch {
            state.withLock { state in
                state.backOff.failedToStart(at: clock.now)
                state.statistics.workers -= 1
                state.statistics.failedStarts += 1
            }
            freed.signal()
            throw error
        }
    }

    /// - Parameter hasWorked: false if the worker was only told to return its memory, so that it stays idle.
    private func takeBack(_ lent: Lent, hasWorked: Bool = true) {
        var lent = lent
        let end = lent.worker.end
        let (pictures, transit) = (lent.worker.pictures, lent.worker.transit)
        let needsSuccessor = state.withLock { state in
            state.busy.remove(ObjectIdentifier(lent.worker))
            state.statistics.pictures += pictures - lent.pictures
            state.statistics.transit += transit - lent.transit
            (lent.pictures, lent.transit) = (pictures, transit)
            if let end {
                state.statistics.ended[end, default: 0] += 1
                // A deadline and a cancellation take time themselves, and so bound the number of starts.
                if end != .deadline, end != .cancelled { state.backOff.died(at: clock.now) }
            } else if lent.worker.hasEnded {
                countIdleDeath(&state)
            } else if lent.worker.files >= configuration.picturesPerWorker && lent.worker.sessions.isEmpty {
                state.statistics.recycled += 1
                lent.worker.endAlone()
            } else if case .one = lent.kind.owner, lent.worker.sessions.isEmpty {
                state.statistics.recycled += 1
                lent.worker.endAlone()
            } else if !state.isShutDown {
                if hasWorked { lent.since = clock.now }
                let needsSuccessor =
                    !lent.hasSuccessor && lent.worker.files >= configuration.filesBeforeSuccessor
                    && state.statistics.workers < configuration.mostWorkers
                if needsSuccessor {
                    lent.hasSuccessor = true
                    state.statistics.workers += 1
                }
                state.idle.insert(lent, at: state.idle.lastIndex { $0.since <= lent.since }.map { $0 + 1 } ?? 0)
                if state.timer == nil { schedule(&state) }
                return needsSuccessor
            }
            state.statistics.workers -= 1
            return false
        }
        freed.signal()
        if needsSuccessor {
            Thread.detachNewThread { [self, kind = lent.kind] in if let next = try? start(kind) { takeBack(next) } }
        }
    }

    /// Removes a worker that ended without work. Another one starts when it is needed.
    private func forget(_ worker: SandboxWorker) {
        let lent = state.withLock { state -> Lent? in
            guard let index = state.idle.firstIndex(where: { $0.worker === worker }) else { return nil }
            state.statistics.workers -= 1
            countIdleDeath(&state)
            return state.idle.remove(at: index)
        }
        guard lent != nil else { return }
        freed.signal()
    }

    private func countIdleDeath(_ state: inout State) {
        state.statistics.ended[.lost, default: 0] += 1
        state.backOff.died(at: clock.now)
    }

    /// Lets idle workers return their memory, and ends them and templates, after their time. One timer serves all.
    private func schedule(_ state: inout State) {
        let life = configuration.idleLifetime
        let ends = state.idle.map { $0.since + ($0.rests ? life : min(configuration.restTime, life)) }
        let next = (ends + (state.lastFork.map { [$0 + life] } ?? [])).min() ?? clock.now + life
        state.timer = clock.schedule(after: max(next - clock.now, .milliseconds(1))) { [weak self] in
            self?.retireIdle()
        }
    }

    private func retireIdle() {
        let now = clock.now
        let (ended, resting, endsTemplates) = state.withLock { state -> ([Lent], [Lent], Bool) in
            state.timer = nil
            let endsTemplates = state.lastFork.map { now - $0 >= configuration.idleLifetime } ?? false
            if endsTemplates { state.lastFork = nil }
            let ended = state.idle.filter { now - $0.since >= configuration.idleLifetime }
            state.idle.removeAll { now - $0.since >= configuration.idleLifetime }
            state.statistics.workers -= ended.count
            state.statistics.retired += ended.count
            // They count as busy meanwhile, so that no picture is on its way.
            let resting = state.idle.filter { !$0.rests && now - $0.since >= configuration.restTime }
            state.idle.removeAll { !$0.rests && now - $0.since >= configuration.restTime }
            for lent in resting { state.busy.insert(ObjectIdentifier(lent.worker)) }
            if !state.idle.isEmpty || state.lastFork != nil { schedule(&state) }
            return (ended, resting, endsTemplates)
        }
        withExtendedLifetime(ended) {}
        for var lent in resting {
            lent.worker.rest()
            lent.rests = true
            takeBack(lent, hasWorked: false)
        }
        if endsTemplates { templates.end() }
    }
}

/// Wakes threads that wait for a worker. A signal between the decision to wait and the wait is not lost, because the
/// wait names the count that the decision saw.
private final class SandboxSignal: Sendable {
    private let condition = NSCondition()
    private let signals = Locked(0)

    var count: Int { signals.withLock { $0 } }

    func signal() {
        condition.lock()
        signals.withLock { $0 += 1 }
        condition.broadcast()
        condition.unlock()
    }

    func wait(after seen: Int, atMost time: Duration) {
        let end = Date(timeIntervalSinceNow: time / .seconds(1))
        condition.lock()
        while signals.withLock({ $0 }) == seen, condition.wait(until: end) {}
        condition.unlock()
    }
}
