import Foundation
import WebImageCore
import WebImageHTTP
import WebImageLoading

/// Provides results. Stored results are returned immediately. Other results are made with one fetch, one decode and
/// one encode for all requests that need them.
final class ResultProvider: Sendable {
    struct Provided: Sendable {
        var entry: ResultEntry
        var outcome: ServiceLogEntry.Outcome
        var stages: [ServiceLogEntry.Stage: Duration] = [:]
        var sourceByteCount: Int?
    }

    /// The outcome of shared work. A failure is also a value, so that all waiting requests receive it.
    private struct WorkOutcome: Sendable {
        let outcome: Result<Provided, ServiceRefusal>
        let starter: Starter
    }

    /// Identifies the request that started shared work.
    private final class Starter: Sendable {}

    let store: ResultStore
    let fetcher: SourceFetcher
    let limiter: WorkLimiter
    let background: BackgroundWork
    let decodes = SharedDecodes()
    let sources: SourceBudget
    private let pool: DecodePool
    private let clock: any DelayClock
    private let works: CoalescedWork<String, WorkOutcome>
    /// The results that were made too late for their requests and that no cache holds, with the time until which they
    /// are not made in the background, in seconds since 1970.
    private let madeInVain = RecentValues<String, TimeInterval>(budget: 10_000)
    private static let vainTime: TimeInterval = 600

    /// The maximum total size in bytes of kept results. A result is kept for requests that were accepted before the
    /// result was complete.
    private static let keptBytes = 16 << 20

    /// The maximum total size in bytes of fetched sources for each thread of the pool: 8 MiB, the size of several
    /// photos.
    private static let sourceBytesPerThread = 8 << 20

    init(
        store: ResultStore, fetcher: SourceFetcher, limiter: WorkLimiter, background: BackgroundWork, pool: DecodePool,
        clock: any DelayClock
    ) {
        self.store = store
        self.fetcher = fetcher
        self.limiter = limiter
        self.background = background
        self.pool = pool
        sources = SourceBudget(limit: Self.sourceBytesPerThread * pool.width)
        self.clock = clock
        // A refusal can be temporary, so it is not kept. Only callers that already wait receive the refusal.
        works = CoalescedWork(order: limiter.order, budget: Self.keptBytes) { ended in
            if case .success(let provided) = ended.outcome { provided.entry.body.count + 1_024 } else { nil }
        }
    }

    /// The key of a result.
    func key(
        _ kind: ImageTarget.Kind, _ options: ProcessingOptions, from reference: SourcePolicy.Reference,
        accepted: AcceptedFormats, settings: ServiceSettings
    ) async -> ResultKey {
        ResultKey(
            kind: kind, source: reference.key, place: reference.fileVersion ?? reference.store, options: options,
            accepted: accepted, generation: await store.generation(of: reference.key),
            fingerprint: settings.fingerprint)
    }

    /// The number of requests that wait for a result that is being made.
    var subscriberCount: Int { works.subscriberCount }

    /// Returns the stored result if it is fresh. If the stored result is stale but may be used during revalidation,
    /// returns this result and starts the revalidation in the background. Otherwise returns nil.
    func stored(_ job: PictureJob) async -> Provided? {
        guard let (entry, level) = await usable(job) else { return nil }
        let now = clock.date
        if entry.isFresh(now: now) { return Provided(entry: entry, outcome: level) }
        guard entry.isUsableWhileRevalidating(now: now) else { return nil }
        let job = job.inBackground()
        background.begin(job.key.digest) { _ = try? await self.made(job, needsPermit: false, .low) }
        return Provided(entry: entry, outcome: .stale)
    }

    func usable(_ job: PictureJob) async -> (entry: ResultEntry, level: ServiceLogEntry.Outcome)? {
        let now = clock.date
        return await store.entry(for: job.key, in: job.storage.places) { try? job.judged($0, now: now) }
    }

    /// Returns the stored result if it may be used; otherwise makes the result. See ``made(_:needsPermit:_:starter:)`` for
    /// `needsPermit`.
    func provide(_ job: PictureJob, needsPermit: Bool = true) async throws(ServiceRefusal) -> Provided {
        if let stored = await stored(job) { return stored }
        return try await provideUnstored(job, needsPermit: needsPermit, starter: Starter())
    }

    /// Makes the result. After a failure, returns the stale result if it may be used.
    private func provideUnstored(
        _ job: PictureJob, needsPermit: Bool, starter: Starter
    ) async throws(ServiceRefusal) -> Provided {
        if let failure = store.failure(for: job.key, now: clock.date) {
            if let stale = await stale(job, after: failure.refusal) { return stale }
            throw failure.refusal
        }
        do throws(ServiceRefusal) {
            return try await made(job, needsPermit: needsPermit, starter: starter)
        } catch {
            if let stale = await stale(job, after: error) { return stale }
            throw error
        }
    }

    /// Returns the result if it is available within `budget`. Otherwise returns nil, and the work continues in the
    /// background and stores the result for later requests. Under overload or at the limit of background work, no work
    /// begins: the function returns the stored result, or nil if no usable result is stored. No work begins either for
    /// some time after a result came too late and could not be stored.
    func provide(_ job: PictureJob, within budget: Duration) async throws(ServiceRefusal) -> Provided? {
        if let stored = await stored(job) { return stored }
        guard !isMadeInVain(job.key) else { return nil }
        let budget = min(budget, .seconds(min(job.demand.budget.remainingSeconds, 1e9)))
        let job = job.inBackground()
        // The work in the background belongs to this request, so this request is the one that made the result.
        let (starter, start) = (Starter(), clock.now)
        let begins =
            !limiter.isOverloaded
            && background.begin(job.key.digest) {
                guard let made = try? await self.made(job, needsPermit: false, .low, starter: starter),
                    budget == .zero || self.clock.now - start > budget,
                    !self.store.canHold(made.entry, of: job)
                else { return }
                self.madeInVain.set(self.clock.date + Self.vainTime, for: job.key.digest, cost: 1)
            }
        guard begins, budget > .zero else { return nil }
        let race = FirstResult<Result<Provided, ServiceRefusal>?>()
        let waiter = Task {
            do throws(ServiceRefusal) {
                race.finish(.success(try await provideUnstored(job, needsPermit: false, starter: starter)))
            } catch {
                race.finish(.failure(error))
            }
        }
        let timer = clock.schedule(after: budget) { race.finish(nil) }
        let outcome = await withTaskCancellationHandler {
            await race.value()
        } onCancel: {
            race.finish(.failure(ServiceRefusal(499, .gone, "the client disconnected")))
        }
        timer.cancel()
        waiter.cancel()
        return try outcome?.get()
    }

    /// Whether ``provide(_:within:)`` does not make a result now, because the last one came too late and could not be
    /// stored.
    func isMadeInVain(_ key: ResultKey) -> Bool { madeInVain.value(for: key.digest).map { $0 > clock.date } ?? false }

    /// Returns the stale result after a failure of the source's server, if the lifetime of the stale result allows
    /// this. Otherwise returns nil.
    private func stale(_ job: PictureJob, after refusal: ServiceRefusal) async -> Provided? {
        guard refusal.isUpstreamFault, let (entry, _) = await usable(job),
            entry.isUsableAfterError(now: clock.date)
        else { return nil }
        return Provided(entry: entry, outcome: .stale)
    }

    /// Makes the result, or waits for running work that makes the result.
    ///
    /// - Parameters:
    ///   - needsPermit: Whether the work needs a permit of the limiter. False for work in the background, because
    ///     ``BackgroundWork`` limits this work.
    ///   - priority: The priority of this call; low if no request waits for the result. A request that joins the work
    ///     raises the priority of the work.
    ///   - starter: The request for which the work is done. A call whose starter did not start the work has joined it.
    private func made(
        _ job: PictureJob, needsPermit: Bool, _ priority: LoadPriority = .normal, starter: Starter = Starter()
    ) async throws(ServiceRefusal) -> Provided {
        var ended = try await workOutcome(
            job, key: job.key.digest, needsPermit: needsPermit, priority: priority, starter: starter)
        // This request may have joined work that began before a purge.
        if case .success(let provided) = ended.outcome, provided.entry.head.seen ?? 0 < job.demand.seen,
            store.purges.verdict(of: provided.entry) == .hard
        {
            ended = try await workOutcome(
                job, key: "\(job.key.digest) \(store.purges.stamp)", needsPermit: needsPermit, priority: priority,
                starter: starter)
        }
        var provided = try ended.outcome.get()
        // The work can have begun before a reload of the configuration.
        try job.rules.check(provided.entry, job.reference)
        if ended.starter !== starter {
            provided.outcome = .joined
            provided.stages = [:]
            provided.sourceByteCount = nil
        }
        return provided
    }

    private func workOutcome(
        _ job: PictureJob, key: String, needsPermit: Bool, priority: LoadPriority, starter: Starter
    ) async throws(ServiceRefusal) -> WorkOutcome {
        do throws(WebImageError) {
            return try await works.value(
                for: key, of: job.demand.request, priority: priority
            ) { handle throws(WebImageError) in
                WorkOutcome(
                    outcome: try await self.work(job, needsPermit: needsPermit, priority: handle.priority),
                    starter: starter)
            }
        } catch {
            throw ServiceRefusal(error)
        }
    }

    /// The source of a request that needs no result.
    enum UntouchedSource: Sendable {
        case whole(Source)
        /// The source is still arriving. The request must end the subscription.
        case arriving(SourceSubscription)
    }

    /// Returns a source for a request that needs no result, as soon as its beginning has arrived.
    ///
    /// - Parameter permit: Kept until the fetch ends; nil if the running fetch has one.
    func untouchedSource(
        _ reference: SourcePolicy.Reference, rules: StoredRules, permit: WorkLimiter.Permit?,
        for demand: SourceRequestContext
    ) async throws(ServiceRefusal) -> UntouchedSource {
        let race = FirstResult<Result<ArrivingSource?, WebImageError>>()
        let reader = SourceReader(permit) { race.finish(.success($0)) }
        let task = Task { () -> Result<Source, WebImageError> in
            defer { reader.releasePermit() }
            let outcome: Result<Source, WebImageError>
            do throws(WebImageError) {
                outcome = .success(
                    try await self.fetcher.source(
                        reference, rules: rules, for: demand, reader: reader))
            } catch {
                outcome = .failure(error)
            }
            race.finish(outcome.map { _ in nil })
            return outcome
        }
        let begun = try await inTime(of: demand, rules: rules, fetch: task) { await race.value() }
        guard let arriving = begun else { return .whole(try await whole(task, rules: rules, for: demand)) }
        return .arriving(SourceSubscription(arriving, task))
    }

    /// Waits for the end of a source that arrives.
    func whole(
        _ task: Task<Result<Source, WebImageError>, Never>, rules: StoredRules, for demand: SourceRequestContext
    ) async throws(ServiceRefusal) -> Source {
        try await inTime(of: demand, rules: rules, fetch: task) { await task.value }
    }

    /// Waits for a result of a fetch until the time of the request is used up, and then cancels the fetch.
    private func inTime<Value: Sendable>(
        of demand: SourceRequestContext, rules: StoredRules, fetch task: Task<Result<Source, WebImageError>, Never>,
        _ value: @escaping @Sendable () async -> Result<Value, WebImageError>
    ) async throws(ServiceRefusal) -> Value {
        let outcome = await demand.budget.limit(clock) {
            await withTaskCancellationHandler(operation: value) { task.cancel() }
        }
        switch outcome {
        case .success(let value): return value
        case .failure(let error) where !error.isCancellation || Task.isCancelled:
            throw rules.refusal(error, now: clock.date)
        case .failure, nil: throw .slowSource
        }
    }

    /// Returns the stored result of a job if it is fresh; otherwise makes the result. One call serves all requests that
    /// wait for the result. Ends with the time of the first of these requests.
    ///
    /// Returns a failure as a refusal. Throws only `.cancelled`.
    private func work(
        _ job: PictureJob, needsPermit: Bool, priority: LoadPriorityHandle
    ) async throws(WebImageError) -> Result<Provided, ServiceRefusal> {
        let progress = WorkProgress(job.demand.budget.part(), clock, seen: store.purges.stamp)
        let outcome = await progress.budget.limit(clock) { () -> Result<Provided, ServiceRefusal>? in
            do throws(WebImageError) {
                return try await self.madeByOneMachine(job, progress) { () throws(WebImageError) in
                    try await self.work(job, progress, needsPermit: needsPermit, priority: priority)
                }
            } catch {
                return nil
            }
        }
        if let outcome = outcome ?? nil { return outcome }
        guard !Task.isCancelled, progress.budget.remainingSeconds <= 0 else { throw .cancelled }
        return .failure(await remembered(progress.refusal, job, after: progress))
    }

    private func work(
        _ job: PictureJob, _ progress: WorkProgress, needsPermit: Bool, priority: LoadPriorityHandle
    ) async throws(WebImageError) -> Result<Provided, ServiceRefusal> {
        let old = await usable(job)
        // Other work may have ended between the lookup in the store and the start of this work.
        if let old, old.entry.isFresh(now: clock.date) {
            return .success(Provided(entry: old.entry, outcome: old.level))
        }
        if let failure = store.failure(for: job.key, now: clock.date) { return .failure(failure.refusal) }
        var fetched: Source?
        do {
            // Register the job before the fetch, so that the first decode can use a size that serves all jobs that
            // wait for the source.
            let shared = decodes.begin(job.reference.key, wanted: job.product.decodeKey)
            defer { shared.end() }
            let permit = needsPermit ? try limiter.begin(host: job.reference.host) : nil
            defer { withExtendedLifetime(permit) {} }
            let reservation = try await sources.reserve()
            defer { withExtendedLifetime(reservation) {} }
            progress.enter(.fetch)
            let source = try await fetcher.source(
                job.reference, rules: job.rules, storage: job.storage, for: job.demand,
                poster: job.product.videoPoster)
            fetched = source
            progress.enter(.queue)
            reservation.count(source.data.count)
            if let old, old.entry.head.sourceVersion == source.version {
                return .success(keep(old.entry, as: source, job, stages: progress.stages))
            }
            return .success(try await make(job, from: source, sharing: shared, priority: priority, progress))
        } catch let error as WebImageError where error.isCancellation {
            throw .cancelled
        } catch let error as WebImageError where error.isTimeUsedUp {
            return .failure(await remembered(progress.refusal, job, after: progress))
        } catch let error as WebImageError {
            if error.code == .badImageData, error.stage == .decode, let fetched {
                fetcher.noteUndecodable(
                    fetched, of: job.reference, generation: job.demand.generation, for: job.rules.negativeTTL)
            }
            var refusal = job.rules.refusal(error, now: clock.date)
            if error.code == .badImageData, fetched?.isText == true { refusal.isSubstitute = true }
            return .failure(await remembered(refusal, job, of: fetched, after: progress))
        } catch let refusal as ServiceRefusal {
            return .failure(await remembered(refusal, job, of: fetched, after: progress))
        } catch {
            return .failure(ServiceRefusal(500, .internalError, "the picture could not be made"))
        }
    }

    /// - Parameter source: The source that was fetched before the failure.
    private func remembered(
        _ refusal: ServiceRefusal, _ job: PictureJob, of source: Source? = nil, after progress: WorkProgress
    ) async -> ServiceRefusal {
        var refusal = refusal
        // What is said of a picture that no cache may hold is not held either.
        if source?.lifetime.isStorable == false { refusal.lifetime = 0 }
        let seconds = refusal.secondsOfUse(job.rules.negativeTTL)
        if seconds > 0 {
            let former = await usable(job)?.entry.head.tags ?? []
            let now = clock.date
            store.remember(
                refusal, for: job.key, from: now, until: now + Double(seconds), tags: job.demand.tags + former,
                seen: progress.seen)
        }
        return refusal
    }

    /// Renews the lifetime of the stored result, because its source has not changed.
    private func keep(
        _ old: ResultEntry, as source: Source, _ job: PictureJob, stages: [ServiceLogEntry.Stage: Duration]
    ) -> Provided {
        var entry = old
        entry.head.redirect = source.redirect
        entry.head.describe(job, source, pixelCount: old.head.record?.pixelCount)
        if entry.head.lifetime.isStorable { store.store(entry, for: job.key, in: job.storage.places) }
        return Provided(entry: entry, outcome: .made, stages: stages, sourceByteCount: source.data.count)
    }

    private func make(
        _ job: PictureJob, from source: Source, sharing shared: SharedDecodes.Job, priority: LoadPriorityHandle,
        _ progress: WorkProgress
    ) async throws -> Provided {
        let sharing = ResultRenderer.Sharing(job: shared, version: source.version)
        // The budget belongs to the work, not to one request. It is cancelled when no request waits for the result.
        let budget = progress.budget
        let picture = try await pool.run(
            measuring: { progress.readHeader { job.product.cost(of: source.data) } }, priority: priority, budget: budget
        ) { () throws(WebImageError) -> Result<EncodedResult, any Error> in
            progress.enter(.decode)
            return Result { try job.product.make(from: source.data, sharing: sharing, budget: budget) }
        }
        let made = try picture.get()
        let stages = progress.stages.merging(made.stages) { $0 + $1 }
        var head = ResultEntry.Head(
            mediaType: made.mediaType, etag: EntityTag.tag(of: made.data), stored: clock.date,
            lifetime: source.lifetime, sourceVersion: source.version, source: job.key.source, width: made.size?.width,
            height: made.size?.height, redirect: source.redirect)
        head.describe(job, source, pixelCount: made.sourcePixelCount)
        // Copy the bytes into memory of their own size. The buffer of an encoder grows by doubling, and its unused part
        // would stay allocated as long as the result is kept: a result of 12 KB then used 64 KB.
        let entry = ResultEntry(head: head, body: made.data.withUnsafeBytes { Data($0) })
        if head.lifetime.isStorable { store.store(entry, for: job.key, in: job.storage.places) }
        return Provided(entry: entry, outcome: .made, stages: stages, sourceByteCount: source.data.count)
    }
}

extension ResultEntry.Head {
    /// Sets the tags of a target and of its source, the newest purge that the source knows, and what its origin has
    /// declared.
    fileprivate mutating func describe(_ job: PictureJob, _ source: Source, pixelCount: Int?) {
        var record = source.record
        record.pixelCount = pixelCount
        self.record = record
        (lifetime, stored) = (job.lifetime(of: source), record.response.responseTime)
        let tags = job.demand.tags
        let all = tags + source.tags.filter { !tags.contains($0) }
        self.tags = all.isEmpty ? nil : all
        seen = source.seen > 0 ? source.seen : nil
    }
}
