import Foundation

/// Makes the answer to a refused request.
enum ErrorResponse {
    private struct Report: Encodable {
        var status: Int
        var error: String
        var message: String
        var option: String?
        var request: String
    }

    static func response(
        _ refusal: ServiceRefusal, _ logEntry: ServiceLogEntry, settings: ServiceSettings
    ) -> ServiceResponse {
        var response = ServiceResponse(status: refusal.status, logEntry: logEntry)
        if refusal.isFromMemory { response.logEntry.outcome = .negative }
        response.logEntry.reason = refusal.reason.rawValue
        response.logEntry.message = refusal.message
        if settings.configuration.usesJSONErrors {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            let report = Report(
                status: refusal.status, error: refusal.reason.rawValue, message: refusal.message,
                option: refusal.option, request: logEntry.requestID)
            response.body = .bytes((try? encoder.encode(report)).map { $0 + Data("\n".utf8) } ?? Data())
            response.headers["Content-Type"] = "application/json"
        } else {
            response.body = .bytes(Data((refusal.message + "\n").utf8))
            response.headers["Content-Type"] = "text/plain; charset=utf-8"
        }
        let seconds = refusal.secondsOfUse(settings.configuration.negativeTTL)
        response.headers["Cache-Control"] = seconds > 0 ? "public, max-age=\(seconds)" : "no-store"
        if let retryAfter = refusal.retryAfter { response.headers["Retry-After"] = String(retryAfter) }
        if refusal.status == 405 { response.headers["Allow"] = refusal.allow ?? "GET, HEAD, OPTIONS" }
        if refusal.status == 401 { response.headers["WWW-Authenticate"] = "Bearer realm=\"webimage\"" }
        return response
    }
}
