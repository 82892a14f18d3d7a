import Foundation
import WebImageService

extension ServiceResponse {
    /// The answer (503) to requests that are still unanswered when the server stops.
    static var stopping: ServiceResponse {
        var response = ServiceResponse(status: 503, body: .bytes(Data("the service is stopping\n".utf8)))
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Cache-Control"] = "no-store"
        response.headers["Retry-After"] = "1"
        return response
    }
}
