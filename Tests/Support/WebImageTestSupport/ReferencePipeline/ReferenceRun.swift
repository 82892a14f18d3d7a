import Foundation
import WebImageCore
import WebImageLoading
import WebImageTesting

/// Runs one history with one manager and compares the results with a model.
struct ReferenceRun {
    let origin: ReferenceOrigin
    let history: Int
    var subject: ReferenceSubject
    private var models: [any ReferenceModel]
    /// The resources that have been behind redirects. Loads of these resources do not modify the status: the result of
    /// a modified status depends on whether a validator was sent, and the model does not know the URLs of validators.
    private var moved: Set<Int> = []
    /// The loads of the history that may have stored entries.
    private var touched: [ReferenceLoad] = []

    init(origin: ReferenceOrigin, history: Int, subject: ReferenceSubject) {
        (self.origin, self.history, self.subject) = (origin, history, subject)
        models = (0..<ReferenceHistory.resourceCount).map { resource -> any ReferenceModel in
            if subject.mayLoseEntries { return LossyCacheReference(resource: resource) }
            return ReferencePipeline(resource: resource)
        }
    }

    /// Runs the steps and then checks the contents of the caches. Returns a description of the first result that the
    /// model does not allow. Nil if the model allows all results.
    mutating func reason(_ steps: ReferenceHistory) async throws -> String? {
        origin.serve(ReferenceOrigin.Answer(), resource: 0, history: -1)
        for resource in models.indices {
            var answer = ReferenceOrigin.Answer()
            answer.hasValidator = resource == 0
            serve(answer, resource)
        }
        for (index, step) in steps.steps.enumerated() {
            if let reason = try await reason(step) { return "at step \(index + 1): \(reason)" }
        }
        await subject.flush()
        for load in contents {
            if let reason = await reasonOfDisk(load) { return "at the end, on disk: \(reason)" }
        }
        for type in [ImageCacheType.memory, .disk] {
            for load in contents {
                var probe = load
                probe.options = [.fromCacheOnly, .retryFailed]
                (probe.queryType, probe.storeType) = (type, ImageCacheType.none)
                if let reason = await reason([probe], [], false) { return "at the end, in caches: \(reason)" }
            }
        }
        return nil
    }

    private mutating func serve(_ answer: ReferenceOrigin.Answer, _ resource: Int) {
        if answer.redirects != nil { moved.insert(resource) }
        origin.serve(answer, resource: resource, history: history)
        models[resource].answer = answer
    }

    private mutating func reason(_ step: ReferenceStep) async throws -> String? {
        switch step {
        case .load(let loads, let cancelled, let afterFirstRequest):
            return await reason(loads, Set(cancelled), afterFirstRequest)
        case .serve(let answer, let resource): serve(answer, resource)
        case .query(let load, let isSync): return await reasonOfQuery(load, isSync)
        case .clearMemory:
            await subject.clearMemory()
            for index in models.indices { models[index].clearMemory() }
        case .clearDisk:
            await subject.clearDisk()
            for index in models.indices { models[index].clearDisk() }
        case .expire, .clearElsewhere:
            await (step == .expire ? subject.expire : subject.clearInAnotherProcess)?()
            for index in models.indices { models[index].clearDisk() }
        case .forgetFailures:
            subject.manager.removeAllFailedURLs()
            for index in models.indices { models[index].forgetFailures() }
        case .restart:
            subject = try await subject.restart()
            for index in models.indices { models[index].restart() }
        case .otherProcess(let resource):
            guard let refresh = subject.refreshInAnotherProcess, models[resource].answer.kind != .stall else { break }
            touched.append(ReferenceLoad(resource))
            await refresh(origin.url(resource, history: history))
            models[resource].refreshByAnotherProcess()
        }
        return nil
    }

    // MARK: Loads

    private mutating func reason(
        _ loads: [ReferenceLoad], _ cancelled: Set<Int>, _ afterFirstRequest: Bool
    ) async -> String? {
        touched += loads.filter { $0.options.isDisjoint(with: .fromCacheOnly) }
        let stalls = Set(
            loads.indices.filter {
                models[loads[$0].resource].answer.stalls(user: loads[$0].credentials.user) && !loads[$0].isLocal
            })
        let cancelled = cancelled.union(stalls)
        let loads = loads.indices.map { prepared(loads[$0], isCancelled: cancelled.contains($0)) }
        let sharesKey = haveOneDownload(loads) && cancelled.isEmpty
        let gate = (cancelled.isEmpty || !stalls.isEmpty) && !sharesKey ? nil : FaultGate()
        let asked = origin.requestCount
        origin.hold(gate)
        var running: [RunningLoad] = []
        for index in loads.indices {
            running.append(
                await RunningLoad.started(
                    loads[index], at: origin.url(loads[index].resource, history: history).signed(loads[index]),
                    with: subject.manager,
                    countsBytes: stalls.contains(index)))
        }
        if !stalls.isEmpty {
            // Cancel when nearly all bytes have arrived. A load that shares no download may wait for a slot.
            _ = await eventually(within: 0.5) { stalls.allSatisfy { running[$0].isOver || running[$0].received > 40 } }
        }
        if sharesKey {
            let origin = origin
            await ReferenceSubject.settled { origin.requestCount > asked || running.allSatisfy(\.isOver) }
            // The other loads must meet the first one before it ends, also on a busy machine.
            try? await Task.sleep(for: .milliseconds(20))
        }
        if afterFirstRequest, stalls.isEmpty, !cancelled.isEmpty {
            let origin = origin
            await ReferenceSubject.settled { origin.requestCount > asked || running.allSatisfy(\.isOver) }
        }
        for index in cancelled { running[index].cancel() }
        gate?.open()
        var delivered: [[ReferenceDelivery]] = []
        for load in running { delivered.append(await load.delivered) }
        origin.hold(nil)
        let begin = ContinuousClock.now
        await subject.settle()
        if !stalls.isEmpty, ContinuousClock.now - begin > .seconds(8) { return "cancelled downloads do not end" }
        if sharesKey, origin.requestCount > asked + 1 {
            return "loads that differ only in the signature caused the requests \(origin.requests(behind: asked))"
        }
        if !cancelled.isEmpty { await passAfterCancel() }
        for resource in models.indices {
            let indices = loads.indices.filter { loads[$0].resource == resource }
            guard !indices.isEmpty else { continue }
            let allowed = models[resource].observe(
                indices.map { loads[$0] },
                cancelled: Set(indices.indices.filter { cancelled.contains(indices[$0]) }),
                delivered: indices.map { delivered[$0] })
            if let allowed { return Self.text(indices.map { delivered[$0] }, allowed) }
        }
        return nil
    }

    /// The load that is started. The `async` form of a cancelled load always throws `.cancelled`, even if the other
    /// forms have delivered the cached image, so a cancelled load uses the event stream instead.
    private func prepared(_ load: ReferenceLoad, isCancelled: Bool) -> ReferenceLoad {
        var load = load
        if isCancelled, load.form == .async { load.form = .events }
        // The work of such a load continues for a moment after the cancel.
        if isCancelled { load.signature = nil }
        if moved.contains(load.resource) { load.modifiedStatus = nil }
        return load
    }

    /// Whether loads differ only in their signature, and at most one of them may ask the origin.
    private func haveOneDownload(_ loads: [ReferenceLoad]) -> Bool {
        // A load without a signature has no key filter, and shares only with loads of its own URL.
        guard loads.count > 1, loads.allSatisfy({ $0.signature != nil }), let first = loads.first, first.scope != nil
        else { return false }
        let answer = models[first.resource].answer
        let isPlain =
            answer.kind == .picture && answer.redirects == nil && !answer.isNoStore && !answer.isPrivate
            && first.options.isDisjoint(with: [.refreshCached, .fromLoaderOnly, .fromCacheOnly])
            && first.queryType == nil && first.storeType == nil && first.modifiedStatus == nil
        return isPlain
            && loads.allSatisfy { load in
                var same = load
                (same.signature, same.form) = (first.signature, first.form)
                return same == first
            }
    }

    /// Waits until the work of cancelled loads has ended. To do so, it runs two loads of another resource through the
    /// same queues. When these two loads have ended, the earlier work in the queues has ended as well.
    private func passAfterCancel() async {
        for _ in 0..<2 {
            var load = ReferenceLoad(0)
            (load.transformers, load.options) = ([1], [.fromLoaderOnly, .waitStoreCache])
            _ = await RunningLoad.started(load, at: origin.url(0, history: -1), with: subject.manager).delivered
        }
        await subject.settle()
    }

    private static func text(_ seen: [[ReferenceDelivery]], _ allowed: [[[ReferenceDelivery]]]) -> String {
        func words(_ all: [[ReferenceDelivery]]) -> String {
            all.map { one in one.isEmpty ? "nothing" : one.map(\.description).joined(separator: ", then ") }
                .joined(separator: "; and ")
        }
        return "delivered was \(words(seen)); allowed is \(allowed.map(words).sorted().joined(separator: "\n  or "))"
    }

    // MARK: Contents

    /// One load for each cache entry that the history may have stored. The load reads this entry.
    private var contents: [ReferenceLoad] {
        var seen: Set<ReferenceLoad> = []
        return touched.flatMap { load -> [ReferenceLoad] in
            var plain = ReferenceLoad(load.resource)
            plain.credentials = load.credentials
            var variant = plain
            (variant.box, variant.transformers) = (load.box, load.transformers)
            return load.scope == nil ? [] : [plain, variant].filter { seen.insert($0).inserted }
        }
    }

    private func key(_ load: ReferenceLoad) -> String? {
        subject.manager.cacheKey(
            for: origin.url(load.resource, history: history).signed(load), context: load.context)
    }

    private mutating func reasonOfDisk(_ load: ReferenceLoad) async -> String? {
        guard let diskData = subject.diskData, let key = key(load) else { return nil }
        var picture = diskData(key).flatMap { try? ImageCodersManager.shared.decode($0, options: DecodingOptions()) }
            .flatMap { ReferencePicture($0) }
        // A file does not store whether its image was transformed. Set the expected value, so that the comparison
        // ignores this property.
        picture?.isTransformed = !load.transformers.isEmpty
        return Self.text(picture, models[load.resource].observeDisk(load, holds: picture))
    }

    private mutating func reasonOfQuery(_ load: ReferenceLoad, _ isSync: Bool) async -> String? {
        guard let query = subject.query, let key = key(load) else { return nil }
        // A query by key returns a stored variant even if its original has changed. The cache removes such a variant
        // only when it writes the new original. Therefore wait until all entries are written.
        await subject.flush()
        // Disable storing into memory, so that the query does not change the caches.
        var context: WebImageContext = [.storeCacheType: ImageCacheType.none]
        if load.isVariant, let limit = load.limit { context[.imageScaleDownLimitBytes] = limit }
        let picture = await query(key, isSync ? .queryDiskDataSync : [], context)
        return Self.text(picture, models[load.resource].observeDisk(load, holds: picture))
    }

    private static func text(_ seen: ReferencePicture?, _ allowed: [ReferencePicture?]?) -> String? {
        guard let allowed else { return nil }
        func word(_ picture: ReferencePicture?) -> String { picture?.description ?? "nothing" }
        return "found was \(word(seen)); allowed is \(allowed.map(word).sorted().joined(separator: " or "))"
    }
}

/// A model that computes the allowed results of a manager. ``ReferenceRun`` compares these results with the results of
/// the manager. ``ReferencePipeline`` is exact. ``LossyCacheReference`` is for a cache that may lose entries.
protocol ReferenceModel {
    var answer: ReferenceOrigin.Answer { get set }
    mutating func clearMemory()
    mutating func clearDisk()
    mutating func forgetFailures()
    mutating func restart()
    mutating func refreshByAnotherProcess()
    mutating func observe(
        _ loads: [ReferenceLoad], cancelled: Set<Int>, delivered: [[ReferenceDelivery]]
    ) -> [[[ReferenceDelivery]]]?
    mutating func observeDisk(_ load: ReferenceLoad, holds picture: ReferencePicture?) -> [ReferencePicture?]?
}

extension ReferencePipeline: ReferenceModel {}
