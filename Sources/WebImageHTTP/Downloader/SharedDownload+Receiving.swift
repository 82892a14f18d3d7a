import Foundation
import WebImageCore
import WebImageLoading

/// Handles the end of a transfer: follows a redirect, tries again, or ends the download.
extension SharedDownload {
    // MARK: On the delivery queue

    func conclude(_ number: Int, _ result: Result<WebImageDownloadEnd, WebImageError>) {
        let failure: WebImageError? = if case .failure(let error) = result { error } else { nil }
        switch decide({ $0.conclude(leg: number, failure) }) {
        case .ignore: break
        case .fail(let error): failed(error)
        case .restart:
            removeStoredPartial()
            beginLeg()
        case .follow(let redirect):
            let date = environment.clock.date
            if let refusal = decide({ $0.follow(redirect, date: date) }) {
                finish(.failure(refusal))
            } else {
                beginLeg()
            }
        case .modify:
            do throws(WebImageError) {
                succeed(decrypted: try modify())
            } catch {
                failed(error.with(url: parameters.url))
            }
        }
    }

    /// Applies the response modifier, checks the modified head, and returns the decrypted body; nil if there is nothing
    /// to decrypt.
    private func modify() throws(WebImageError) -> Data? {
        let decisions = decide { $0 }
        if let modifier = parameters.responseModifier, let answer = decisions.head {
            let isConfirmed = decisions.leg?.isConfirmed == true
            guard var modified = modifier.modifiedResponse(with: answer) ?? (isConfirmed ? answer : nil) else {
                throw WebImageError(
                    .invalidDownloadResponse, stage: .download, underlying: .message("the response modifier refused"))
            }
            // After a 304 the modifier can change the header fields but not the status. The head is not checked again,
            // because the cached body was already accepted when it was received.
            if isConfirmed { modified.statusCode = answer.statusCode }
            let head = modified
            if let refusal = decide({ $0.modify(head) }) { throw refusal }
            if isConfirmed { return nil }
        }
        let (body, head) = decide { ($0.body, $0.head) }
        guard let decryptor = parameters.decryptor, let body, body.count > 0 else { return nil }
        guard let data = decryptor.decryptedData(with: try body.data(), response: head) else {
            throw WebImageError(
                .badImageData, stage: .download, underlying: .message("the decryptor could not read the bytes"))
        }
        return data
    }

    /// If the retry strategy returns a delay, pauses the download and puts it back into the queue after that delay.
    /// Otherwise the download fails.
    private func failed(_ error: WebImageError) {
        let (now, date) = (environment.clock.now, environment.clock.date)
        let decisions = decide { $0 }
        let failure = DownloadFailure(
            error: error, attempts: decisions.attempts, elapsed: now - (decisions.begun ?? now),
            retryAfter: decisions.leg?.refusedHead?.retryAfter(now: date))
        guard error.code != .cancelled, let delay = parameters.retry?.delay(after: failure) else {
            finish(.failure(error))
            return
        }
        guard decide({ $0.pause() }) else { return }
        // Pause before scheduling the timer. Otherwise a short timer could call `resume` before the pause. That
        // `resume` would do nothing, and the pause would never end.
        // A server that counts the requests of a client counts those for other URLs too. The target of a redirect may be
        // another server.
        let limitsClient = failure.retryAfter != nil && decisions.leg?.refusedHead?.statusCode == 429
        events.pause(holdingHost: limitsClient && decisions.redirects.isEmpty && delay <= Self.longestHold)
        let wait = environment.clock.schedule(after: max(delay, .zero)) { self.events.resume() }
        if !setWait(wait) { wait.cancel() }
    }

    /// One URL with a longer wait must not stop all others of its host.
    private static let longestHold = Duration.seconds(60)

    // MARK: The end

    func succeed(decrypted: Data? = nil) {
        let decisions = decide { $0 }
        guard !decisions.isOver, let leg = decisions.leg else { return }
        if leg.prefix != nil || decisions.hasLoadedPrefix { removeStoredPartial() }
        var data = Data()
        do throws(WebImageError) {
            if let decrypted {
                data = decrypted
            } else if !leg.isConfirmed, let body = decisions.body {
                data = try body.data()
            }
        } catch {
            finish(.failure(error.with(url: parameters.url)))
            return
        }
        guard let head = decisions.head, !data.isEmpty || leg.isConfirmed else {
            finish(.failure(.emptyBody(parameters.url)))
            return
        }
        var result = ImageDataResult(data: data, response: head)
        result.isNotModified = leg.isConfirmed
        let receivedAt = environment.clock.date
        let request = decisions.firstRequest
        result.mayBeStored = HTTPCachePolicy.mayStore(head, to: request) && parameters.cacheScope != .unstored
        let (redirects, url, sentAt) = (decisions.redirects, leg.transfer.request.url, leg.sentAt)
        // The closure must not capture `decisions`, because that value retains the body.
        result.describe {
            StoredResponse(
                head, to: request, from: url, requestTime: sentAt, responseTime: receivedAt
            ).following(redirects).serialized
        }
        finish(.success(result))
    }

    /// Fails the download with curl's timeout code (28) because its deadline has passed.
    func passDeadline(_ duration: Duration) {
        let error = WebImageError(
            .transport, stage: .download, url: parameters.url,
            underlying: .curl(code: 28, message: "not finished after \(duration)"),
            hint: "The server is too slow; try again or raise downloadDeadline.")
        if finish(.failure(error)) { operation?.cancel() }
    }

    /// Delivers the result to subscribers, after the last progress report.
    func deliver(_ ending: DownloadEnding, to subscribers: [DownloadSubscriber]) {
        // In the common case all subscribers are waiting tasks without progress. They receive the result without a
        // switch to the delivery queue.
        if !reportsProgress, subscribers.allSatisfy(\.isWaitingTask) {
            return environment.engine.afterSending { self.end(subscribers, ending) }
        }
        delivery.async {
            if case .success = ending.outcome { self.report() }
            self.end(subscribers, ending)
        }
    }

    private func end(_ subscribers: [DownloadSubscriber], _ ending: DownloadEnding) {
        let isReceived = subscribers.reduce(false) { $1.end(ending) || $0 }
        // If no subscriber received the result, all subscribers were cancelled after the last byte arrived. Pass the
        // complete body to the `finishedAfterCancel` closure of one of these subscribers, so that the body is not lost.
        if !isReceived, case .success(let result) = ending.outcome,
            let receiverAfterCancel = subscribers.lazy.compactMap(\.finishedAfterCancel).first
        {
            delivery.async { receiverAfterCancel(result) }
        }
        release()
    }
}

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
        switch decide({ $0.receive(head, leg: number) }) {
        case .skip: return nil
        case .stop(let error): return error
        case .accept:
            announceBody()
            scheduleReport(hasNewBytes: true)
            events.post(.receiveResponse, self)
            return nil
        }
    }

    fileprivate func leg(_ number: Int, didReceive bytes: UnsafeRawBufferPointer) -> WebImageError? {
        guard let body = decide({ $0.body(of: number) }) else { return nil }
        do throws(WebImageError) {
            // Append outside the lock. Appending may write to disk, and a cancel must not wait for the disk.
            try body.append(bytes)
        } catch {
            return error.with(url: parameters.url)
        }
        scheduleReport(hasNewBytes: true)
        return nil
    }

    fileprivate func leg(_ number: Int, didEnd result: Result<WebImageDownloadEnd, WebImageError>) {
        let success = try? result.get()
        let end = decide { $0.didEnd(leg: number, isSuccess: success != nil) }
        if case .ignore = end { return }
        if let metrics = success?.metrics { record(metrics) }
        switch end {
        case .ignore: break
        // This is the common case. It needs no switch to the delivery queue.
        case .succeed: succeed()
        case .conclude: delivery.async { self.conclude(number, result) }
        }
    }

    // MARK: Progress

    func scheduleReport(hasNewBytes: Bool = false) {
        if needsReport(hasNewBytes: hasNewBytes) {
            delivery.async { self.report() }
        }
    }

    /// Reports progress and delivers new bytes. Runs on the delivery queue.
    func report() {
        let (decisions, listeners) = takeReport()
        for listener in listeners {
            if parameters.decryptor == nil, let head = decisions.head, let body = decisions.body {
                listener.deliver(body, head: head, generation: decisions.generation)
            }
            listener.report(received: decisions.body?.count ?? 0, expected: decisions.expected)
        }
    }
}
