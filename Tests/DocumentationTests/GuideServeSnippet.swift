// snippet: guide-serve
import Foundation
public import WebImageServer
import WebImageService

/// Serves the handler, for example on `127.0.0.1:8080`. The server runs until `stop(within:)`.
public func serve(_ handler: PreviewHandler, on address: String) throws(HTTPServerError) -> HTTPServer {
    try HTTPServer(
        listening: [ListenAddress(address)],
        respondImmediately: { request in
            // Called on a thread that serves sockets: only for answers that need no work.
            request.target == "/healthz" ? ServiceResponse(status: 200, body: .bytes(Data("ok\n".utf8))) : nil
        },
        respond: { request in await handler.answer(request) })
}
// end
