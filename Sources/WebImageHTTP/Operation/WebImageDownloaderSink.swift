import Foundation
public import WebImageCore
import WebImageLoading

/// Receives the head, the bytes and the end of one transfer.
///
/// The functions are called on any thread, one at a time, and must return quickly.
public protocol WebImageDownloaderSink: AnyObject, Sendable {
    /// Receives the head of the final response. Called at most once, before the body. A returned error ends the
    /// transfer.
    func transferDidReceive(head: WebImageResponse) -> WebImageError?
    /// Receives the next bytes of the body, after content decoding. A returned error ends the transfer.
    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError?
    /// Receives the result of the transfer. Called exactly once, also after an error or a cancel.
    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>)
}

/// The result of a transfer that succeeded.
public struct WebImageDownloadEnd: Sendable {
    /// The head of the response.
    public var response: WebImageResponse
    /// The durations of the transfer's phases.
    public var metrics: DownloadMetrics

    /// Makes a result.
    public init(response: WebImageResponse, metrics: DownloadMetrics = DownloadMetrics()) {
        self.response = response
        self.metrics = metrics
    }
}

/// Follows redirects for an operation without a downloader. The inner sink receives only the final response.
final class RedirectingSink: WebImageDownloaderSink {
    private struct State {
        var request: WebImageDownloaderJob
        var redirect: Redirect?
        var count = 0
    }

    private let sink: any WebImageDownloaderSink
    private let first: URL
    private let start: @Sendable (WebImageDownloaderJob, any WebImageDownloaderSink) -> Void
    private let state: Locked<State>

    /// - Parameter start: Starts the transfer for the target of a redirect.
    init(
        _ request: WebImageDownloaderJob, _ sink: any WebImageDownloaderSink,
        start: @escaping @Sendable (WebImageDownloaderJob, any WebImageDownloaderSink) -> Void
    ) {
        self.sink = sink
        self.start = start
        first = request.request.url
        state = Locked(State(request: request))
    }

    func transferDidReceive(head: WebImageResponse) -> WebImageError? {
        let isRedirect = state.withLock { state in
            state.redirect = Redirect(head, from: state.request.request.url)
            return state.redirect != nil
        }
        return isRedirect ? nil : sink.transferDidReceive(head: head)
    }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
        state.withLock { $0.redirect == nil } ? sink.transferDidReceive(bytes: bytes) : nil
    }

    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        let (request, redirect, count) = state.withLock { state in
            state.count += 1
            return (state.request, state.redirect.take(), state.count)
        }
        guard let redirect, case .success = result else {
            return sink.transferDidEnd(
                result.map { end in
                    var end = end
                    end.metrics.redirectCount = count - 1
                    return end
                })
        }
        do throws(WebImageError) {
            let next = try request.following(redirect, count: count, of: first)
            state.withLock { $0.request = next }
            start(next, self)
        } catch {
            sink.transferDidEnd(.failure(error))
        }
    }
}
