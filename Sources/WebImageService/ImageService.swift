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
    let clock: any DelayClock
    let coders: ImageCodersManager
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
        configuration: ServiceConfiguration, loader: any ImageDataLoader
    ) throws(ConfigurationError) {
        try self.init(configuration: configuration, loader: loader, clock: SystemClock())
    }

    package init(
        configuration: ServiceConfiguration, loader: (any ImageDataLoader)?, clock: any DelayClock,
        coders: ImageCodersManager = .shared, tiers: CacheTiers? = nil
    ) throws(ConfigurationError) {
        let settings = try ServiceSettings(configuration)
        var folder: LocalFolder?
        if let root = settings.sources.root {
            folder = LocalFolder(path: root)
            if folder == nil { throw ConfigurationError("root", "the folder cannot be opened") }
        }
        let pool = DecodePool.shared
        let limiter = WorkLimiter(
            WorkLimiter.Limits(
                works: configuration.queue, worksPerHost: configuration.queuePerHost,
                queueWait: .milliseconds(configuration.queueWait), worksUnderOverload: 5 * pool.width,
                requests: configuration.maxRequests, requestsPerClient: configuration.maxRequestsPerClient),
            clock: clock
        ) { pool.waitingCountWithoutLow }
        let shared = tiers.map { SharedTiers(tiers: $0, clock: clock) }
        downloader = loader == nil ? ServiceComponents.downloader(settings) : nil
        let results = ServiceComponents.cache("results", bytes: configuration.resultCacheBytes, configuration)
        let sources = ServiceComponents.cache("sources", bytes: configuration.sourceCacheBytes, configuration)
        let purges = PurgeJournal(tiers: tiers, disk: results ?? sources, clock: clock)
        let fetcher = SourceFetcher(
            loader: loader ?? downloader ?? ServiceComponents.downloader(settings), cache: sources, folder: folder,
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
        state = Locked(State(settings: settings))
    }

    var settings: ServiceSettings { state.withLock { $0.settings } }

    /// The settings. Nil after ``beginDraining()``, because the service then refuses pictures.
    var servingSettings: ServiceSettings? { state.withLock { $0.isDraining ? nil : $0.settings } }

    /// Applies another configuration to new requests. Requests in flight keep the old configuration.
    ///
    /// Only live settings are applied: ``ServiceConfiguration/liveSettings``. Blocks while it reads the files of the
    /// watermark and the fallback.
    /// - Returns: The names of the changed settings that need a restart.
    /// - Throws: `ConfigurationError` if a setting cannot be used. The old configuration then remains in use.
    @discardableResult
    public func reload(_ configuration: ServiceConfiguration) throws(ConfigurationError) -> [String] {
        let (merged, waiting) = settings.configuration.reloaded(configuration)
        let settings = try ServiceSettings(merged)
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

    /// Cancels work in the background and waits until stored results are written to disk, and for at most two seconds
    /// until they are written to the tiers.
    public func shutdown() async {
        provider.background.close()
        await provider.store.flush()
        await provider.store.tiers?.tiers.shutDown()
    }

    /// Answers a request. A failure is an answer with an error status, so this function does not throw.
    ///
    /// The server cancels the calling task if the client disconnects. The answer then has status 499. The work for the
    /// request is cancelled if no other request waits for this work.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        await respond(to: request) { record throws(ServiceRefusal) in try await self.answer(request, &record) }
    }

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
        await respond(to: request) { record throws(ServiceRefusal) in try await self.operatorAnswer(request, &record) }
    }

    private func respond(
        to request: ServiceRequest,
        _ answer: (inout ServiceRecord) async throws(ServiceRefusal) -> ServiceResponse
    ) async -> ServiceResponse {
        let start = clock.now
        let settings = settings
        var record = ServiceRecord(request)
        record.target = settings.logged.text(of: request.target)
        var response: ServiceResponse
        do throws(ServiceRefusal) {
            let permit = try provider.limiter.enter(client: request.client)
            record.number = permit.number
            record.budget = budget(settings)
            defer { withExtendedLifetime(permit) {} }
            response = try await answer(&record)
        } catch {
            // A task that is cancelled while the server stops belongs to a request that received 503, not to a client
            // that has left.
            let isCut = error.reason == .gone && !isReady
            let refusal = isCut ? ServiceRefusal(503, .draining, "the service is stopping", retryAfter: 1) : error
            response = ErrorResponse.response(refusal, record, settings: settings)
        }
        finish(&response, of: request, settings, start)
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
    func finish(
        _ response: inout ServiceResponse, of request: ServiceRequest, _ settings: ServiceSettings, _ start: Duration
    ) {
        addFields(to: &response, settings)
        response.record.duration = clock.now - start
        metrics.count(response, isHead: request.method == "HEAD")
    }

    /// Adds the fields that all answers have.
    func addFields(to response: inout ServiceResponse, _ settings: ServiceSettings) {
        response.headers["X-Request-Id"] = response.record.requestID
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
