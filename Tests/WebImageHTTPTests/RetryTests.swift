import Foundation
import Testing
import WebImageCore
import WebImageHTTP

/// Tests whether, and after which delay, `ExponentialBackoff` retries a failed download. No transfer runs.
struct RetryTests {
    private func failure(
        _ error: WebImageError, attempts: Int = 1, retryAfter: Duration? = nil
    ) -> DownloadFailure {
        DownloadFailure(error: error, attempts: attempts, retryAfter: retryAfter)
    }

    private func status(_ status: Int) -> WebImageError {
        WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: status))
    }

    private func curl(_ code: Int) -> WebImageError {
        WebImageError(.transport, stage: .download, underlying: .curl(code: code, message: ""))
    }

    @Test func retryWaitsDoubleUpToTheMaximum() {
        var backoff = ExponentialBackoff(maxAttempts: 20) { 0 }
        backoff.maxDelay = .seconds(3)
        let waits = (1...5).map { backoff.delay(after: failure(status(503), attempts: $0)) }
        #expect(waits == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(3), .seconds(3)])
        backoff.base = .milliseconds(100)
        #expect(backoff.delay(after: failure(status(503), attempts: 2)) == .milliseconds(200))
        #expect(ExponentialBackoff(maxAttempts: .max).delay(after: failure(curl(7), attempts: 1_000_000)) != nil)
    }

    @Test func jitterShortensAWaitByUpToHalfByDefault() {
        var backoff = ExponentialBackoff { 1 }
        #expect(backoff.delay(after: failure(status(503))) == .milliseconds(250))
        backoff.jitter = 0
        #expect(backoff.delay(after: failure(status(503))) == .milliseconds(500))
        backoff.jitter = 1
        #expect(backoff.delay(after: failure(status(503))) == .zero)
    }

    @Test func attemptsAreCounted() {
        let backoff = ExponentialBackoff(maxAttempts: 3)
        #expect(backoff.delay(after: failure(status(503), attempts: 2)) != nil)
        #expect(backoff.delay(after: failure(status(503), attempts: 3)) == nil)
    }

    @Test func retryAfterOfTheServerIsHonoured() {
        let backoff = ExponentialBackoff { 0 }
        #expect(backoff.delay(after: failure(status(429), retryAfter: .seconds(7))) == .seconds(7))
        #expect(backoff.delay(after: failure(status(429), retryAfter: .zero)) == .milliseconds(500))
        #expect(backoff.delay(after: failure(status(429), retryAfter: .seconds(3600))) == nil)
    }

    @Test(arguments: [400, 401, 403, 404, 410, 501]) func lastingStatusesAreNotTriedAgain(code: Int) {
        #expect(ExponentialBackoff().delay(after: failure(status(code))) == nil)
    }

    @Test(arguments: [1, 3, 27, 47, 58, 60]) func permanentFailuresAreNotRetried(code: Int) {
        #expect(ExponentialBackoff().delay(after: failure(curl(code))) == nil)
    }

    @Test(arguments: [5, 6, 7, 16, 18, 28, 35, 52, 55, 56, 92, 97]) func transientFailuresAreRetried(code: Int) {
        #expect(ExponentialBackoff().delay(after: failure(curl(code))) != nil)
    }

    @Test(arguments: [
        ("120", Duration.seconds(120)), ("Sun, 06 Nov 1994 08:49:37 GMT", .seconds(37)), ("0", .zero),
        ("Sun, 06 Nov 1990 08:49:37 GMT", .zero),
    ])
    func retryAfterIsSecondsOrADate(text: String, wait: Duration) {
        let response = WebImageResponse(url: nil, allHeaderFields: ["retry-after": text])
        #expect(response.retryAfter(now: 784_111_740) == wait)
    }

    @Test(arguments: ["", "soon", "-5"]) func invalidRetryAfterIsNil(text: String) {
        #expect(WebImageResponse(url: nil, allHeaderFields: ["retry-after": text]).retryAfter(now: 0) == nil)
    }
}
