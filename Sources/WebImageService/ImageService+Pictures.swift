import Foundation
import WebImageCore

extension ImageService {
    func key(
        of target: ImageTarget, _ reference: SourcePolicy.Reference, _ accepted: AcceptedFormats,
        _ settings: ServiceSettings, kind: RoutedTarget.Kind = .picture
    ) async -> ResultKey {
        ResultKey(
            kind: kind, source: reference.key, place: reference.fileVersion ?? reference.store,
            options: target.options, accepted: accepted,
            generation: await provider.store.generation(of: reference.key), fingerprint: settings.fingerprint)
    }

    private func demand(
        _ generation: Int, for target: ImageTarget, _ record: ServiceRecord
    ) -> SourceRequestContext {
        SourceRequestContext(
            request: record.number, generation: generation, traceParent: record.traceParent, budget: record.budget,
            tags: target.options.tags)
    }

    /// Returns the source with the current version of its file, if it is a local file.
    func current(_ reference: SourcePolicy.Reference) async -> SourcePolicy.Reference {
        await provider.fetcher.current(reference)
    }

    /// Checks the target's expiry, limits and source, and returns the source.
    private func admit(
        _ target: ImageTarget, _ settings: ServiceSettings, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> SourcePolicy.Reference {
        if let expires = target.options.expires, Double(expires) <= clock.date {
            throw ServiceRefusal(410, .expired, "the target has expired")
        }
        try settings.check(target.options.limits)
        let reference = try settings.sources.reference(of: target.source)
        record.source = RequestIdentity.redacted(reference.key)
        return await current(reference)
    }

    func pictureAnswer(
        _ request: ServiceRequest, _ target: ImageTarget, _ settings: ServiceSettings, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        var target = target
        let reference = try await admit(target, settings, &record)
        var answer = ResultResponse(request: request, settings: settings, now: clock.date)
        answer.expires = target.options.expires
        answer.filename = target.options.filename
        answer.isAttachment = target.options.isAttachment
        if target.options.raw { return try await rawAnswer(answer, target, reference, &record) }
        if settings.configuration.usesClientHints {
            ClientHints.apply(request.headers, to: &target.options)
            answer.vary += ClientHints.names
        }
        var accepted: AcceptedFormats = []
        if target.options.format == nil, !settings.offered.isEmpty {
            accepted = AcceptedFormats(accept: request.headers["Accept"], offered: settings.offered)
            answer.vary.insert("Accept", at: 0)
        }
        do throws(ServiceRefusal) {
            let (provided, key) = try await provide(target, reference, accepted, settings, record, &answer)
            record.take(provided)
            let fixed = answer.fixed(provided.entry)
            // A local file must be examined for each request, so its targets are not remembered.
            if provided.outcome == .memory, answer.maxAge == nil, !settings.configuration.usesClientHints,
                reference.fileVersion == nil
            {
                let known = AnsweredTarget(
                    key: key, expires: answer.expires, etag: provided.entry.head.etag, fixed: fixed,
                    route: record.route, source: record.source, logged: record.target)
                settings.answered.remember(known, for: request)
            }
            return answer.response(provided.entry, record, fixed: fixed)
        } catch {
            guard let fallback = await fallbackAnswer(error, answer, target, accepted, settings, record) else {
                throw error
            }
            return fallback
        }
    }

    /// Returns the result in the preferred format. If AVIF is preferred but not available within the configured time,
    /// returns the result in the next format.
    private func provide(
        _ target: ImageTarget, _ reference: SourcePolicy.Reference, _ accepted: AcceptedFormats,
        _ settings: ServiceSettings, _ record: ServiceRecord, _ answer: inout ResultResponse
    ) async throws(ServiceRefusal) -> (ResultProvider.Provided, ResultKey) {
        func job(_ accepted: AcceptedFormats) async -> PictureJob {
            let key = await key(of: target, reference, accepted, settings)
            return self.job(key, reference, target, accepted, settings, demand(key.generation, for: target, record))
        }
        if accepted.contains(.avif), coders.canEncode(to: .avif) {
            let budget = Duration.milliseconds(settings.configuration.avifBudget)
            let job = await job(accepted)
            if let provided = try await provider.provide(job, within: budget) { return (provided, job.key) }
            // This answer has a substitute format. Its entity tag differs from the entity tag of the AVIF result.
            // Caches may use this answer for at most 60 seconds, because the AVIF result is probably available
            // afterwards.
            answer.maxAge = 60
        }
        let job = await job(accepted.subtracting(.avif))
        return (try await provider.provide(job), job.key)
    }

    private func job(
        _ key: ResultKey, _ reference: SourcePolicy.Reference, _ target: ImageTarget, _ accepted: AcceptedFormats,
        _ settings: ServiceSettings, _ demand: SourceRequestContext
    ) -> PictureJob {
        var resultRenderer = ResultRenderer(options: target.options, coders: coders)
        resultRenderer.accepted = accepted
        resultRenderer.settings = settings.output
        resultRenderer.watermark = settings.watermark
        let made = resultRenderer
        return PictureJob(
            key: key, reference: reference, demand: demand,
            storage: settings.storage.ofResults(from: reference.key, presets: target.presets),
            maxSourceBytes: settings.output.decoding.maxEncodedBytes, bounds: settings.lifetimes,
            negativeTTL: settings.configuration.negativeTTL,
            cost: { made.cost(of: $0) },
            make: { try made.make(from: $0, sharing: $1, budget: $2) },
            decodeKey: { made.decodeKey(for: $0) }, allowsRedirect: { settings.allowsRedirect(to: $0) })
    }

    // MARK: Sources sent unchanged

    private func rawAnswer(
        _ answer: ResultResponse, _ target: ImageTarget, _ reference: SourcePolicy.Reference,
        _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let limit = min(target.options.limits.maxSourceBytes ?? .max, answer.settings.output.decoding.maxEncodedBytes)
        let permit = try provider.limiter.begin(host: reference.host, needsProcessor: false)
        defer { withExtendedLifetime(permit) {} }
        let generation = await provider.store.generation(of: reference.key)
        let source = try await provider.source(
            reference, maxBytes: limit, bounds: answer.settings.lifetimes, for: demand(generation, for: target, record))
        guard answer.settings.allowsRedirect(to: source.redirect) else { throw .redirect }
        try answer.settings.output.check(ImageFormat(sniffing: source.data))
        record.outcome = .made
        record.sourceByteCount = source.data.count
        let head = ResultEntry.Head(
            mediaType: source.mediaType, etag: source.version, stored: clock.date, lifetime: source.lifetime,
            sourceVersion: source.version, source: reference.key)
        return answer.response(ResultEntry(head: head, body: source.data), record)
    }

    // MARK: Facts

    /// The limits of a target, and those of the preset `default`, also apply to a description.
    private func facts(_ target: ImageTarget, _ settings: ServiceSettings) -> SourceInfo {
        SourceInfo(settings: settings.output.bounded(by: target.options.limits), coders: coders)
    }

    func factsAnswer(
        _ request: ServiceRequest, _ target: ImageTarget, _ settings: ServiceSettings, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let facts = facts(target, settings)
        return try await reportAnswer(request, target, settings, &record, kind: .info) { try facts.make(from: $0) }
    }

    func metaAnswer(
        _ request: ServiceRequest, _ target: ImageTarget, _ settings: ServiceSettings, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let facts = facts(target, settings)
        return try await reportAnswer(request, target, settings, &record, kind: .meta) {
            try facts.meta(of: $0, url: target.source, options: target.options)
        }
    }

    private func reportAnswer(
        _ request: ServiceRequest, _ target: ImageTarget, _ settings: ServiceSettings, _ record: inout ServiceRecord,
        kind: RoutedTarget.Kind, make: @escaping @Sendable (Data) throws -> EncodedResult
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let reference = try await admit(target, settings, &record)
        let description = facts(target, settings)
        let key = await key(of: target, reference, [], settings, kind: kind)
        let provided = try await provider.provide(
            PictureJob(
                key: key, reference: reference, demand: demand(key.generation, for: target, record),
                storage: settings.storage.ofResults(from: reference.key, presets: target.presets),
                maxSourceBytes: settings.output.decoding.maxEncodedBytes, bounds: settings.lifetimes,
                negativeTTL: settings.configuration.negativeTTL, cost: { description.cost(of: $0) },
                make: { data, _, _ in try make(data) },
                allowsRedirect: { settings.allowsRedirect(to: $0) }))
        record.take(provided)
        var answer = ResultResponse(request: request, settings: settings, now: clock.date)
        answer.expires = target.options.expires
        answer.filename = "info"
        return answer.response(provided.entry, record)
    }

    // MARK: The fallback picture

    /// The least time for the fallback picture, in seconds.
    private static let fallbackSeconds = 0.4

    private func fallbackAnswer(
        _ refusal: ServiceRefusal, _ answer: ResultResponse, _ target: ImageTarget, _ accepted: AcceptedFormats,
        _ settings: ServiceSettings, _ record: ServiceRecord
    ) async -> ServiceResponse? {
        let reasons: [ServiceRefusal.Reason] = [.upstream, .upstreamStatus, .upstreamTimeout, .notPicture]
        guard let source = settings.fallback, reasons.contains(refusal.reason) else { return nil }
        let accepted = accepted.subtracting(.avif)
        let key = await key(of: target, source, accepted, settings)
        // A slow source may have used up the time of the request. The fallback needs no fetch.
        var record = record
        record.budget = record.budget.renewed(time: .seconds(max(record.budget.remainingSeconds, Self.fallbackSeconds)))
        // The fallback is a source like any other: its results are stored, shared and counted in the queue.
        let job = job(key, source, target, accepted, settings, demand(key.generation, for: target, record))
        guard let provided = try? await provider.provide(job) else { return nil }
        record.take(provided)
        record.reason = refusal.reason.rawValue
        record.message = refusal.message
        var answer = answer
        answer.maxAge = settings.configuration.negativeTTL
        var response = answer.response(provided.entry, record)
        let status = settings.configuration.fallbackStatus
        if response.status == 200 { response.status = status == 0 ? refusal.status : status }
        return response
    }
}

extension ServiceRecord {
    fileprivate mutating func take(_ provided: ResultProvider.Provided) {
        outcome = provided.outcome
        stages = provided.stages
        sourceByteCount = provided.sourceByteCount
    }
}
