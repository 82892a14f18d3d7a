import Foundation
import WebImageCore

/// Runs HTTP transfers on one thread of its own; nothing is opened before the first transfer.
///
/// Connections, DNS answers and TLS sessions are shared by the transfers of one engine. Every started transfer ends
/// exactly once. Safe on any thread.
package final class CurlEngine: Sendable {
    private struct State {
        var mailbox: CurlMailbox?
        var isShutDown = false
    }

    private let state = Locked(State())
    private let ended = DispatchGroup()
    /// Memory for bodies, kept from one to the next while transfers run.
    let blocks = BodyBlocks()
    /// Names this engine's jar of cookies. Cookies are in memory alone, so that the name is new with each engine.
    let cookieJar = String(UInt64.random(in: .min ... .max), radix: 36)
    private let later = LaterActions()
    private let label: String
    private let thread = Locked<pthread_t?>(nil)

    /// - Parameter label: Set apart in the ledger of live handles, for tests that count theirs alone.
    package init(label: String = "") {
        self.label = label
    }

    deinit { stop() }

    /// Starts a transfer; its sink hears the end even when the engine was shut down.
    func start(_ transfer: CurlTransfer) {
        guard let mailbox = openedMailbox(), mailbox.post(.start(transfer)) else {
            // Not inline: the caller may hold the lock that its sink wants.
            let isShutDown = state.withLock { $0.isShutDown }
            DispatchQueue(label: "webimage.engine.refused").async {
                transfer.end(
                    .failure(isShutDown ? Self.shutDownError(transfer.url) : Self.unusableError(transfer.url)))
            }
            return
        }
    }

    /// Ends a transfer with `.cancelled` unless it has ended; may overtake nothing, commands keep their order.
    func cancel(_ transfer: CurlTransfer) {
        _ = state.withLock { $0.mailbox }?.post(.cancel(transfer))
    }

    /// Changes a transfer's share of an HTTP/2 connection.
    func weigh(_ transfer: CurlTransfer, _ priority: LoadPriority) {
        _ = state.withLock { $0.mailbox }?.post(.weigh(transfer, priority))
    }

    /// Runs something that can wait until the requests of the engine's turn are on their way; at once when called on
    /// another thread than the engine's.
    ///
    /// To wake those who waited costs system calls, and they compete with the server for the processors. At most one
    /// turn late. The action must be quick and nobody's code.
    func afterSending(_ action: @escaping @Sendable () -> Void) {
        if isOnOwnThread { later.add(action) } else { action() }
    }

    private var isOnOwnThread: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Cancels every transfer and waits until the thread has ended and every handle is closed.
    ///
    /// On the engine's own thread it does not wait.
    package func shutdown() {
        stop()
        if isOnOwnThread { return }
        ended.wait()
    }

    /// Takes no further transfers and closes everything when those that run have ended, or at once. Does not wait.
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

    /// The thread holds the mailbox, not the engine, so that dropping the engine ends it.
    private func runThread(_ mailbox: CurlMailbox) {
        let (ended, label, identity, blocks, later) = (ended, label, thread, blocks, later)
        ended.enter()
        let thread = Thread {
            identity.withLock { $0 = pthread_self() }
            // Here, because the caller, who may be the main thread, is not to wait until the library is loaded.
            if let multi = CurlMulti(label: label) {
                mailbox.open(multi)
                // The loop is gone, and its handles with it, before the multi handle goes.
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

    /// Without libcurl, or memory for it, what was started ends at once, and so does all that follows.
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
