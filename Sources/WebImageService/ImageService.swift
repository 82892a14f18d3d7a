import Foundation
import WebImage
package import WebImageCore
public import WebImageLoading

/// An HTTP image service without a transport. It receives a request as a value and returns the answer as a value.
///
/// Safe to call from any task. Concurrent requests that need the same work share this work. Decoding runs on the
/// library's decode threads, never on the caller's thread.
public final class ImageService: Sendable {
    let provider: ResultProvider
    let pool: DecodePool
    let metrics = ServiceMetrics()
    let sending = SendBudget()
    let clock: any DelayClock
    let coders: ImageCodersManager
    /// The folder of local sources.
    let folder: LocalFolder?
    /// The secret with which a client of this machine makes the start page sign targets. The program prints it.
    package let startPageToken = (0..<4).map { _ in String(UInt32.random(in: .min ... .max), radix: 36) }.joined()
    /// The downloader of sources; nil if the caller fetches them.
    private let downloader: WebImageDownloader?
    private let state: Locked<State>

    struct State {
        var settings: ServiceSettings
        var isReady = true
        var isDraining = false
    }

    /// Creates a service and opens its caches.
    ///
    /// Blocks while it reads the files of the watermark and the fallback.
    /// - Throws: `ConfigurationError` if a setting cannot be used.
    public convenience init(configuration: ServiceConfiguration = ServiceConfiguration()) throws(ConfigurationError) {
        try self.init(configuration: configuration, loader: nil, clock: SystemClock())
    }

    /// Creates a service that uses the caller's loader instead of downloads.
    ///
    /// - Parameter loader: Fetches the bytes of http and https sources. The loader must enforce the download policy.
    public convenience init(
        configuration: ServiceConfiguration, loader: any ImageLoader
    ) throws(ConfigurationError) {
        try self.init(configuration: configuration, loader: loader, clock: SystemClock())
    }

    package init(
        configuration: ServiceConfiguration, loader: (any ImageLoader)?, clock: any DelayClock,
        coders: ImageCodersManager = .shared, tiers: CacheTiers? = nil, judgesAddresses: Bool? = nil
    ) throws(ConfigurationError) {
        var settings = try ServiceSettings(configuration)
        settings.rules.judgesAddresses = judgesAddresses ?? (loader == nil)
        var folder: LocalFolder?
        if let root = settings.sources.root { folder = try LocalFolder(path: root) }
        let pool = DecodePool.shared
        let limiter = WorkLimiter(
            WorkLimiter.Limits(
                works: configuration.queue, worksPerHost: configuration.queuePerHost,
                queueWait: .milliseconds(configuration.queueWait), worksUnderOverload: 5 * pool.width,
                deadline: .seconds(configuration.decodeTimeout), requests: configuration.maxRequests,
                requestsPerClient: configuration.maxRequestsPerClient),
            clock: clock
        ) { pool.waitingCountWithoutLow }
        let shared = tiers.map { SharedTiers(tiers: $0, clock: clock) }
        downloader = loader == nil ? ServiceComponents.downloader(settings, clock: clock) : nil
        let results = ServiceComponents.cache("results", bytes: configuration.resultCacheBytes, configuration)
        let sources = ServiceComponents.cache("sources", bytes: configuration.sourceCacheBytes, configuration)
        let purges = PurgeJournal(tiers: tiers, disk: results ?? sources, clock: clock)
        let fetcher = SourceFetcher(
            loader: loader ?? downloader ?? ServiceComponents.downloader(settings, clock: clock),
            downloader: downloader, cache: sources, folder: folder,
            objects: ServiceComponents.objects(settings), order: limiter.order, clock: clock, purges: purges,
            tiers: shared)
        let store = ResultStore(
            memoryBytes: configuration.resultMemoryBytes, disk: results, clock: clock, purges: purges, tiers: shared)
        purges.start()
        self.pool = pool
        provider = ResultProvider(
            store: store, fetcher: fetcher, limiter: limiter,
            background: BackgroundWork(limit: max(configuration.queue / 2, 1)), pool: pool, clock: clock)
        self.clock = clock
        self.coders = coders
        self.folder = folder
        state = Locked(State(settings: settings))
    }

    var settings: ServiceSettings { state.withLock { $0.settings } }

    /// The settings. Nil after ``beginDraining()``, because the service then refuses pictures.
    private var servingSettings: ServiceSettings? { state.withLock { $0.isDraining ? nil : $0.settings } }

    /// Applies another configuration to new requests. Requests in flight keep the old configuration.
    ///
    /// Only live settings are applied: ``ServiceConfiguration/liveSettings``. Blocks while it reads the files of the
    /// watermark and the fallback.
    /// - Returns: The names of the changed settings that need a restart.
    /// - Throws: `ConfigurationError` if a setting cannot be used. The old configuration then remains in use.
    @discardableResult
    public func reload(_ configuration: ServiceConfiguration) throws(ConfigurationError) -> [String] {
        // Some settings take effect at the next start. An operator must not learn then that they cannot be used.
        try configuration.checkSettings()
        let (merged, waiting) = settings.configuration.reloaded(configuration)
        var settings = try ServiceSettings(merged, checksReferences: false)
        settings.rules.judgesAddresses = self.settings.rules.judgesAddresses
        // First the policy of downloads, so that no request with the new settings follows a redirect that they forbid.
        if let downloader { ServiceComponents.apply(settings, to: downloader) }
        state.withLock { $0.settings = settings }
        return waiting
    }

    /// Refuses pictures (503) from now on and answers 503 on `/readyz`. Requests in flight continue.
    public func beginDraining() { state.withLock { ($0.isReady, $0.isDraining) = (false, true) } }

    /// Answers 503 on `/readyz` from now on. All other requests are answered as before. Use this function with a server
    /// that refuses new requests itself and completes the accepted requests.
    public func announceDraining() { state.withLock { $0.isReady = false } }

    var isReady: Bool { state.withLock { $0.isReady } }

    var isDraining: Bool { state.withLock { $0.isDraining } }

    /// Cancels work in the background and waits until stored results and sources are written to disk, and for at most two seconds
    /// until they are written to the tiers.
    public func shutdown() async {
        provider.background.close()
        await provider.store.flush()
        await provider.fetcher.flush()
        await provider.store.tiers?.tiers.shutDown()
    }

    /// Answers a request. A failure is an answer with an error status, so this function does not throw.
    ///
    /// The server cancels the calling task if the client disconnects. The answer then has status 499. The work for the
    /// request is cancelled if no other request waits for this work.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        await respond(to: request) { logEntry throws(ServiceRefusal) in try await self.answer(request, &logEntry) }
    }

    /// Answers a request for a picture from memory. Returns nil if the result is not in memory, or if ``respond(to:)``
    /// has not yet answered the same target with the same `Accept` from memory.
    ///
    /// The answer is equal to the answer of ``respond(to:)``. If this function returns nil, the transport passes the
    /// request to ``respond(to:)``.
    ///
    /// Returns within microseconds and never blocks, so a transport may call this function on a thread that serves
    /// sockets. The limits on requests in flight do not apply, because the request waits for nothing.
    public func respondFromMemory(to request: ServiceRequest) -> ServiceResponse? {
        guard let settings = servingSettings, let known = settings.answered.target(of: request) else { return nil }
        let start = clock.now
        let now = clock.date
        if let expires = known.expires, Double(expires) <= now { return nil }
        let store = provider.store
        guard store.knownGeneration(of: known.key.source) == known.key.generation,
            let entry = store.entryInMemory(for: known.key, judge: known.judged), entry.isFresh(now: now)
        else { return nil }
        var logEntry = ServiceLogEntry(request)
        logEntry.target = known.logged
        logEntry.route = known.route
        logEntry.source = known.source
        logEntry.outcome = .memory
        let answer = ResultResponse(request: request, settings: settings, now: now, expires: known.expires)
        var response = answer.response(entry, logEntry, fixed: known.fixed)
        // `respond(to:)` gives the reason.
        do throws(ServiceRefusal) { try count(&response, for: request, settings) } catch { return nil }
        finish(&response, of: request, settings, since: start)
        return response
    }

    /// Counts the body of an answer until it is sent.
    private func count(
        _ response: inout ServiceResponse, for request: ServiceRequest, _ settings: ServiceSettings
    ) throws(ServiceRefusal) {
        guard request.method != "HEAD" else { return }
        let limit = max(settings.output.maxWorkBytes / 4, Self.leastSendBytes)
        switch response.body {
        case .none, .file: return
        case .bytes(let data):
            response.body = .bytes(try sending.counted(data, limit: limit, client: request.client))
        case .arriving(let body):
            let size = body.sourceByteCount ?? min(settings.output.decoding.maxEncodedBytes, Self.bytesInMemory)
            let hold = try sending.hold(body.source, count: size, limit: limit, client: request.client)
            body.whenClosed { [metrics] count, isWhole in
                metrics.countArrived(count, isWhole: isWhole)
                withExtendedLifetime(hold) {}
            }
        }
    }

    /// The least limit of the bytes of bodies that are being sent.
    private static let leastSendBytes = 16 << 20
    /// The part of a source of unknown size that is in memory while it arrives. The rest is in a file.
    private static let bytesInMemory = WebImageDownloaderConfig().maxBodyBytesInMemory

    /// Answers a request that arrived on the operator's listening address: metrics, health checks and purges.
    ///
    /// - `GET /metrics`: Prometheus text.
    /// - `POST /purge?source=URL` (percent-encoded): purges all results of a source and the source itself.
    /// - `POST /purge?target=TARGET` (percent-encoded): purges the results of one target. With tiers, purges its source.
    /// - `POST /purge?tag=TAG,TAG`: purges the results and sources with one of these tags (option `cache-tag`, fields
    ///   `Cache-Tag` and `Surrogate-Key` of the origin), on all machines.
    /// - `POST /purge?prefix=URL` (percent-encoded): purges the results of all sources whose URL begins with this one, on
    ///   all machines.
    ///
    /// With `&soft=yes`, entries with these tags or sources are used while they are revalidated.
    ///
    /// Purges require `Authorization: Bearer TOKEN` with a configured token.
    public func respondToOperator(_ request: ServiceRequest) async -> ServiceResponse {
        await respond(to: request) { logEntry throws(ServiceRefusal) in
            try await self.operatorAnswer(request, &logEntry)
        }
    }

    /// Makes the answer to a head, a connection or a request that the transport refuses, and counts it.
    ///
    /// The answer has the form of all other errors: the same fields, and JSON if the configuration says so. Returns
    /// within microseconds and never blocks.
    ///
    /// - Parameters:
    ///   - status: The status of the refusal, 400...599.
    ///   - message: The cause in one sentence. It must contain no part of the head, because it is logged.
    ///   - retryAfter: The time in seconds after which a retry may succeed; nil if this time is not known.
    ///   - accepted: The request that is refused although ``respond(to:)`` has begun to answer it; nil for a head or a
    ///     connection. `respond` counts this request when its task is cancelled, so it is not counted here.
    public func refusal(
        status: Int, message: String, retryAfter: Int? = nil, accepted: ServiceRequest? = nil
    ) -> ServiceResponse {
        let start = clock.now
        let settings = settings
        let request = accepted ?? ServiceRequest(method: "-", target: "-")
        var logEntry = ServiceLogEntry(request)
        logEntry.target = accepted.map { settings.logged.text(of: $0.target) } ?? request.target
        if accepted != nil {
            let refusal = ServiceRefusal(status, .draining, message, retryAfter: retryAfter)
            var response = ErrorResponse.response(refusal, logEntry, settings: settings)
            addFields(to: &response, settings)
            return response
        }
        let refusal = ServiceRefusal(status, .head, message, retryAfter: retryAfter)
        var response = ErrorResponse.response(refusal, logEntry, settings: settings)
        finish(&response, of: request, settings, since: start)
        return response
    }

    private func respond(
        to request: ServiceRequest,
        _ answer: (inout ServiceLogEntry) async throws(ServiceRefusal) -> ServiceResponse
    ) async -> ServiceResponse {
        let start = clock.now
        let settings = settings
        var logEntry = ServiceLogEntry(request)
        logEntry.target = settings.logged.text(of: request.target)
        var response: ServiceResponse
        do throws(ServiceRefusal) {
            let permit = try provider.limiter.enter(client: request.client)
            logEntry.number = permit.number
            logEntry.budget = budget(settings)
            defer { withExtendedLifetime(permit) {} }
            response = try await answer(&logEntry)
            try count(&response, for: request, settings)
            // The request is in flight until its source is complete.
            if case .arriving(let body) = response.body { body.retain(permit) }
        } catch {
            // A task that is cancelled while the server stops belongs to a request that received 503, not to a client
            // that has left.
            let isCut = error.reason == .gone && !isReady
            logEntry.outcome = .refused
            let refusal = isCut ? ServiceRefusal(503, .draining, "the service is stopping", retryAfter: 1) : error
            response = ErrorResponse.response(refusal, logEntry, settings: settings)
        }
        finish(&response, of: request, settings, since: start)
        return response
    }

    /// Returns the started budget of a request that is accepted now.
    private func budget(_ settings: ServiceSettings) -> WorkBudget {
        let clock = clock
        let budget = WorkBudget(
            time: settings.output.decoding.maxDecodeTime, maxBytes: settings.output.maxWorkBytes, now: { clock.now })
        budget.start()
        return budget
    }

    /// Adds the fields that all answers have, and counts the answer.
    private func finish(
        _ response: inout ServiceResponse, of request: ServiceRequest, _ settings: ServiceSettings,
        since start: Duration
    ) {
        addFields(to: &response, settings)
        response.logEntry.duration = clock.now - start
        metrics.count(response, isHead: request.method == "HEAD")
    }

    /// Adds the fields that all answers have.
    private func addFields(to response: inout ServiceResponse, _ settings: ServiceSettings) {
        response.headers["X-Request-Id"] = response.logEntry.requestID
        response.headers["X-Content-Type-Options"] = "nosniff"
        if response.headers["Content-Security-Policy"] == nil {
            response.headers["Content-Security-Policy"] = Self.contentPolicy
        }
        if !settings.configuration.allowedOrigin.isEmpty {
            response.headers["Access-Control-Allow-Origin"] = settings.configuration.allowedOrigin
            if settings.configuration.allowedOrigin != "*" { response.headers.append("Vary", "Origin") }
            response.headers["Cross-Origin-Resource-Policy"] = "cross-origin"
        }
    }

    /// The `Content-Security-Policy` of answers. Browsers also open pictures as documents, and an SVG document may
    /// contain scripts. This policy prevents the scripts from running.
    static let contentPolicy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox"
}
