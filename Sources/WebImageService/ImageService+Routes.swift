import Foundation
import WebImageCore

extension ImageService {
    func answer(_ request: ServiceRequest, _ record: inout ServiceRecord) async throws(ServiceRefusal)
        -> ServiceResponse
    {
        let settings = settings
        guard request.target.utf8.count <= settings.configuration.maxTargetBytes else {
            throw ServiceRefusal(
                414, .target, "the target is longer than \(settings.configuration.maxTargetBytes) bytes")
        }
        switch request.method {
        case "GET", "HEAD": break
        case "OPTIONS": return optionsAnswer(record)
        default: throw ServiceRefusal(405, .method, "the method is not GET, HEAD or OPTIONS")
        }
        guard request.target.hasPrefix("/") else { throw .target("a target must begin with a slash") }
        let path = request.target.prefix { $0 != "?" && $0 != "#" }
        switch path {
        case "/healthz", "/health": return page("ok\n", .health, record)
        case "/readyz":
            record.route = .ready
            if !isReady { throw ServiceRefusal(503, .draining, "the service is stopping") }
            return page("ready\n", .ready, record)
        default: break
        }
        if isDraining { throw ServiceRefusal(503, .draining, "the service is stopping", retryAfter: 5) }
        let prefix = settings.configuration.pathPrefix
        guard path.hasPrefix(prefix) else { throw ServiceRefusal(404, .notFound, "nothing exists at this path") }
        let rest = path.dropFirst(prefix.count)
        switch rest {
        case "", "/": return startPage(request, settings, record)
        case "/favicon.ico", "/robots.txt": throw ServiceRefusal(404, .notFound, "nothing exists at this path")
        default: break
        }
        if settings.thumbor != nil, let inner = Self.inside(rest, settings.configuration.thumborPrefix) {
            return try await thumborAnswer(request, inner, settings, &record)
        }
        if let inner = Self.inside(rest, "/info") {
            record.route = .info
            let target = try settings.imgproxy.parse(inner)
            return try await factsAnswer(request, target, settings, &record)
        }
        record.route = .imgproxy
        let target = try settings.imgproxy.parse(rest)
        return try await pictureAnswer(request, target, settings, &record)
    }

    /// Returns the part of a path after a prefix. The returned part begins with a slash. Returns nil if the path does
    /// not begin with the prefix followed by a slash.
    static func inside(_ path: Substring, _ prefix: String) -> Substring? {
        guard path.hasPrefix(prefix + "/") else { return nil }
        return path.dropFirst(prefix.count)
    }

    private func thumborAnswer(
        _ request: ServiceRequest, _ path: Substring, _ settings: ServiceSettings, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        record.route = .thumbor
        guard let router = settings.thumbor else {
            throw ServiceRefusal(404, .notFound, "nothing exists at this path")
        }
        let parsed = try router.parse(path)
        if parsed.isMeta { return try await metaAnswer(request, parsed.target, settings, &record) }
        return try await pictureAnswer(request, parsed.target, settings, &record)
    }

    private func optionsAnswer(_ record: ServiceRecord) -> ServiceResponse {
        var response = ServiceResponse(status: 204, record: record)
        response.headers["Allow"] = "GET, HEAD, OPTIONS"
        response.headers["Access-Control-Allow-Methods"] = "GET, HEAD, OPTIONS"
        response.headers["Access-Control-Max-Age"] = "86400"
        response.record.outcome = .page
        return response
    }

    func page(_ text: String, _ route: ServiceRecord.Route, _ record: ServiceRecord) -> ServiceResponse {
        var response = ServiceResponse(status: 200, body: .bytes(Data(text.utf8)), record: record)
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        response.headers["Cache-Control"] = "no-store"
        response.record.route = route
        response.record.outcome = .page
        return response
    }

    // MARK: The operator's listener

    func operatorAnswer(
        _ request: ServiceRequest, _ record: inout ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let parts = request.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        switch parts.first ?? "" {
        case "/healthz", "/health": return page("ok\n", .health, record)
        case "/readyz":
            record.route = .ready
            if !isReady { throw ServiceRefusal(503, .draining, "the service is stopping") }
            return page("ready\n", .ready, record)
        case "/metrics":
            guard ["GET", "HEAD"].contains(request.method) else {
                throw ServiceRefusal(405, .method, "the method is not GET or HEAD")
            }
            var response = page(metrics.text(gauges: gauges), .metrics, record)
            response.headers["Content-Type"] = "text/plain; version=0.0.4; charset=utf-8"
            return response
        case "/purge":
            record.route = .purge
            return try await purge(request, parts.count == 2 ? parts[1] : "", record)
        default: throw ServiceRefusal(404, .notFound, "nothing exists at this path")
        }
    }

    private var gauges: [(name: String, help: String, value: Int)] {
        [
            ("requests_in_flight", "Requests that are being answered.", provider.limiter.requestCount),
            ("works_in_flight", "Results being made.", provider.limiter.workCount),
            ("decode_running", "Decodes that run.", pool.runningCount),
            ("decode_waiting", "Decodes that wait for a thread.", pool.waitingCount),
        ]
    }

    private func purge(
        _ request: ServiceRequest, _ query: Substring, _ record: ServiceRecord
    ) async throws(ServiceRefusal) -> ServiceResponse {
        let settings = settings
        guard ["POST", "DELETE", "PURGE"].contains(request.method) else {
            throw ServiceRefusal(405, .method, "a purge requires POST")
        }
        let field = request.headers["Authorization"] ?? ""
        let token = field.hasPrefix("Bearer ") ? Array(field.dropFirst(7).utf8) : []
        // Compare every token, so that the response time does not reveal which token matched.
        guard settings.purgeTokens.count(where: { HMAC.isEqual(Array($0.utf8), token) }) > 0 else {
            throw ServiceRefusal(401, .unauthorized, "the token is missing or wrong")
        }
        let pair = query.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, let value = pair[1].removingPercentEncoding, !value.isEmpty else {
            throw .target("a purge requires source=URL or target=TARGET, percent-encoded")
        }
        switch pair[0] {
        case "source":
            let reference = try settings.sources.reference(of: value)
            let generation = await provider.store.purge(reference.key)
            provider.fetcher.purge(reference.key, before: generation)
        case "target":
            let target = try settings.imgproxy.parse(value.prefix { $0 != "?" }[...])
            let reference = try settings.sources.reference(of: target.source)
            for accepted in Self.allAccepted(settings.offered) {
                provider.store.remove(await key(of: target, reference, accepted, settings))
            }
        default: throw .target("a purge requires source=URL or target=TARGET, percent-encoded")
        }
        return page("purged\n", .purge, record)
    }

    /// Returns all combinations of the offered formats. A client can accept each combination, so a purge of a target
    /// removes one result for each combination.
    private static func allAccepted(_ offered: AcceptedFormats) -> Set<AcceptedFormats> {
        Set((0..<8).map { AcceptedFormats(rawValue: $0).intersection(offered) })
    }
}
