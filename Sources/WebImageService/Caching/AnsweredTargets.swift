import WebImageCore

/// A target that was answered from memory: everything that its next answer needs, except the bytes and the time.
struct AnsweredTarget: Sendable {
    let key: ResultKey
    /// Seconds since 1970.
    let expires: Int?
    /// The validator of the entry that `fixed` describes.
    let etag: String
    let fixed: ResultResponse.Fixed
    let route: ServiceRecord.Route
    let source: String?
}

/// Targets that were answered from memory. Saves parsing a target, checking its source and computing its key again.
///
/// Belongs to one version of the settings, which decide about all of these.
struct AnsweredTargets: Sendable {
    /// The parts of a request that determine its result.
    private struct Request: Sendable, Hashable {
        let target: String
        let accept: String?

        /// Nil for a method without a picture, and for long texts, of which the budget would hold few.
        init?(_ request: ServiceRequest) {
            guard request.method == "GET" || request.method == "HEAD" else { return nil }
            target = request.target
            accept = request.headers["Accept"]
            guard byteCount <= 4_096 else { return nil }
        }

        var byteCount: Int { target.utf8.count + (accept?.utf8.count ?? 0) }
    }

    /// About 4,000 targets.
    private let values = RecentValues<Request, AnsweredTarget>(budget: 8 << 20)

    func target(of request: ServiceRequest) -> AnsweredTarget? { Request(request).flatMap(values.value(for:)) }

    func remember(_ target: AnsweredTarget, for request: ServiceRequest) {
        // The fields of an answer take about 1.5 KB.
        if let wanted = Request(request) { values.set(target, for: wanted, cost: wanted.byteCount + 1_536) }
    }
}
