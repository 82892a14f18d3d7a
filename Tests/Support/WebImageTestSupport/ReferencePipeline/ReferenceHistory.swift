import WebImageLoading
package import WebImageTesting

/// One step of a history. A step begins after all work of the previous step has ended.
package enum ReferenceStep: Hashable, Sendable, CustomStringConvertible {
    /// Loads that run at the same time. They start in the order of the array.
    ///
    /// `cancelled` contains the indices of the loads that are cancelled before the origin responds to any load. If
    /// `afterFirstRequest` is set, these loads are cancelled only after the origin has received the first request.
    case load([ReferenceLoad], cancelled: [Int] = [], afterFirstRequest: Bool = false)
    /// Changes the answer of the origin for a resource.
    case serve(ReferenceOrigin.Answer, resource: Int)
    /// Queries the disk cache with the key of the load. No load runs.
    case query(ReferenceLoad, isSync: Bool)
    /// Purges the memory cache.
    case clearMemory
    /// Purges the disk cache.
    case clearDisk
    /// All entries on disk expire and are removed.
    case expire
    /// Another process with the same folder purges the disk cache.
    case clearElsewhere
    /// Removes the record of failed URLs, so that these URLs are no longer blocked.
    case forgetFailures
    /// Makes a new manager and a new cache with the same folder, as after a restart of the process.
    case restart
    /// Another process with the same folder refreshes the original of a resource.
    case otherProcess(resource: Int)

    /// A text for messages.
    package var description: String {
        switch self {
        case .load(let loads, let cancelled, let afterFirstRequest):
            loads.enumerated().map { index, load in
                let end =
                    cancelled.contains(index)
                    ? (afterFirstRequest ? ", cancelled once it is asked" : ", cancelled") : ""
                return "\(load)\(end)"
            }.joined(separator: "\n  and ")
        case .serve(let answer, let resource): "the origin answers /\(resource) with \(answer)"
        case .query(let load, let isSync): "query the disk for the entry of: \(load)\(isSync ? ", at once" : "")"
        case .clearMemory: "clear memory"
        case .clearDisk: "clear the disk"
        case .expire: "all entries expire"
        case .clearElsewhere: "another process clears the disk"
        case .forgetFailures: "forget failed URLs"
        case .restart: "restart"
        case .otherProcess(let resource): "another process refreshes /\(resource)"
        }
    }
}

/// A list of steps that a manager and its model perform.
package struct ReferenceHistory: Hashable, Sendable, CustomStringConvertible {
    /// The number of resources. All resources have version 0 before the first step. Resource 1 has no validator.
    package static let resourceCount = 4
    /// The resource that is a local file.
    static let fileResource = 2
    /// The resource that is a `data:` URL. It never changes.
    static let dataResource = 3

    /// Whether a resource is a local file or a `data:` URL.
    static func isLocal(_ resource: Int) -> Bool { resource == fileResource || resource == dataResource }
    /// The steps, in order.
    package var steps: [ReferenceStep]

    /// Makes a history of these steps.
    package init(_ steps: [ReferenceStep]) { self.steps = steps }

    /// The numbered steps, one per line.
    package var description: String {
        steps.enumerated().map { "\($0 + 1). \($1)" }.joined(separator: "\n")
    }

    /// Returns a random history.
    ///
    /// - Parameter mayLoseEntries: Whether the cache may lose entries. If true, the history does not contain steps or
    ///   options whose result would depend on lost entries.
    package static func random(using random: inout SeededRandom, mayLoseEntries: Bool = false) -> ReferenceHistory {
        var generator = Generator(random: random, mayLoseEntries: mayLoseEntries)
        let count = Int.random(in: 4...10, using: &generator.random)
        let steps = (0..<count).map { _ in generator.step() }
        random = generator.random
        return ReferenceHistory(steps)
    }

    private struct Generator {
        var random: SeededRandom
        let mayLoseEntries: Bool
        var answers = (0..<resourceCount).map { Self.first($0) }
        /// The variants that the loads of this history use. There are at most three, so that several loads use the same
        /// entries.
        var variants: [ReferenceLoad] = []

        static func first(_ resource: Int) -> ReferenceOrigin.Answer {
            var answer = ReferenceOrigin.Answer()
            answer.hasValidator = resource == 0
            return answer
        }

        mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

        mutating func step() -> ReferenceStep {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<60: loads()
            case 60..<78: serve()
            case 78..<82: mayLoseEntries ? loads() : .query(load(), isSync: chance(50))
            case 82..<90: .clearMemory
            case 90..<92:
                mayLoseEntries
                    ? .clearDisk : [.clearDisk, .expire, .clearElsewhere].randomElement(using: &random) ?? .clearDisk
            case 92..<94: .forgetFailures
            case 94..<97: mayLoseEntries ? .restart : .otherProcess(resource: chance(65) ? 0 : 1)
            default: .restart
            }
        }

        private mutating func resource() -> Int {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<58: 0
            case 58..<88: 1
            case 88..<95: ReferenceHistory.fileResource
            default: ReferenceHistory.dataResource
            }
        }

        private mutating func failure() -> ReferenceOrigin.Answer.Kind {
            let kinds: [ReferenceOrigin.Answer.Kind] = [
                .status(404), .status(404), .status(503), .garbage, .empty, .part, .page, .brokenCoding, .offline,
                .loop,
            ]
            if chance(8) { return .stall }
            return kinds.randomElement(using: &random) ?? .garbage
        }

        private mutating func redirects() -> ReferenceOrigin.Answer.Redirects? {
            guard chance(75) else { return nil }
            var redirects = ReferenceOrigin.Answer.Redirects()
            redirects.count = chance(70) ? 1 : 3
            redirects.sharesValidator = chance(50)
            // A permanent redirect may be reused without a request while its target is fresh.
            redirects.isFresh = chance(50)
            redirects.status =
                (redirects.isFresh ? [302, 303, 307] : [301, 302, 303, 307, 308]).randomElement(using: &random) ?? 302
            return redirects
        }

        private mutating func serve() -> ReferenceStep {
            let resource = chance(12) ? ReferenceHistory.fileResource : chance(65) ? 0 : 1
            var answer = answers[resource]
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<45:
                answer.kind = .picture
                answer.version += 1
                if answer.version % 2 == 0 { answer.isSlow.toggle() }
            case 45..<53: answer.kind = .picture
            case 53..<75: answer.kind = failure()
            case 75..<85: if !mayLoseEntries { answer.redirects = redirects() }
            case 85..<91:
                answer.confirmsEverything.toggle()
                // A confirmation of the newest version is right. One of an older version has a foreign validator.
                if answer.confirmsEverything { answer.version += 1 }
            case 91..<96: answer.isNoStore.toggle()
            default: answer.isPrivate.toggle()
            }
            if mayLoseEntries, answer.kind == .stall { answer.kind = .status(503) }
            answers[resource] = answer
            return .serve(answer, resource: resource)
        }

        private mutating func loads() -> ReferenceStep {
            let count = chance(65) ? 1 : chance(85) ? 2 : 3
            var loads = [load()]
            if chance(8), !loads[0].isLocal {
                // The same load with two signatures.
                return .load(
                    (1...2).map { signature in
                        var load = loads[0]
                        load.signature = signature
                        return load
                    })
            }
            if count == 3, chance(50) {
                // The same load in three forms at once. More loads would have too many orders of their steps.
                return .load(
                    ReferenceLoad.Form.allCases.shuffled(using: &random).prefix(3).map { form in
                        var load = loads[0]
                        load.form = form
                        return load
                    })
            }
            while loads.count < count {
                // Mostly use the same resource as the first load, because only loads of one resource share work and
                // entries.
                var next = load()
                if chance(80) { next.resource = loads[0].resource }
                loads.append(next.isLocal ? next.withoutHTTP : next)
            }
            guard chance(12) else { return .load(loads) }
            return .load(loads, cancelled: [Int.random(in: 0..<count, using: &random)], afterFirstRequest: chance(50))
        }

        private mutating func variant() -> ReferenceLoad {
            var load = ReferenceLoad(0)
            if chance(50) { load.box = chance(60) ? 12 : 6 }
            if chance(45) {
                load.transformers = [[1], [2], [1, 2], [3], [1, 3], [3, 1]].randomElement(using: &random) ?? [1]
            }
            return load
        }

        private mutating func load() -> ReferenceLoad {
            if variants.isEmpty { variants = (0..<Int.random(in: 1...3, using: &random)).map { _ in variant() } }
            var load = variants.randomElement(using: &random) ?? ReferenceLoad(0)
            load.resource = resource()
            load.form = ReferenceLoad.Form.allCases.randomElement(using: &random) ?? .callback
            if load.isLocal {
                if chance(40) { load.options.insert(.refreshCached) }
                if chance(10) { load.options.insert(.fromCacheOnly) }
                return load
            }
            if chance(12) { load.credentials = chance(60) ? .scoped(1) : .scoped(2) }
            if chance(8) { load.credentials = chance(50) ? .undeclared(1) : .undeclared(2) }
            if chance(4) { load.credentials = chance(50) ? .unstored(1) : .unstored(2) }
            if chance(30) { load.options.insert(.refreshCached) }
            if chance(12) { load.options.insert(.retryFailed) }
            if chance(6) { load.options.insert(.fromCacheOnly) }
            if chance(10) { load.options.insert(.fromLoaderOnly) }
            if chance(15) { load.signature = Int.random(in: 1...3, using: &random) }
            if chance(20) { load.options.insert(.queryDiskDataSync) }
            if chance(10) { load.options.insert(.waitStoreCache) }
            if chance(20) { load.options.insert(chance(50) ? .highPriority : .lowPriority) }
            if chance(8) { load.modifiedStatus = chance(70) ? 200 : 404 }
            guard !mayLoseEntries else { return load }
            if chance(20) { load.limit = 600 }
            if chance(8) { load.queryType = [.memory, .disk, ImageCacheType.none].randomElement(using: &random) }
            if chance(20) { load.storeType = [.all, .all, .memory, .disk, .none].randomElement(using: &random) }
            return load
        }
    }
}
