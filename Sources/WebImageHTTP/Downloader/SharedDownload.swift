import Foundation
import WebImageCore

/// One download that several may wait for: gathers the bytes and spreads progress and end.
///
/// Subscribers hear on a serial queue of the download's, never on the engine's thread, which user code could block.
/// Progress that comes faster than they listen is merged.
final class SharedDownload: CurlTransferSink {
    private struct State {
        var body = Data()
        var head: WebImageResponse?
        var metrics: DownloadMetrics?
        var received = 0
        var expected = -1
        var listeners: [DownloadSubscriber] = []
        var isReportScheduled = false
    }

    let order: CurlTransferRequest
    private let acceptance: ResponseAcceptance
    private let state = Locked(State())
    private let delivery = DispatchQueue(label: "webimage.download")
    private let onEnd: @Sendable (DownloadSubscriber.Outcome) -> Void

    /// - Parameter onEnd: Hears the end once, on the engine's thread.
    init(
        _ order: CurlTransferRequest, acceptance: ResponseAcceptance,
        onEnd: @escaping @Sendable (DownloadSubscriber.Outcome) -> Void
    ) {
        self.order = order
        self.acceptance = acceptance
        self.onEnd = onEnd
    }

    var response: WebImageResponse? { state.withLock { $0.head } }
    var metrics: DownloadMetrics? { state.withLock { $0.metrics } }

    /// Adds a listener; it hears at once how far the download is.
    func add(_ subscriber: DownloadSubscriber) {
        guard subscriber.wantsProgress else { return }
        state.withLock { $0.listeners.append(subscriber) }
        scheduleReport()
    }

    /// Tells subscribers the end, after the last progress.
    func deliver(_ outcome: DownloadSubscriber.Outcome, to subscribers: [DownloadSubscriber]) {
        delivery.async {
            if case .success = outcome { self.report() }
            for subscriber in subscribers { subscriber.end(outcome) }
            self.state.withLock { $0.listeners = [] }
        }
    }

    private func scheduleReport() {
        let isDue = state.withLock { state in
            guard !state.isReportScheduled, !state.listeners.isEmpty else { return false }
            state.isReportScheduled = true
            return true
        }
        if isDue { delivery.async { self.report() } }
    }

    private func report() {
        let (received, expected, listeners) = state.withLock { state in
            state.isReportScheduled = false
            state.listeners.removeAll { $0.hasEnded }
            return (state.received, state.expected, state.listeners)
        }
        for listener in listeners { listener.report(received: received, expected: expected) }
    }

    // MARK: On the engine's thread

    func transferDidReceive(head: WebImageResponse) -> WebImageError? {
        let refusal = acceptance.refusal(of: head, for: order.request.url)
        state.withLock { state in
            state.head = head
            guard refusal == nil else { return }
            state.expected = head.expectedContentLength ?? 0
            // The server's word is believed up to a megabyte; beyond that the buffer grows with what really comes.
            state.body.reserveCapacity(min(state.expected, 1 << 20))
        }
        if refusal == nil { scheduleReport() }
        return refusal
    }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
        state.withLock { state in
            state.body.append(contentsOf: bytes)
            state.received = state.body.count
        }
        scheduleReport()
        return nil
    }

    func transferDidEnd(_ result: Result<CurlTransferEnd, WebImageError>) {
        let body = state.withLock { state in
            defer { state.body = Data() }
            return state.body
        }
        switch result {
        case .failure(let error): onEnd(.failure(error))
        case .success(let end):
            state.withLock { $0.metrics = end.metrics }
            onEnd(
                body.isEmpty
                    ? .failure(.emptyBody(order.request.url)) : .success(.init(data: body, response: end.response)))
        }
    }
}
