import Foundation
import WebImageCore

/// Runs HTTP transfers on its own thread; nothing is opened before the first transfer.
///
/// The transfers of one engine share connections, DNS answers and TLS sessions. Every started transfer ends exactly
/// once. Safe on any thread.
package final class CurlEngine: Sendable {
    private struct State {
        var mailbox: CurlMailbox?
        var isShutDown = false
    }

    private let state = Locked(State())
    private let ended = DispatchGroup()
    /// Memory for bodies; while transfers run, a later body reuses freed blocks.
    let blocks = BodyBlockPool()
    /// The name of this engine's cookie jar. Cookies are in memory alone, so each engine has a new name.
    let cookieJar = String(UInt64.random(in: .min ... .max), radix: 36)
    private let later = DeferredActions()
    private let label: String
    private let thread = Locked<pthread_t?>(nil)

    /// - Parameter label: Distinguishes this engine in the ledger of live handles, for tests that count only its
    ///   handles.
    package init(label: String = "") {
        self.label = label
    }

    deinit { stop() }

    /// Starts a transfer; its sink receives the end even when the engine was shut down.
    func start(_ transfer: CurlTransfer) {
        guard let mailbox = openedMailbox(), mailbox.post(.start(transfer)) else {
            // Not inline: the caller may hold the lock that its sink takes.
            let isShutDown = state.withLock { $0.isShutDown }
            DispatchQueue(label: "webimage.engine.refused").async {
                transfer.end(
                    .failure(isShutDown ? Self.shutDownError(transfer.url) : Self.unusableError(transfer.url)))
            }
            return
        }
    }

    /// Ends a transfer with `.cancelled` unless it has ended; runs after all earlier commands.
    func cancel(_ transfer: CurlTransfer) {
        _ = state.withLock { $0.mailbox }?.post(.cancel(transfer))
    }

    /// Changes a transfer's share of an HTTP/2 connection.
    func setPriority(_ transfer: CurlTransfer, _ priority: LoadPriority) {
        _ = state.withLock { $0.mailbox }?.post(.setPriority(transfer, priority))
    }

    /// Runs an action after the requests of the engine's current turn are sent, or at once when called on another
    /// thread.
    ///
    /// Waking waiting tasks takes system calls, which compete with the server for the processors. The delay is at most
    /// one turn. The action must be quick and must not run user code.
    func afterSending(_ action: @escaping @Sendable () -> Void) {
        if isOnOwnThread { later.add(action) } else { action() }
    }

    private var isOnOwnThread: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Cancels every transfer and waits until the thread has ended and every handle is closed.
    ///
    /// Does not wait when called on the engine's own thread.
    package func shutdown() {
        stop()
        if isOnOwnThread { return }
        ended.wait()
    }

    /// Refuses further transfers and closes everything, at once or after the running transfers have ended. Does not
    /// wait.
    package func retire(endingNow: Bool) {
        if endingNow { return stop() }
        let mailbox = state.withLock { state in
            state.isShutDown = true
            return state.mailbox
        }
        mailbox?.retire()
    }

    private func stop() {
        let mailbox = state.withLock { state in
            state.isShutDown = true
            defer { state.mailbox = nil }
            return state.mailbox
        }
        mailbox?.shutDown()
    }

    private func openedMailbox() -> CurlMailbox? {
        state.withLock { state in
            if state.isShutDown { return nil }
            if let mailbox = state.mailbox { return mailbox }
            let mailbox = CurlMailbox()
            state.mailbox = mailbox
            runThread(mailbox)
            return mailbox
        }
    }

    /// The thread retains the mailbox, not the engine, so that releasing the engine ends the thread.
    private func runThread(_ mailbox: CurlMailbox) {
        let (ended, label, identity, blocks, later) = (ended, label, thread, blocks, later)
        ended.enter()
        let thread = Thread {
            identity.withLock { $0 = pthread_self() }
            // Loaded here, because the caller may be the main thread and must not wait for the library.
            if let multi = CurlMulti(label: label) {
                mailbox.open(multi)
                // The loop and its handles are released before the multi handle.
                CurlLoop(mailbox: mailbox, multi: multi, blocks: blocks, later: later, label: label).run()
                mailbox.close()
            } else {
                Self.refuse(mailbox)
            }
            later.perform()
            identity.withLock { $0 = nil }
            ended.leave()
        }
        thread.name = "webimage-http"
        thread.start()
    }

    /// Ends all started transfers when libcurl or memory for it is missing; later ones are refused.
    private static func refuse(_ mailbox: CurlMailbox) {
        mailbox.shutDown()
        for case .start(let transfer) in mailbox.drain().commands {
            transfer.end(.failure(unusableError(transfer.url)))
        }
    }

    private static func unusableError(_ url: URL) -> WebImageError {
        CurlLibrary.failure?.with(url: url) ?? CurlLoop.outOfMemory(url)
    }

    private static func shutDownError(_ url: URL) -> WebImageError {
        WebImageError(
            .invalidDownloadOperation, stage: .download, url: url,
            underlying: .message("the downloader was shut down"), hint: "Make a new downloader.")
    }
}
