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
        transfer.configure(easy, cookies: cookies)
        transfer.noteActivity()
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
            if Self.isStaleConnection(transfer, easy: easy, code: code) {
                restart(transfer, easy)
            } else {
                end(transfer, Self.result(of: transfer, easy, code))
            }
        }
    }

    /// Whether a transfer failed because the server had already closed the reused connection. True only if nothing was
    /// received and the request has no body. Such a transfer can be started again over a new connection.
    private static func isStaleConnection(_ transfer: CurlTransfer, easy: CurlEasy, code: CURLcode) -> Bool {
        guard !transfer.needsFreshConnection, transfer.head.statusCode == nil, transfer.bodyBytes == 0 else {
            return false
        }
        let codes = [CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_HTTP2, CURLE_HTTP2_STREAM]
        return codes.contains(code) && transfer.job.request.httpBody == nil && easy.long(CURLINFO_NUM_CONNECTS) == 0
            && transfer.refusal == nil
    }

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
        let response = transfer.response ?? transfer.head.response(url: transfer.url)
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

/// A command from another thread to the engine's thread.
enum CurlCommand: Sendable {
    case start(CurlTransfer)
    case cancel(CurlTransfer)
    case setPriority(CurlTransfer, LoadPriority)
}

/// Passes commands from callers to the engine's thread in order, and wakes the thread if it sleeps.
final class CurlMailbox: Sendable {
    private struct State {
        var commands: [CurlCommand] = []
        /// Whether the thread will read new commands before it sleeps again. If true, the thread needs no wake-up.
        var isAwake = true
        var isShutDown = false
        var isRetired = false
        var multi: CurlMulti?
    }

    private let state = Locked(State())

    /// Sets the handle that wakes the sleeping thread. The handle is used until ``close()``.
    func open(_ multi: CurlMulti) { state.withLock { $0.multi = multi } }

    /// Adds a command. Returns false after ``shutDown()`` or a successful ``endIfRetired()``.
    func post(_ command: CurlCommand) -> Bool {
        state.withLock { state in
            guard !state.isShutDown else { return false }
            state.commands.append(command)
            // One wake-up is enough for all commands that are posted until the thread sleeps again.
            if !state.isAwake { state.multi?.wake() }
            state.isAwake = true
            return true
        }
    }

    /// Refuses further commands and wakes the thread so that it ends.
    func shutDown() {
        state.withLock {
            $0.isShutDown = true
            $0.multi?.wake()
        }
    }

    /// Makes the thread end after all transfers and commands are done.
    func retire() {
        state.withLock {
            $0.isRetired = true
            $0.multi?.wake()
        }
    }

    /// Marks the thread as asleep and returns true. If commands are pending or the thread must end, does nothing and
    /// returns false.
    func letSleep() -> Bool {
        state.withLock { state in
            guard state.commands.isEmpty, !state.isShutDown else { return false }
            state.isAwake = false
            return true
        }
    }

    /// Whether no command waits for the thread.
    var isEmpty: Bool { state.withLock { $0.commands.isEmpty } }

    /// Returns whether ``retire()`` was called and no command waits. If true, later commands are refused and the thread
    /// must end.
    ///
    /// The check and the refusal happen under one lock. Otherwise a command that is posted between them would never be
    /// performed.
    func endIfRetired() -> Bool {
        state.withLock { state in
            guard state.isRetired, state.commands.isEmpty else { return false }
            state.isShutDown = true
            return true
        }
    }

    /// Releases the handle. Wake-ups happen under the same lock, so that no wake-up uses a freed handle.
    func close() { state.withLock { $0.multi = nil } }

    /// Removes all commands and returns them. Also returns whether the thread must end. Marks the thread as awake.
    func drain() -> (commands: [CurlCommand], isShutDown: Bool) {
        state.withLock { state in
            defer { state.commands.removeAll() }
            state.isAwake = true
            return (state.commands, state.isShutDown)
        }
    }
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
