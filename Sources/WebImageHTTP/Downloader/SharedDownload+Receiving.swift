import Foundation
import WebImageCore

/// Forwards the events of one leg's transfer to the download.
final class DownloadLeg: WebImageDownloaderSink {
    private let number: Int
    private let download: SharedDownload

    init(_ number: Int, of download: SharedDownload) {
        self.number = number
        self.download = download
    }

    func transferDidReceive(head: WebImageResponse) -> WebImageError? { download.leg(number, didReceive: head) }

    func transferDidReceive(bytes: UnsafeRawBufferPointer) -> WebImageError? {
        download.leg(number, didReceive: bytes)
    }

    func transferDidEnd(_ result: Result<WebImageDownloadEnd, WebImageError>) {
        download.leg(number, didEnd: result)
    }
}

/// Handles a transfer's events on the engine's thread. These functions must be quick and must not run user code,
/// because all transfers share that thread.
extension SharedDownload {
    fileprivate func leg(_ number: Int, didReceive head: WebImageResponse) -> WebImageError? {
        switch state.withLock({ $0.decisions.receive(head, leg: number) }) {
        case .skip: return nil
        case .stop(let error): return error
        case .accept:
            scheduleReport(hasNewBytes: true)
            events.post(.receiveResponse, self)
            return nil
        }
    }

    fileprivate func leg(_ number: Int, didReceive bytes: UnsafeRawBufferPointer) -> WebImageError? {
        guard let body = state.withLock({ $0.decisions.body(of: number) }) else { return nil }
        do throws(WebImageError) {
            // Append outside the lock. Appending may write to disk, and a cancel must not wait for the disk.
            try body.append(bytes)
        } catch {
            return error.with(url: plan.url)
        }
        scheduleReport(hasNewBytes: true)
        return nil
    }

    fileprivate func leg(_ number: Int, didEnd result: Result<WebImageDownloadEnd, WebImageError>) {
        let end = state.withLock { state -> DownloadState.LegEnd in
            let success = try? result.get()
            let end = state.decisions.didEnd(leg: number, isSuccess: success != nil)
            if case .ignore = end { return end }
            if var metrics = success?.metrics {
                metrics.redirectCount = state.decisions.redirects.count
                state.metrics = ImmutableBox(metrics)
            }
            return end
        }
        switch end {
        case .ignore: break
        // This is the common case. It needs no switch to the delivery queue.
        case .succeed: succeed()
        case .conclude: delivery.async { self.conclude(number, result) }
        }
    }

    // MARK: Progress

    func scheduleReport(hasNewBytes: Bool = false) {
        if state.withLock({ $0.progressListeners.schedule(hasNewBytes: hasNewBytes) }) {
            delivery.async { self.report() }
        }
    }

    /// Reports progress and delivers new bytes. Runs on the delivery queue.
    func report() {
        let (decisions, listeners) = state.withLock { state in
            (state.decisions, state.progressListeners.takeReport(where: \.hasEnded))
        }
        for listener in listeners {
            if plan.decryptor == nil, let head = decisions.head, let body = decisions.body {
                listener.deliver(body, head: head, generation: decisions.generation)
            }
            listener.report(received: decisions.body?.count ?? 0, expected: decisions.expected)
        }
    }
}
