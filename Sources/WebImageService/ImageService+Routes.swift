import Foundation
import WebImageCore
import WebImageLoading

extension ImageService {
    func answer(_ request: ServiceRequest, _ logEntry: inout ServiceLogEntry) async throws(ServiceRefusal)
        -> ServiceResponse
    {
        let settings = settings
        guard request.target.utf8.count <= settings.configuration.maxTargetBytes else {
            throw ServiceRefusal(
                414, .target, "the target is longer than \(settings.configuration.maxTargetBytes) bytes")
        }
        switch request.method {
        case "GET", "HEAD": break
        case "OPTIONS": return optionsAnswer(logEntry)
        default: throw ServiceRefusal(405, .method, "the method is not GET, HEAD or OPTIONS")
        }
        guard request.target.hasPrefix("/") else { throw .target("a target must begin with a slash") }
        let path = request.target.prefix { $0 != "?" && $0 != "#" }
        let prefix = settings.configuration.pathPrefix
        // The prefix ends at a slash: a target below /imgfoo is not below /img.
        let isInside = path == prefix || path.hasPrefix(prefix + "/")
        let rest = isInside ? path.dropFirst(prefix.count) : nil
        // Health checks are answered with and without the prefix, because a proxy may forward only paths with it.
        if let answer = try healthAnswer(path, &logEntry) { return answer }
        if let rest, let answer = try healthAnswer(rest, &logEntry) { return answer }
        if isDraining { throw ServiceRefusal(503, .draining, "the service is stopping", retryAfter: 5) }
        guard let rest else { throw ServiceRefusal(404, .notFound, "nothing exists at this path") }
        switch rest {
        case "", "/": return await startPage(request, settings: settings, logEntry)
        // Browsers ask for the icon with each page or picture that they open; a refusal would fill the log.
        case "/favicon.ico":
            logEntry.route = .start
            return noContent(cacheControl: "public, max-age=86400", logEntry)
        case "/robots.txt": throw ServiceRefusal(404, .notFound, "nothing exists at this path")
        default: break
        }
        let target = try settings.target(of: rest, &logEntry.route)
        var answer = PictureAnswer(to: request, target: target, settings: settings, logEntry: logEntry, service: self)
        defer { logEntry = answer.logEntry }
        return try await answer.response()
    }

    /// The answer to a health check; nil for any other path.
    private func healthAnswer(
        _ path: Substring, _ logEntry: inout ServiceLogEntry
    ) throws(ServiceRefusal) -> ServiceResponse? {
        switch path {
        case "/healthz", "/health": return page("ok\n", route: .health, logEntry)
        case "/readyz":
            logEntry.route = .ready
            if !isReady { throw ServiceRefusal(503, .draining, "the service is stopping") }
            // Without its tiers the service is slower, but it answers.
            let failing = provider.store.tiers?.failing ?? []
            let text = failing.isEmpty ? "ready\n" : "ready without \(failing.joined(separator: ", "))\n"
            return page(text, route: .ready, logEntry)
        default: return nil
        }
    }

    private func optionsAnswer(_ logEntry: ServiceLogEntry) -> ServiceResponse {
        var response = noContent(cacheControl: nil, logEntry)
        response.headers["Allow"] = "GET, HEAD, OPTIONS"
        response.headers["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
        response.headers["Access-Control-Max-Age"] = "86400"
        return response
    }

    private func noContent(cacheControl: String?, _ logEntry: ServiceLogEntry) -> ServiceResponse {
        var response = ServiceResponse(status: 204, logEntry: logEntry)
        response.headers["Cache-Control"] = cacheControl
        response.logEntry.outcome = .page
        return response
    }

    /// The page at `/`. It loads nothing from other hosts. For a client of this machine it lists the pictures of the
    /// folder, and it signs targets if the client has the secret that the service printed when it started.
    private func startPage(
        _ request: ServiceRequest, settings: ServiceSettings, _ logEntry: ServiceLogEntry
    ) async -> ServiceResponse {
        let query = StartPage.query(request.target)
        let isLocal = StartPage.isLocal(request)
        let knowsToken = HMAC.isEqual(Array((query["token"] ?? "").utf8), Array(startPageToken.utf8))
        let token = isLocal && knowsToken && settings.configuration.requiresSignature ? startPageToken : nil
        let isTrusted = isLocal && (token != nil || !settings.configuration.requiresSignature)
        let names = isTrusted ? await folder?.pictureNames() ?? [] : []
        // The configuration may allow only a part of the folder.
        let allowed = names.filter { (try? settings.sources.reference(of: "local:///" + $0)) != nil }
        let html = StartPage(settings: settings, query: query, token: token, names: allowed).html
        var response = page(html, route: .start, logEntry)
        response.headers["Content-Type"] = "text/html; charset=utf-8"
        response.headers["Content-Security-Policy"] = StartPage.contentPolicy
        return response
    }

    private func page(
        _ text: String, route: ServiceLogEntry.Route, _ logEntry: ServiceLogEntry
    ) -> ServiceResponse {
        var response = ServiceResponse(status: 200, body: .bytes(Data(text.utf8)), logEntry: logEntry)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        response.headers["Cache-Control"] = "no-store"
        response.logEntry.route = route
        response.logEntry.outcome = .page
        return response
    }

    // MARK: The operator's listener

    func operatorAnswer(
        _ request: ServiceRequest, _ logEntry: inout ServiceLogEntry
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first ?? ""
        guard path == "/purge" || ["GET", "HEAD"].contains(request.method) else {
            throw .method(allowed: "GET, HEAD")
        }
        if let answer = try healthAnswer(path, &logEntry) { return answer }
        switch path {
        case "/metrics":
            var response = page(
                metrics.text(gauges: await gauges, unpurgeableSources: provider.fetcher.unpurgeableCount)
                    + (provider.store.tiers?.metrics ?? ""), route: .metrics,
                logEntry)
            response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
            return response
        case "/purge":
            logEntry.route = .purge
            return try await purge(request, query: parts.count == 2 ? parts[1] : "", logEntry)
        default: throw ServiceRefusal(404, .notFound, "nothing exists at this path")
        }
    }

    private var gauges: [ServiceMetrics.Gauge] {
        get async {
            let sizes = await cacheSizes
            return [
                .init("requests_in_flight", help: "Requests that are being answered.", provider.limiter.requestCount),
                .init("works_in_flight", help: "Results being made.", provider.limiter.workCount),
                .init("sending_bytes", help: "Bytes of large bodies that are being sent.", sending.byteCount),
                .init("decode_running", help: "Decodes that run.", pool.runningCount),
                .init("decode_waiting", help: "Decodes that wait for a thread.", pool.waitingCount),
                .init("cache_bytes", help: "Bytes in each cache.", sizes.map { (["layer": $0.layer], $0.bytes) }),
            ]
        }
    }

    /// The sizes of the caches in bytes. A cache that is off is left out.
    private var cacheSizes: [(layer: String, bytes: Int)] {
        get async {
            var sizes = [("result-memory", provider.store.memoryByteCount)]
            if let bytes = await provider.store.diskByteCount() { sizes.append(("result-cache", bytes)) }
            if let bytes = await provider.fetcher.diskByteCount() { sizes.append(("source-cache", bytes)) }
            return sizes
        }
    }

    private func purge(
        _ request: ServiceRequest, query: Substring, _ logEntry: ServiceLogEntry
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let settings = settings
        guard ["POST", "DELETE", "PURGE"].contains(request.method) else {
            throw .method(allowed: "POST, DELETE, PURGE")
        }
        // The name of the scheme has no case (RFC 9110 §11.1).
        let field = request.headers["Authorization"] ?? ""
        let token = field.prefix(7).lowercased() == "bearer " ? Array(field.dropFirst(7).trimmed.utf8) : []
        // Compare every token, so that the response time does not reveal which token matched.
        guard settings.purgeTokens.count(where: { HMAC.isEqual(Array($0.utf8), token) }) > 0 else {
            throw ServiceRefusal(401, .unauthorized, "the token is missing or wrong")
        }
        let purge = try PurgeRequest(query: query, settings.sources)
        let silent: [String]
        switch purge.subject {
        case .source(let url): silent = await self.purge(source: try settings.sources.reference(of: url))
        case .target(let target): silent = try await self.purge(target: target, settings)
        case .entries(let subjects): silent = await provider.store.purges.purge(subjects, isSoft: purge.isSoft)
        }
        return page(
            silent.isEmpty ? "purged\n" : "purged without \(silent.joined(separator: ", "))\n",
            route: .purge, logEntry)
    }

    /// Returns the names of the tiers that have not received the purge, after that of the disk cache if it lacks the purge.
    private func purge(source reference: SourcePolicy.Reference) async -> [String] {
        let store = provider.store
        let generation = await store.purge(reference.key)
        provider.fetcher.purge(reference, before: generation)
        // A tier may evict the number, or lose it at a restart; the log is sent again by every machine that knows it. Other
        // machines have other local files.
        let isShared = store.tiers?.holds(reference) ?? false
        let unlogged = await store.purges.purge(
            [.source(PurgeTable.name(of: reference.key))], isSoft: false, isOnlyHere: !isShared)
        await store.flush()
        let logNames = store.purges.logNames
        let unnumbered = await store.tiers?.announce(generation, of: reference.key) ?? []
        let silent = Set(unlogged).intersection(logNames).union(Set(unnumbered).subtracting(logNames))
        let lost = unlogged.filter { $0 == PurgeJournal.diskName }
        return lost + (store.tiers?.tiers.levels.map(\.name).filter(silent.contains) ?? [])
    }

    /// Purges the results of a target in the form in which the service answers it: with the path prefix, in each
    /// grammar, and with or without scheme and host.
    private func purge(
        target: String, _ settings: ServiceSettings
    ) async throws(ServiceRefusal) -> [String] {
        let path = Self.path(of: target)
        var route = ServiceLogEntry.Route.none
        guard let inner = ServiceSettings.inside(path, settings.configuration.pathPrefix) else {
            throw .target("the target does not begin with the path prefix")
        }
        let named = try settings.target(of: inner, &route)
        let reference = await provider.fetcher.current(try settings.sources.reference(of: named.source))
        // The result of `raw` is the source itself. With client hints, a target has results for unknown many values of
        // the hints. Other machines receive only purges of sources. In these cases, purge the source with all its
        // results.
        if named.options.raw || (named.kind == .picture && settings.configuration.usesClientHints)
            || provider.store.tiers?.holds(reference) == true
        {
            return await purge(source: reference)
        }
        var keys: [ResultKey] = []
        for accepted in Self.allAccepted(settings.offered) {
            keys.append(
                await provider.key(
                    named.kind, named.options, from: reference, accepted: accepted, settings: settings))
        }
        for key in keys { provider.store.remove(key) }
        await provider.store.flush()
        return await provider.store.areRemovedFromDisk(keys) ? [] : [PurgeJournal.diskName]
    }

    /// Removes scheme, host, query and fragment from a target.
    private static func path(of target: String) -> Substring {
        var text = target.prefix { $0 != "?" && $0 != "#" }
        if let scheme = ["http://", "https://"].first(where: { text.hasPrefix($0) }) {
            text = text.dropFirst(scheme.count).drop { $0 != "/" }
        }
        return text
    }

    /// Returns all combinations of the offered formats. A client can accept each combination, so a purge of a target
    /// removes one result for each combination.
    private static func allAccepted(_ offered: AcceptedFormats) -> Set<AcceptedFormats> {
        Set((0..<8).map { AcceptedFormats(rawValue: $0).intersection(offered) })
    }
}
