import WebImageCore

extension ImageService {
    /// Makes the answer to a head or a connection that the transport refuses before it has a request, and counts it.
    ///
    /// The answer has the form of all other errors: the same fields, and JSON if the configuration says so. Returns
    /// within microseconds and never blocks.
    ///
    /// - Parameters:
    ///   - status: The status of the refusal, 400...599.
    ///   - message: The cause in one sentence. It must contain no part of the head, because it is logged.
    ///   - retryAfter: The time in seconds after which a retry may succeed; nil if this time is not known.
    public func refusal(status: Int, message: String, retryAfter: Int? = nil) -> ServiceResponse {
        let start = clock.now
        let settings = settings
        let request = ServiceRequest(method: "-", target: "-")
        var record = ServiceRecord(request)
        record.target = request.target
        let refusal = ServiceRefusal(status, .head, message, retryAfter: retryAfter)
        var response = ErrorResponse.response(refusal, record, settings: settings)
        finish(&response, of: request, settings, start)
        return response
    }
}
