import Foundation
public import WebImageCore
public import WebImageLoading

/// A cache tier in a bucket of an S3-compatible store.
///
/// Objects are named `<prefix>/wi1/<namespace>/<2 digits>/<digest>`; `wi1` names the format. A store does not remove
/// objects by their lifetime: an entry that has expired is a miss and is removed when it is read. For the others, set a
/// lifecycle rule of the store on the prefix.
public final class S3Tier: CacheTier, CoordinatingCacheTier {
    package struct Configuration: Sendable {
        /// The largest value, in bytes.
        package var mostValueBytes = 32 << 20
        package var breaker = CircuitBreaker.Configuration()

        package init() {}
    }

    package let client: S3Client
    private let configuration: Configuration
    private let clock: any DelayClock
    private let guarded: CacheTierGuard<S3Failure>
    private let report: @Sendable (S3Failure) -> Void
    /// The last reported failure; each is reported once in a row.
    private let reported = Locked<S3Failure?>(nil)
    /// Whether the tier may hold the pictures of single users.
    public let isPrivate: Bool

    /// Opens a tier in a bucket.
    ///
    /// The access key comes from `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, or from the shared credentials file.
    /// - Parameters:
    ///   - url: `s3://bucket[/prefix][?endpoint=https://host[:port]&region=…&style=path|host&ca=file]`. Region and endpoint
    ///     default to `AWS_REGION` and `AWS_ENDPOINT_URL_S3`.
    ///   - isPrivate: Whether the tier may hold the pictures of single users; see `CacheTier`.
    /// - Throws: `.invalidURL` with a hint.
    public convenience init(url: String, isPrivate: Bool = false) throws(WebImageError) {
        self.init(S3Client(try S3Configuration(url: url)), isPrivate: isPrivate)
    }

    /// - Parameter report: Called on any thread for a failure that an operator must repair: a refused key, a missing
    ///   bucket, a wrong region. Called once until the store works again or fails in another way.
    package init(
        _ client: S3Client, configuration: Configuration = Configuration(), isPrivate: Bool = false,
        clock: any DelayClock = SystemClock(), report: @escaping @Sendable (S3Failure) -> Void = { _ in }
    ) {
        self.client = client
        self.isPrivate = isPrivate
        self.configuration = configuration
        self.clock = clock
        self.report = report
        guarded = CacheTierGuard(
            configuration.breaker, clock: clock, open: .down("the circuit breaker is open")
        ) { failure in
            switch failure {
            case .missing, .preconditionFailed, .tooLarge: .answer
            case .cancelled: .cancelled
            default: .fault
            }
        }
    }

    /// Counters. S3 gives no leases.
    public var coordination: CacheTierCoordination? { CacheTierCoordination(self) }

    package var statistics: CacheTierStatistics { guarded.statistics }

    package var rules: CacheTierRules {
        var rules = CacheTierRules()
        rules.name = "s3"
        rules.budget = .milliseconds(250)
        rules.writeBudget = .seconds(30)
        // Each question costs money and up to a quarter of a second.
        rules.purgeInterval = .seconds(60)
        return rules
    }

    /// Reads an entry. An object that is no entry of this key, or has expired, is removed.
    public func entry(for key: CacheTierKey, within budget: Duration) async -> CacheTierEntry? {
        let name = name(of: key)
        let most = configuration.mostValueBytes + CacheTierEnvelope.mostOverhead
        let result = await call { await self.client.get(name, most: most, within: budget) }
        guard case .success(let object) = result else {
            // An object that is too large was not stored by a tier with these limits.
            guarded.count {
                if result.failure == .missing { $0.misses += 1 }
                if result.failure == .tooLarge { $0.rejected += 1 }
            }
            if result.failure == .tooLarge { await reject(name, within: budget) }
            return nil
        }
        let found = CacheTierEnvelope.decode(object.data, for: key, mostValue: configuration.mostValueBytes)
        if let entry = guarded.accepted(found, size: object.data.count) { return entry }
        await reject(name, within: budget)
        return nil
    }

    /// Removes an object that is no valid entry. If another machine has just replaced it, its entry is lost: that costs
    /// a fetch. Not every store can compare before it removes.
    private func reject(_ name: String, within budget: Duration) async {
        _ = await call { await self.client.remove(name, within: budget) }
    }

    /// Stores an entry of at most 32 MiB.
    @discardableResult
    public func put(_ entry: CacheTierEntry, for key: CacheTierKey, within budget: Duration) async -> Bool {
        let most = configuration.mostValueBytes + CacheTierEnvelope.mostOverhead
        guard let stored = guarded.blocks(of: entry, for: key, most: most) else { return false }
        let data = stored.blocks.reduce(into: Data(capacity: stored.size)) { $0.append($1) }
        let result = await call { await self.client.put(data, at: self.name(of: key), within: budget) }
        guard case .success = result else { return false }
        guarded.stored(stored.size)
        return true
    }

    /// Removes entries.
    @discardableResult
    public func remove(_ keys: [CacheTierKey], within budget: Duration) async -> Bool {
        if keys.isEmpty { return true }
        let result = await call { await self.client.remove(keys.map(self.name(of:)), within: budget) }
        if case .success = result { return true }
        return false
    }

    /// Returns the number and the bytes of the objects of this tier, and the failure that ended the count.
    package func countStored(within budget: Duration) async -> (count: Int, bytes: Int, failure: S3Failure?) {
        let deadline = clock.now + budget
        var (count, bytes, token) = (0, 0, String?.none)
        repeat {
            switch await client.list(prefix: prefix, after: token, within: deadline - clock.now) {
            case .failure(let failure): return (count, bytes, failure)
            case .success(let page):
                count += page.entries.count
                bytes += page.entries.reduce(0) { $0 + $1.size }
                token = page.next
            }
        } while token != nil
        return (count, bytes, nil)
    }

    /// Removes the objects of this tier that were stored before a time, or all of them.
    ///
    /// - Parameter date: Seconds since 1970 by the clock of the store; nil removes all.
    /// - Returns: The number of removed objects, and the failure that ended the work.
    func removeStored(
        before date: TimeInterval?, within budget: Duration
    ) async -> (removed: Int, failure: S3Failure?) {
        let deadline = clock.now + budget
        var (removed, token) = (0, String?.none)
        repeat {
            switch await client.list(prefix: prefix, after: token, within: deadline - clock.now) {
            case .failure(let failure): return (removed, failure)
            case .success(let page):
                let old = page.entries.filter { entry in
                    guard let date else { return true }
                    return entry.stored.map { $0 < date } ?? false
                }
                if case .failure(let failure) = await client.remove(old.map(\.key), within: deadline - clock.now) {
                    return (removed, failure)
                }
                removed += old.count
                token = page.next
            }
        } while token != nil
        return (removed, nil)
    }

    /// Tests which conditions the store enforces; see ``S3Client/testConditions(prefix:within:)``.
    package func testConditions(within budget: Duration) async -> Result<S3Conditions, S3Failure> {
        await client.testConditions(prefix: prefix, within: budget)
    }

    private var prefix: String {
        client.configuration.prefix.isEmpty ? "wi1/" : "\(client.configuration.prefix)/wi1/"
    }

    func name(of key: CacheTierKey) -> String { "\(prefix)\(key.namespace)/\(key.digest.prefix(2))/\(key.digest)" }

    private func call<Value>(_ body: () async -> Result<Value, S3Failure>) async -> Result<Value, S3Failure> {
        let result = await guarded.call(body)
        switch result.failure {
        case nil, .missing, .preconditionFailed, .tooLarge: reported.withLock { $0 = nil }
        case .some(let failure) where failure.needsOperator:
            let isNew = reported.withLock { reported in
                defer { reported = failure }
                return reported != failure
            }
            if isNew { report(failure) }
        case .some: break
        }
        return result
    }
}

extension S3Failure {
    /// Whether only a change of the configuration repairs this failure.
    var needsOperator: Bool {
        switch self {
        case .forbidden, .otherRegion, .unconfigured, .refused: true
        default: false
        }
    }
}

extension Result where Failure == S3Failure {
    /// The failure; nil for a success.
    var failure: S3Failure? { if case .failure(let failure) = self { failure } else { nil } }
}
