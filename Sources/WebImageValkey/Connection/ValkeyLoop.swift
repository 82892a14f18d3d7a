import Foundation
import WebImageCore
import WebImageHTTP

/// The thread of one connection: dials, greets, exchanges commands and answers, and dials again.
///
/// Only ``run()`` performs input and output. Other threads post replies and wake the thread through a pair of sockets.
final class ValkeyLoop: Sendable {
    private struct State {
        /// Commands that the thread has not taken yet.
        var posted: [ValkeyReply] = []
        /// The number and bytes of commands that were posted and not answered.
        var commands = 0
        var bytes = 0
        var isUp = false
        var isEnded = false
        /// Whether the thread looks at `posted` before it sleeps.
        var isAwake = true
    }

    private let configuration: ValkeyConnection.Configuration
    private let onEvent: @Sendable (ValkeyConnection.Event) -> Void
    private let state = Locked(State())
    private let wakeUp = WakeUpPair()
    private let clock = SystemClock()

    init(
        _ configuration: ValkeyConnection.Configuration, onEvent: @escaping @Sendable (ValkeyConnection.Event) -> Void
    ) {
        self.configuration = configuration
        self.onEvent = onEvent
    }

    var now: Duration { clock.now }
    var isUp: Bool { state.withLock { $0.isUp } }

    /// Hands commands to the thread. If there is no connection or no place, ends them at once.
    func post(_ replies: [ValkeyReply]) {
        let bytes = replies.reduce(0) { $0 + $1.command.byteCount }
        let (failure, wakes) = state.withLock { state -> (ValkeyFailure?, Bool) in
            guard state.isUp else { return (.down, false) }
            guard state.commands + replies.count <= configuration.mostCommands,
                state.bytes == 0 || state.bytes + bytes <= configuration.mostBytes
            else { return (.busy, false) }
            state.posted += replies
            state.commands += replies.count
            state.bytes += bytes
            defer { state.isAwake = true }
            return (nil, !state.isAwake)
        }
        // Outside the lock, which the thread takes as soon as it wakes.
        if wakes { wakeUp.wake() }
        if let failure { for reply in replies { reply.complete(.failure(failure)) } }
    }

    /// Ends the thread.
    func end() {
        state.withLock { $0.isEnded = true }
        wakeUp.wake()
    }

    // MARK: The thread

    func run() {
        var failures = 0
        while !isEnded {
            if let connection = dialAndGreet() {
                failures = 0
                onEvent(.connected)
                connection.serve(self)
                endAll()
                onEvent(.disconnected)
            } else {
                failures += 1
            }
            wait(for: Self.pause(afterFailures: failures))
        }
        endAll()
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    private func dialAndGreet() -> ValkeyExchange? {
        guard let connection = try? DialledConnection(configuration.destination) else { return nil }
        let exchange = ValkeyExchange(connection, configuration, onEvent: onEvent)
        guard exchange.greet(configuration, loop: self) else { return nil }
        return state.withLock { state in
            guard !state.isEnded else { return nil }
            state.isUp = true
            return exchange
        }
    }

    /// Ends the commands that the thread has not taken, and refuses further ones.
    private func endAll() {
        let posted = state.withLock { state in
            defer { state.posted.removeAll() }
            (state.isUp, state.commands, state.bytes) = (false, 0, 0)
            return state.posted
        }
        for reply in posted { reply.complete(.failure(.down)) }
    }

    /// Exchanges an empty array for the commands that were posted. Returns false if the thread must end.
    func takePosted(_ taken: inout [ValkeyReply]) -> Bool {
        state.withLock { state in
            guard !state.isEnded else { return false }
            swap(&state.posted, &taken)
            state.isAwake = true
            return true
        }
    }

    /// Records that commands were answered.
    func finished(_ replies: ArraySlice<ValkeyReply>) {
        let bytes = replies.reduce(0) { $0 + $1.command.byteCount }
        state.withLock { state in
            state.commands -= replies.count
            state.bytes -= bytes
        }
    }

    /// Sleeps until the socket is ready, a command is posted, or `timeout` is over. Returns whether the socket can be
    /// read or has ended.
    func sleep(socket: Int32?, forWriting: Bool, timeout: Duration) -> Bool {
        let sleeps = state.withLock { state in
            guard state.posted.isEmpty, !state.isEnded else { return false }
            state.isAwake = false
            return true
        }
        let events = Int16(POLLIN) | (forWriting ? Int16(POLLOUT) : 0)
        // `poll` ignores an entry with a negative descriptor.
        var entries = [
            pollfd(fd: socket ?? -1, events: events, revents: 0),
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        // Round up: a wait that ends before the deadline would be repeated.
        let milliseconds = sleeps ? max((timeout / .milliseconds(1)).rounded(.up), 0) : 0
        _ = poll(&entries, nfds_t(entries.count), Int32(min(milliseconds, 1e6)))
        state.withLock { $0.isAwake = true }
        if entries[1].revents != 0 { wakeUp.drain() }
        return entries[0].revents & ~Int16(POLLOUT) != 0
    }

    private func wait(for pause: Duration) {
        let end = now + pause
        while !isEnded, now < end { _ = sleep(socket: nil, forWriting: false, timeout: end - now) }
    }

    /// 50 ms, doubled for each failure, at most 5 s; half of it is random, so that many clients of a restarted server
    /// do not dial at the same moment.
    static func pause(afterFailures failures: Int) -> Duration {
        let whole = min(50.0 * Double(1 << min(failures, 10)), 5000)
        return .milliseconds(Int(whole / 2 + Double.random(in: 0...whole / 2)))
    }
}

/// A pair of sockets that wakes a thread which sleeps in `poll(2)`.
final class WakeUpPair: Sendable {
    /// The end that becomes readable; -1 if the process has no descriptors left. Then the thread sees commands only
    /// when its sleep ends.
    let descriptor: Int32
    private let writer: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        // Unlike `pipe(2)`, this call sets the flags at once: no child that is started meanwhile inherits the ends.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        _ = socketpair(AF_UNIX, kind, 0, &ends)
        (descriptor, writer) = (ends[0], ends[1])
    }

    deinit { for end in [descriptor, writer] where end >= 0 { close(end) } }

    func wake() {
        var byte: UInt8 = 1
        _ = write(writer, &byte, 1)
    }

    func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(descriptor, &bytes, bytes.count) == bytes.count {}
    }
}
