package import Foundation
package import WebImageCore
package import WebImageLoading

/// One HTTP request with its whole response, for protocols over HTTP such as S3 and a service's operator. Redirects are not followed.
package struct HTTPExchange: Sendable {
    /// The key with which a request is signed (AWS Signature Version 4). libcurl signs path, query and header fields as
    /// they are given, so the caller writes them in canonical form and adds `x-amz-content-sha256`.
    package struct Signing: Sendable, Hashable {
        package var keyID: String
        package var secret: String
        package var region: String
        package var service: String

        package init(keyID: String, secret: String, region: String, service: String) {
            (self.keyID, self.secret, self.region, self.service) = (keyID, secret, region, service)
        }
    }

    package struct Answer: Sendable {
        package var response: WebImageResponse
        package var body: Data
    }

    package var request: WebImageRequest
    /// Nil sends the request without a signature.
    package var signing: Signing?
    /// The path of a PEM file with the authorities to trust; nil for the system's.
    package var certificateAuthorityFile: String?
    /// The path of the Unix socket to connect to; nil for the host of the URL.
    package var unixSocket: String?
    /// Whether the proxies of the environment are used.
    package var usesProxies = true

    package init(_ request: WebImageRequest) { self.request = request }

    /// Sends the request and waits for the end of the response, for at most `budget`. Every status is a success.
    ///
    /// - Parameter endsEarly: Called with each piece of the body that arrives: whether what has arrived is enough. The answer
    ///   then has only these bytes. Called on the thread that receives all bodies, so it must return quickly.
    /// - Throws: `.cancelled` if the task is cancelled; `.transport` if the response does not arrive in time or the
    ///   connection fails; `.limitExceeded` if the body is longer than the request's `maxBodyBytes`.
    package func perform(
        on engine: CurlEngine, within budget: Duration, clock: any DelayClock = SystemClock(),
        endsEarly: (@Sendable (Data, WebImageResponse) -> Bool)? = nil
    ) async throws(WebImageError) -> Answer {
        var route = CurlRoute.Members()
        route.certificateAuthorityFile = certificateAuthorityFile
        route.unixSocket = unixSocket
        if !usesProxies { route.proxy = "" }
        if let signing {
            (route.username, route.password) = (signing.keyID, signing.secret)
            route.signature = "aws:amz:\(signing.region):\(signing.service)"
        }
        let sink = CollectingSink(endsEarly: endsEarly)
        let transfer = CurlTransfer(WebImageDownloaderJob(request, route: CurlRoute(route)), sink: sink)
        let url = request.url
        let timer = clock.schedule(after: budget) {
            sink.end(
                .failure(
                    WebImageError(
                        .transport, stage: .cache, url: url, underlying: .message("no answer within \(budget)"))))
            engine.cancel(transfer)
        }
        let result = await withTaskCancellationHandler {
            engine.start(transfer)
            return await withValueContinuation { sink.whenEnded($0.resume(returning:)) }
        } onCancel: {
            sink.end(.failure(.cancelled.with(url: url)))
            engine.cancel(transfer)
        }
        timer.cancel()
        return try result.get()
    }
}

/// Collects the body of one response in memory. The transfer enforces the limit of its size.
private final class CollectingSink: WebImageDownloaderSink {
    private let body = Locked(Data())
    private let head = Locked<WebImageResponse?>(nil)
    private let endsEarly: (@Sendable (Data, WebImageResponse) -> Bool)?
    private let completion = Completion<Result<HTTPExchange.Answer, WebImageError>>()

    init(endsEarly: (@Sendable (Data, WebImageResponse) -> Bool)?) { self.endsEarly = endsEarly }

    func end(_ result: Result<HTTPExchange.Answer, WebImageError>) { completion.complete(with: result) }

    func whenEnded(_ handler: @escaping @Sendable (Result<HTTPExchange.Answer, WebImageError>) -> Void) {
        completion.whenCompleted(handler)
    }

    /// Reserving less than what a server declares prevents that a false length allocates memory.
    private static let mostReserved = 4 << 20

    func transferDidReceive(head: WebImageResponse) -> WebImageError? {
        if let expected = head.expectedContentLength, expected > 0 {
            body.withLock { $0.reserveCapacity(min(expected, Self.mostReserved)) }
        }
        if endsEarly != nil { self.head.withLock { $0 = head } }
        return nil
    }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
        body.withLock { $0.append(contentsOf: bytes) }
        guard let endsEarly, let head = head.withLock({ $0 }) else { return nil }
        let start = body.withLock { $0 }
        guard endsEarly(start, head) else { return nil }
        end(.success(HTTPExchange.Answer(response: head, body: start)))
        return .cancelled
    }

    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        let body = body.withLock { body in
            defer { body = Data() }
            return body
        }
        end(result.map { HTTPExchange.Answer(response: $0.response, body: body) })
    }
}
