import WebImageCore

extension ImageService {
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
            let entry = store.entryInMemory(for: known.key), entry.isFresh(now: now), entry.head.etag == known.etag
        else { return nil }
        var record = ServiceRecord(request)
        record.target = known.logged
        record.route = known.route
        record.source = known.source
        record.outcome = .memory
        let answer = ResultResponse(request: request, settings: settings, now: now, expires: known.expires)
        var response = answer.response(entry, record, fixed: known.fixed)
        finish(&response, of: request, settings, start)
        return response
    }
}
