import Foundation
import WebImageCore

/// Runs HTTP transfers with libcurl on its own thread. The thread and the curl handles are created for the first
/// transfer.
///
/// The transfers of one engine share connections, DNS answers and TLS sessions. Every started transfer ends exactly
/// once. All members may be used on any thread.
package final class CurlEngine: Sendable {
    private struct State {
        var mailbox: CurlMailbox?
        var isShutDown = false
    }

    private let state = Locked(State())
    private let ended = DispatchGroup()
    /// Memory blocks for bodies. While transfers run, the pool keeps freed blocks for later bodies.
    let blocks = BodyBlockPool()
    /// The random name of this engine's cookie jar. The cookies exist only in memory, so every engine has other cookies
    /// and needs a different name.
    let cookieJar = String(UInt64.random(in: .min ... .max), radix: 36)
    private let later = DeferredActions()
    private let label: String
    private let thread = Locked<pthread_t?>(nil)

    /// - Parameter label: A suffix for this engine's entries in ``HandleLedger``, for tests that count only the
    ///   handles of this engine.
    package init(label: String = "") {
        self.label = label
    }

    deinit { stop() }

    /// Starts a transfer. If the engine was shut down, the transfer's sink receives an error.
    func start(_ transfer: CurlTransfer) {
        guard let mailbox = openedMailbox(), mailbox.post(.start(transfer)) else {
            // Report on another thread. The caller may hold a lock that the sink also acquires, so a direct call could
            // deadlock.
            let isShutDown = state.withLock { $0.isShutDown }
            UserCodePool.downloads.submit {
                transfer.end(
                    .failure(isShutDown ? Self.shutDownError(transfer.url) : Self.unusableError(transfer.url)))
            }
            return
        }
    }

    /// Ends a transfer with `.cancelled` unless it has already ended. The engine's thread performs the cancel after all
    /// earlier commands.
    func cancel(_ transfer: CurlTransfer) {
        _ = state.withLock { $0.mailbox }?.post(.cancel(transfer))
    }

    /// Changes a transfer's share of the bandwidth of an HTTP/2 connection.
    func setPriority(_ transfer: CurlTransfer, _ priority: LoadPriority) {
        _ = state.withLock { $0.mailbox }?.post(.setPriority(transfer, priority))
    }

    /// Runs an action on the engine's thread after the requests of the current turn of the engine's loop are sent. If
    /// called on another thread, runs the action immediately.
    ///
    /// This function is used to wake waiting tasks. Waking a task takes system calls, which would delay new requests.
    /// The action is delayed by at most one turn of the loop. The action must be quick and must not run user code.
    func afterSending(_ action: @escaping @Sendable () -> Void) {
        if isOnOwnThread { later.add(action) } else { action() }
    }

    private var isOnOwnThread: Bool {
        thread.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false }
    }

    /// Cancels every transfer and waits until the thread has ended and every handle is closed.
    ///
    /// If called on the engine's own thread, this function returns without waiting.
    package func shutdown() {
        stop()
        if isOnOwnThread { return }
        ended.wait()
    }

    /// Refuses further transfers. Afterwards the engine's thread closes all handles; this function does not wait for
    /// it.
    ///
    /// - Parameter endingNow: If true, running transfers are cancelled. If false, the handles close after all running
    ///   transfers have ended.
    func retire(endingNow: Bool) {
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

    /// Starts the engine's thread. The thread retains the mailbox but not the engine. Otherwise the engine would never
    /// be released, and its `deinit`, which ends the thread, would never run.
    private func runThread(_ mailbox: CurlMailbox) {
        let (ended, label, identity, blocks, later) = (ended, label, thread, blocks, later)
        ended.enter()
        let thread = Thread(name: "webimage.curl") {
            identity.withLock { $0 = pthread_self() }
            // Load libcurl on this thread, because the caller may be the main thread and must not wait for it.
            if let multi = CurlMulti(label: label) {
                mailbox.open(multi)
                // Do not store the loop in a variable. The loop and its easy handles must be released before `multi`.
                CurlLoop(mailbox: mailbox, multi: multi, blocks: blocks, later: later, label: label).run()
                mailbox.close()
            } else {
                Self.refuse(mailbox)
            }
            later.perform()
            identity.withLock { $0 = nil }
            ended.leave()
        }
        thread.start()
    }

    /// Fails all started transfers, and refuses later transfers. Called if libcurl cannot be loaded or is out of
    /// memory.
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
