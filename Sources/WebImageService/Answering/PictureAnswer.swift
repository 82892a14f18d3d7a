import Foundation
import WebImageCore
import WebImageGraphics
import WebImageHTTP

/// Answers one request for a picture, or for the description of a source.
struct PictureAnswer {
    let provider: ResultProvider
    let coders: ImageCodersManager
    let clock: any DelayClock
    let request: ServiceRequest
    let settings: ServiceSettings
    let target: ImageTarget
    /// Also contains what was found before a refusal.
    private(set) var logEntry: ServiceLogEntry

    init(
        to request: ServiceRequest, target: ImageTarget, settings: ServiceSettings, logEntry: ServiceLogEntry,
        service: ImageService
    ) {
        provider = service.provider
        coders = service.coders
        clock = service.clock
        self.request = request
        self.target = target
        self.settings = settings
        self.logEntry = logEntry
    }

    mutating func response() async throws(ServiceRefusal) -> ServiceResponse {
        if let expires = target.options.expires, Double(expires) <= clock.date {
            throw ServiceRefusal(410, .expired, "the target has expired")
        }
        try settings.check(target.options.limits)
        let allowed = try settings.sources.reference(of: target.source)
        logEntry.source = RequestIdentity.redacted(allowed.key)
        let reference = await provider.fetcher.current(allowed)
        return switch target.kind {
        case .picture where target.options.raw: try await raw(reference)
        case .picture: try await picture(reference)
        case .info, .meta: try await description(of: reference)
        }
    }

    private var answer: ResultResponse {
        var answer = ResultResponse(request: request, settings: settings, now: clock.date)
        answer.expires = target.options.expires
        answer.filename = target.options.filename
        answer.isAttachment = target.options.isAttachment
        return answer
    }

    private func sourceContext(_ generation: Int) -> SourceRequestContext {
        SourceRequestContext(
            request: logEntry.number, generation: generation, traceParent: logEntry.traceParent,
            budget: logEntry.budget, tags: target.options.tags, seen: provider.store.purges.stamp)
    }

    private mutating func log(_ provided: ResultProvider.Provided) {
        logEntry.outcome = provided.outcome
        logEntry.stages = provided.stages
        logEntry.sourceByteCount = provided.sourceByteCount
    }

    // MARK: Pictures

    private mutating func picture(_ reference: SourcePolicy.Reference) async throws(ServiceRefusal) -> ServiceResponse {
        var (answer, options) = (answer, target.options)
        if settings.configuration.usesClientHints {
            ClientHints.apply(request.headers, to: &options)
            answer.vary += ClientHints.names
        }
        var accepted: AcceptedFormats = []
        var offered = settings.offered
        // A JPEG that is not processed is sent as JPEG XL without a loss, whether pictures are encoded in it or not.
        if options.skippedFormats.contains(.jpeg), coders.jpegTranscoder != nil { offered.insert(.jxl) }
        if options.format == nil, !offered.isEmpty {
            accepted = AcceptedFormats(accept: request.headers["Accept"], offered: offered)
            answer.vary.insert("Accept", at: 0)
        }
        do throws(ServiceRefusal) {
            let (provided, key) = try await provide(options, from: reference, accepted: accepted, &answer)
            log(provided)
            let fixed = answer.fixed(provided.entry)
            // A local file must be examined for each request, so its targets are not remembered.
            if provided.outcome == .memory, answer.maxAge == nil, !settings.configuration.usesClientHints,
                reference.fileVersion == nil
            {
                let known = AnsweredTarget(
                    key: key, expires: answer.expires, etag: provided.entry.head.etag,
                    stored: provided.entry.head.stored, lifetime: provided.entry.head.lifetime, fixed: fixed,
                    route: logEntry.route, source: logEntry.source, logged: logEntry.target)
                settings.answered.remember(known, for: request)
            }
            return answer.response(provided.entry, logEntry, fixed: fixed)
        } catch {
            let fallback = await fallback(after: error, answer, options, accepted: accepted)
            guard let fallback else { throw error }
            return fallback
        }
    }

    /// Returns the result in the preferred format. If AVIF is preferred but not available within the configured time,
    /// returns the result in the next format.
    private func provide(
        _ options: ProcessingOptions, from reference: SourcePolicy.Reference, accepted: AcceptedFormats,
        _ answer: inout ResultResponse
    ) async throws(ServiceRefusal) -> (ResultProvider.Provided, ResultKey) {
        if accepted.contains(.avif), coders.canEncode(to: .avif) {
            let budget = Duration.milliseconds(settings.configuration.avifBudget)
            let job = await job(options, from: reference, accepted: accepted)
            do throws(ServiceRefusal) {
                if let provided = try await provider.provide(job, within: budget) { return (provided, job.key) }
                // This answer has a substitute format. Its entity tag differs from the entity tag of the AVIF result.
                // Caches may use this answer for at most 60 seconds, because the AVIF result is probably available
                // afterwards.
                if !provider.isMadeInVain(job.key) { answer.maxAge = 60 }
            } catch {
                // The target names no format. A picture that is too expensive as AVIF can be sent in another one.
                guard [.limit, .timeout, .internalError].contains(error.reason) else { throw error }
            }
        }
        let job = await job(options, from: reference, accepted: accepted.subtracting(.avif))
        return (try await provider.provide(job), job.key)
    }

    private func job(
        _ options: ProcessingOptions, from reference: SourcePolicy.Reference, accepted: AcceptedFormats
    ) async -> PictureJob {
        var renderer = ResultRenderer(options: options, coders: coders)
        renderer.accepted = accepted
        renderer.encodesJPEGXL = settings.offered.contains(.jxl)
        renderer.settings = settings.output
        renderer.watermark = settings.watermark
        let key = await provider.key(.picture, options, from: reference, accepted: accepted, settings: settings)
        return job(key, .picture(renderer), from: reference)
    }

    private func job(
        _ key: ResultKey, _ product: PictureJob.Product, from reference: SourcePolicy.Reference
    ) -> PictureJob {
        let settings = settings
        return PictureJob(
            key: key, reference: reference, demand: sourceContext(key.generation),
            storage: settings.storage.ofResults(from: reference.key, presets: target.presets),
            rules: settings.rules, product: product)
    }

    // MARK: Sources sent unchanged

    private mutating func raw(_ reference: SourcePolicy.Reference) async throws(ServiceRefusal) -> ServiceResponse {
        let rules = settings.rules(bounded: target.options.limits)
        let limit = rules.output.decoding.maxEncodedBytes
        let generation = await provider.store.generation(of: reference.key)
        let context = sourceContext(generation)
        let permit =
            provider.fetcher.hasPermit(reference, maxBytes: limit, generation: generation)
            ? nil : try provider.limiter.begin(host: reference.host, needsProcessor: false)
        let source: Source
        switch try await provider.untouchedSource(
            reference, rules: rules, permit: permit, for: context)
        {
        case .whole(let whole): source = whole
        case .arriving(let fetch):
            if let response = try response(arriving: fetch, from: reference, tags: context.tags) { return response }
            source = try await provider.whole(fetch.task, rules: rules, for: context)
        }
        // The fetch can have begun before a reload of the configuration.
        try rules.check(source.record, reference.location)
        try settings.output.check(ImageFormat(sniffing: source.data))
        logEntry.outcome = .made
        logEntry.sourceByteCount = source.data.count
        let head = ResultEntry.Head(
            mediaType: source.mediaType, etag: source.entityTag ?? source.version,
            stored: source.record.response.responseTime, lifetime: source.lifetime, sourceVersion: source.version,
            source: reference.key)
        return answer.response(ResultEntry(head: head, body: source.data), logEntry)
    }

    /// The answer with a source whose bytes still arrive; nil if the answer needs the whole source: for HEAD, for a client
    /// that has this version, and if the length is needed and the source's server has not declared it.
    private mutating func response(
        arriving fetch: SourceSubscription, from reference: SourcePolicy.Reference, tags: [String]
    ) throws(ServiceRefusal) -> ServiceResponse? {
        guard request.method == "GET", request.arrivingBodies != .none, let beginning = fetch.source.join() else {
            return nil
        }
        // The fetch may have begun before a purge.
        let verdict = provider.store.purges.verdict(
            tags: tags + beginning.head.tags, source: reference.key, seen: fetch.source.seen)
        guard verdict != .hard else { return nil }
        do throws(ServiceRefusal) {
            guard settings.allowsRedirect(to: beginning.head.redirect) else { throw .redirect }
            try settings.output.check(beginning.format)
        } catch {
            fetch.leave()
            throw error
        }
        let tag = beginning.head.entityTag ?? ""
        let needsLength = request.arrivingBodies == .ofKnownLength || request.headers["Range"] != nil
        guard beginning.byteCount != nil || !needsLength, !EntityTag.matches(request.headers["If-None-Match"], tag),
            ConditionalRequest.holds(request.headers, etag: tag)
        else { return nil }
        logEntry.outcome = .made
        logEntry.sourceByteCount = beginning.byteCount
        let head = ResultEntry.Head(
            mediaType: Source.mediaType(of: beginning.format), etag: tag, stored: clock.date,
            lifetime: beginning.head.lifetime, sourceVersion: tag, source: reference.key)
        let response = answer.response(head, count: beginning.byteCount, logEntry: logEntry) { range in
            .arriving(
                ArrivingBody(fetch, byteCount: beginning.byteCount, range: range, isStored: beginning.isStored))
        }
        // The range cannot be satisfied.
        if case .none = response.body { fetch.leave() }
        return response
    }

    // MARK: Descriptions

    private mutating func description(
        of reference: SourcePolicy.Reference
    ) async throws(ServiceRefusal) -> ServiceResponse {
        // The limits of a target, and those of the preset `default`, also apply to a description.
        let info = SourceInfo(settings: settings.output.bounded(by: target.options.limits), coders: coders)
        let key = await provider.key(target.kind, target.options, from: reference, accepted: [], settings: settings)
        let product = target.kind == .meta ? PictureJob.Product.meta(info, target) : .info(info)
        let provided = try await provider.provide(job(key, product, from: reference))
        log(provided)
        var answer = ResultResponse(request: request, settings: settings, now: clock.date)
        answer.expires = target.options.expires
        answer.filename = "info"
        return answer.response(provided.entry, logEntry)
    }

    // MARK: The fallback picture

    /// The least time for the fallback picture, in seconds.
    private static let fallbackSeconds = 0.4

    /// Returns the answer with the fallback picture; nil if none is configured, or if the source is not to blame.
    private mutating func fallback(
        after refusal: ServiceRefusal, _ answer: ResultResponse, _ options: ProcessingOptions,
        accepted: AcceptedFormats
    ) async -> ServiceResponse? {
        let reasons: [ServiceRefusal.Reason] = [.upstream, .upstreamStatus, .upstreamTimeout, .notPicture]
        guard let source = settings.fallback, reasons.contains(refusal.reason) else { return nil }
        // A slow source may have used up the time of the request. The fallback needs no fetch.
        let budget = logEntry.budget
        logEntry.budget = budget.renewed(time: .seconds(max(budget.remainingSeconds, Self.fallbackSeconds)))
        // The fallback is a source like any other: its results are stored, shared and counted in the queue.
        let job = await job(options, from: source, accepted: accepted.subtracting(.avif))
        guard let provided = try? await provider.provide(job) else { return nil }
        log(provided)
        logEntry.reason = refusal.reason.rawValue
        logEntry.message = refusal.message
        var answer = answer
        let seconds = refusal.secondsOfUse(settings.configuration.negativeTTL)
        answer.maxAge = seconds
        let configured = settings.configuration.fallbackStatus
        let status = configured == 0 ? refusal.status : configured
        // The fields of a condition and of a range apply only to an answer with status 200 (RFC 9110 §13.2.1, §14.2). With
        // them, the answer to a failure would be 304 or 206.
        if status != 200 {
            for name in ["If-Match", "If-None-Match", "Range"] { answer.request.headers[name] = nil }
        }
        var response = answer.response(provided.entry, logEntry)
        if response.status == 200 { response.status = status }
        if seconds == 0 {
            response.headers["Cache-Control"] = "no-store"
            for name in ["Age", "Expires", "X-Accel-Expires"] { response.headers[name] = nil }
        }
        return response
    }
}
