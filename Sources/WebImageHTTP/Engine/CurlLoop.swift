import CWebImageCurl
import CWebImageCurlShim
import Foundation
import WebImageCore
import WebImageLoading

/// The loop of the engine's thread. Each turn performs commands, runs curl, ends finished transfers, and
/// waits. All code of this type runs on that thread.
final class CurlLoop {
    private let mailbox: CurlMailbox
    private let multi: CurlMulti
    private let label: String
    private var active: [UnsafeMutableRawPointer: CurlTransfer] = [:]
    private var pool: [CurlEasy] = []
    private var cookies: CurlCookieJar?
    private let blocks: BodyBlockPool
    private let later: DeferredActions
    private let clock = EngineClock()
    private var connections: KeptConnections { multi.connections }

    private static let maxPooledHandles = 16

    init(mailbox: CurlMailbox, multi: CurlMulti, blocks: BodyBlockPool, later: DeferredActions, label: String) {
        self.mailbox = mailbox
        self.blocks = blocks
        self.later = later
        self.multi = multi
        self.label = label
        // 2 is CURLPIPE_MULTIPLEX: requests to one host share an HTTP/2 connection.
        webimage_curl_multi_set_long(multi.pointer, CURLMOPT_PIPELINING, 2)
        webimage_curl_multi_set_long(multi.pointer, CURLMOPT_MAXCONNECTS, 32)
        webimage_curl_multi_set_long(multi.pointer, CURLMOPT_MAX_CONCURRENT_STREAMS, 32)
    }

    func run() {
        Self.blockSignals()
        while true {
            clock.beginTurn()
            let (commands, isShutDown) = mailbox.drain()
            for command in commands { perform(command) }
            if isShutDown { break }
            var running: Int32 = 0
            webimage_curl_multi_perform(multi.pointer, &running)
            later.perform()
            endFinished()
            endIdle()
            if !later.isEmpty, mailbox.isEmpty { later.perform() }
            if active.isEmpty, mailbox.endIfRetired() { break }
            // The end of a transfer often starts the next transfer. If a command is waiting, run the next turn without
            // sleeping.
            guard mailbox.letSleep() else { continue }
            if active.isEmpty { blocks.keepsSpares = false }
            webimage_curl_multi_poll(multi.pointer, pollTimeout)
        }
        blocks.keepsSpares = false
        for transfer in Array(active.values) { end(transfer, .failure(.cancelled.with(url: transfer.url))) }
        pool.removeAll()
        cookies = nil
    }

    /// Blocks every signal on this thread, so that the program's signal handlers never run on it. OpenSSL writes
    /// without MSG_NOSIGNAL. Because SIGPIPE is blocked, a write to a closed connection returns an error and does not
    /// end the process.
    private static func blockSignals() {
        var all = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_BLOCK, &all, nil)
    }

    private func perform(_ command: CurlCommand) {
        switch command {
        case .start(let transfer): start(transfer)
        case .cancel(let transfer): end(transfer, .failure(.cancelled.with(url: transfer.url)))
        case .setPriority(let transfer, let priority): transfer.easy?.set(CURLOPT_STREAM_WEIGHT, priority.streamWeight)
        }
    }

    private func start(_ transfer: CurlTransfer) {
        guard !transfer.hasEnded else { return }
        guard let easy = pool.popLast() ?? CurlEasy(label: label) else {
            return end(transfer, .failure(Self.outOfMemory(transfer.url)))
        }
        if transfer.job.request.httpShouldHandleCookies, cookies == nil { cookies = CurlCookieJar(label: label) }
        if active.isEmpty { blocks.keepsSpares = true }
        transfer.easy = easy
        transfer.clock = clock
        transfer.connections = connections
        let chain = transfer.job.cookies?.jar(label: label)
        transfer.configure(easy, cookies: transfer.job.request.httpShouldHandleCookies ? cookies : chain)
        transfer.noteStart()
        transfer.lastSample = clock.now
        guard webimage_curl_multi_add_handle(multi.pointer, easy.handle) == CURLM_OK else {
            return end(transfer, .failure(Self.outOfMemory(transfer.url)))
        }
        active[easy.handle] = transfer
        clock.requireCheck(by: transfer.idleDeadline)
    }

    static func outOfMemory(_ url: URL) -> WebImageError {
        WebImageError(
            .transport, stage: .download, url: url,
            underlying: .curl(code: Int(CURLE_OUT_OF_MEMORY.rawValue), message: "no handle could be created"))
    }

    private func endFinished() {
        var handle: UnsafeMutableRawPointer?
        var code = CURLE_OK
        while webimage_curl_multi_next_done(multi.pointer, &handle, &code) != 0 {
            guard let handle, let transfer = active[handle], let easy = transfer.easy else { continue }
            if code == CURLE_OK { connections.note(easy, now: clock.now) }
            if Self.isStaleConnection(transfer, easy: easy, code: code) {
                restart(transfer, easy)
            } else {
                end(transfer, Self.result(of: transfer, easy, code))
            }
        }
    }

    /// Whether a transfer failed because of the state of the reused connection. True only if nothing of a response was
    /// received and the request has no body. Such a transfer can be started again over a new connection.
    private static func isStaleConnection(_ transfer: CurlTransfer, easy: CurlEasy, code: CURLcode) -> Bool {
        if transfer.isUnasked || transfer.hasStrayBytes { return true }
        guard !transfer.needsFreshConnection, transfer.head.statusCode == nil, transfer.bodyBytes == 0 else {
            return false
        }
        return staleCodes.contains(code) && transfer.job.request.httpBody == nil
            && easy.long(CURLINFO_NUM_CONNECTS) == 0 && transfer.refusal == nil
    }

    private static let staleCodes = [
        // The server had already closed the connection.
        CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM,
        // The same with HTTP/2: libcurl calls a stream without a head incomplete.
        CURLE_PARTIAL_FILE,
        // The server has sent more bytes than the `Content-Length` of the earlier response names, such as a line break, and
        // they have arrived after the check by ``KeptConnections``. Libcurl 7.88 reads them as the head of the next
        // response, and reports HTTP/0.9 or a wrong head.
        CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY,
    ]

    private func restart(_ transfer: CurlTransfer, _ easy: CurlEasy) {
        active[easy.handle] = nil
        webimage_curl_multi_remove_handle(multi.pointer, easy.handle)
        easy.reset()
        pool.append(easy)
        transfer.easy = nil
        transfer.prepareRetry()
        start(transfer)
    }

    private static func result(
        of transfer: CurlTransfer, _ easy: CurlEasy, _ code: CURLcode
    ) -> Result<WebImageDownloadEnd, WebImageError> {
        // With these results, the last parsed head is the final head. Deliver it now if it was not delivered yet.
        if [CURLE_OK, CURLE_FILESIZE_EXCEEDED, CURLE_PARTIAL_FILE].contains(code) { _ = transfer.deliverParsedHead() }
        if let refusal = transfer.refusal { return .failure(refusal.with(url: transfer.url)) }
        let response = transfer.response ?? transfer.finalHead
        // A redirect needs no body, so it does not matter how its body ended.
        if transfer.isRedirect {
            return .success(WebImageDownloadEnd(response: response, metrics: DownloadMetrics(easy)))
        }
        if CurlErrors.isHeadTooLarge(code.rawValue, transfer.head) { return .failure(.headLimit(transfer.url)) }
        // Curl reports success for a truncated head, and for an interim response (1xx) without a final response.
        if code == CURLE_OK, transfer.head.statusCode != nil, !transfer.head.isComplete || transfer.head.isInterim {
            return .failure(CurlErrors.brokenHead(transfer.url))
        }
        guard code == CURLE_OK else {
            if code == CURLE_COULDNT_CONNECT, let refusal = transfer.addressRefusal { return .failure(refusal) }
            return .failure(
                CurlErrors.error(
                    code, message: easy.message(for: code), url: transfer.url, maxBodyBytes: transfer.maxBodyBytes,
                    declaredBytes: response.fieldsContentLength))
        }
        if let error = transfer.incompleteBody { return .failure(error) }
        return .success(WebImageDownloadEnd(response: response, metrics: DownloadMetrics(easy)))
    }

    /// Fails transfers that exchanged no byte during their timeout. Curl's own low-speed check is not used, because it
    /// uses an average over several seconds and therefore cannot enforce the exact timeout.
    private func endIdle() {
        let now = clock.now
        guard let idleCheck = clock.idleCheck, idleCheck <= now else { return }
        defer { clock.idleCheck = active.values.map(\.idleDeadline).min() }
        for transfer in Array(active.values) where transfer.idleDeadline <= now {
            guard let easy = transfer.easy else { continue }
            let isIdle = transfer.isIdle(at: now) {
                easy.offset(CURLINFO_SIZE_DOWNLOAD_T) + easy.offset(CURLINFO_SIZE_UPLOAD_T)
            }
            guard isIdle else { continue }
            if transfer.isRedirect {
                end(transfer, Self.result(of: transfer, easy, CURLE_OPERATION_TIMEDOUT))
                continue
            }
            if transfer.refusal == nil { abandonConnection(of: transfer, easy) }
            let message = "no byte for \(transfer.idleTimeout.formatted()) seconds"
            end(
                transfer,
                .failure(
                    transfer.refusal?.with(url: transfer.url)
                        ?? CurlErrors.error(
                            CURLE_OPERATION_TIMEDOUT, message: message, url: transfer.url,
                            maxBodyBytes: transfer.maxBodyBytes, declaredBytes: nil)))
        }
    }

    /// Closes the connection of a transfer that has timed out, and the connections to the same server that no transfer uses.
    /// The network may have lost them without a notice, for example while the machine was suspended. Libcurl would use
    /// them for later requests: a connection with HTTP/2 for a quarter of an hour, until the system gives it up.
    private func abandonConnection(of transfer: CurlTransfer, _ easy: CurlEasy) {
        let port = easy.long(CURLINFO_LOCAL_PORT)
        var used: Set<Int> = []
        for other in active.values where other !== transfer {
            let otherPort = other.easy?.long(CURLINFO_LOCAL_PORT) ?? 0
            if otherPort != port {
                used.insert(otherPort)
            } else if let arrival = other.lastArrival, arrival > transfer.lastActivity {
                // The connection works. Only this stream of it is silent.
                return
            }
        }
        connections.abandon(localPort: port, silentSince: transfer.lastActivity, sparing: used)
    }

    /// The maximum wait in milliseconds. While transfers run, the wait ends at the next idle check. It lasts at most
    /// 1000 ms, because curl may lose a wake-up. Without transfers, the wait ends after at most 10 minutes.
    private var pollTimeout: Int32 {
        guard !active.isEmpty, let idleCheck = clock.idleCheck else { return 600_000 }
        let next = clock.now.duration(to: idleCheck)
        let milliseconds = next.components.seconds >= 1 ? 1000 : next.components.attoseconds / 1_000_000_000_000_000 + 1
        return Int32(max(min(milliseconds, 1000), 0))
    }

    /// Returns the transfer's handle to the pool, then reports the result to the sink. In this order, a transfer that
    /// the sink starts can reuse the handle.
    private func end(_ transfer: CurlTransfer, _ result: Result<WebImageDownloadEnd, WebImageError>) {
        if let easy = transfer.easy {
            active[easy.handle] = nil
            transfer.easy = nil
            webimage_curl_multi_remove_handle(multi.pointer, easy.handle)
            // Keep the options in the handle only if this transfer succeeded. Otherwise the handle may contain state of
            // this transfer.
            if easy.prepared != nil, !transfer.isRedirect, case .success = result {
                easy.forgetMessage()
            } else {
                easy.reset()
            }
            if pool.count < Self.maxPooledHandles { pool.append(easy) }
        }
        transfer.end(result)
    }
}

extension WebImageResponse {
    /// The value of the `Content-Length` field. If the body has a content coding, this value is the length of the
    /// encoded body.
    var fieldsContentLength: Int? { value(forHTTPHeaderField: "content-length").flatMap { Int($0) } }
}

/// The actions that the engine's thread performs after it has sent the requests of one turn of its loop.
final class DeferredActions: @unchecked Sendable {
    // Unchecked is correct because all members are used only on the engine's thread.
    private var actions: [@Sendable () -> Void] = []

    var isEmpty: Bool { actions.isEmpty }

    func add(_ action: @escaping @Sendable () -> Void) { actions.append(action) }

    func perform() {
        guard !actions.isEmpty else { return }
        let all = actions
        actions = []
        for action in all { action() }
    }
}
