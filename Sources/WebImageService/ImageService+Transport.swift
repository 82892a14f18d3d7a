import WebImageCore

extension ImageService {
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
        var record = ServiceRecord(request)
        record.target = accepted.map { settings.logged.text(of: $0.target) } ?? request.target
        if accepted != nil {
            let refusal = ServiceRefusal(status, .draining, message, retryAfter: retryAfter)
            var response = ErrorResponse.response(refusal, record, settings: settings)
            addFields(to: &response, settings)
            return response
        }
        let refusal = ServiceRefusal(status, .head, message, retryAfter: retryAfter)
        var response = ErrorResponse.response(refusal, record, settings: settings)
        finish(&response, of: request, settings, start)
        return response
    }
}
