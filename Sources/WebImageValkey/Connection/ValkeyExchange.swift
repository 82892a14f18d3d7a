import Foundation
import WebImageCore
import WebImageHTTP

/// The commands and answers of one established connection. Used only on the connection's thread.
final class ValkeyExchange {
    private let connection: DialledConnection
    private let silence: Duration
    private let bytesPerTurn: Int
    private let onEvent: @Sendable (ValkeyConnection.Event) -> Void
    private var parser = RESPParser()
    private var unsent = UnsentBlocks()
    /// Commands without a delivered answer, the oldest first.
    private var waiting: [ValkeyReply] = []
    /// The answers to the first commands of `waiting`. They are delivered together, see ``deliver(_:isGreeting:)``.
    private var answers: [Result<RESPValue, ValkeyFailure>] = []
    /// No budget of a waiting command ends before this time. It may be too early: an answered command leaves it as it is.
    private var nextDeadline = never
    /// Whether received bytes may be left in the TLS library, which `poll(2)` does not report.
    private var mayHoldBytes = false

    /// A time that no clock reaches.
    private static let never = Duration.seconds(1 << 40)

    init(
        _ connection: DialledConnection, _ configuration: ValkeyConnection.Configuration,
        onEvent: @escaping @Sendable (ValkeyConnection.Event) -> Void
    ) {
        self.connection = connection
        (silence, bytesPerTurn) = (configuration.silence, configuration.receivedBytesPerTurn)
        self.onEvent = onEvent
    }

    /// Authenticates, selects the protocol and asks for reports of changes. Returns whether the connection may be used.
    ///
    /// A server before version 6 does not know `HELLO`; then RESP2 is used, without reports.
    func greet(_ configuration: ValkeyConnection.Configuration, loop: ValkeyLoop) -> Bool {
        var hello: [RESPCommand.Word] = ["HELLO", "3"]
        if let password = configuration.password {
            hello += ["AUTH", .init(configuration.user ?? "default"), .init(password)]
        }
        hello += ["SETNAME", "webimage"]
        var reportsChanges = configuration.trackedPrefix != nil
        if case .failure(let failure) = ask(hello, loop) {
            guard case .refused(let text) = failure, text.hasPrefix("ERR unknown command") else { return false }
            reportsChanges = false
            if let password = configuration.password {
                let user: [RESPCommand.Word] = configuration.user.map { [.init($0)] } ?? []
                guard case .success = ask(["AUTH"] + user + [.init(password)], loop) else { return false }
            }
        }
        if configuration.database != 0 {
            guard case .success = ask(["SELECT", .init(configuration.database)], loop) else { return false }
        }
        if reportsChanges, let prefix = configuration.trackedPrefix {
            let answer = ask(["CLIENT", "TRACKING", "on", "BCAST", "PREFIX", .init(prefix)], loop)
            // A user without this permission works without reports.
            if case .failure(let failure) = answer {
                guard case .refused(let text) = failure else { return false }
                WebImageLog.shared.log(.warning, "valkey: no reports of changes: \(text)")
            }
        }
        return true
    }

    /// Sends one command and waits for its answer, on this thread.
    private func ask(_ words: [RESPCommand.Word], _ loop: ValkeyLoop) -> Result<RESPValue, ValkeyFailure> {
        let result = Locked<Result<RESPValue, ValkeyFailure>?>(nil)
        let reply = ValkeyReply(RESPCommand(words), deadline: loop.now + .seconds(1))
        reply.whenCompleted { answer in result.withLock { $0 = answer } }
        take([reply])
        while result.withLock({ $0 == nil }) {
            guard !loop.isEnded, turn(loop, isGreeting: true) else { return .failure(.down) }
        }
        return result.withLock { $0 } ?? .failure(.down)
    }

    /// Exchanges commands and answers until the connection ends or the loop must end.
    func serve(_ loop: ValkeyLoop) {
        var posted: [ValkeyReply] = []
        while loop.takePosted(&posted) {
            take(posted)
            posted.removeAll(keepingCapacity: true)
            guard turn(loop, isGreeting: false) else { break }
        }
        for reply in waiting { reply.complete(.failure(.down)) }
        waiting.removeAll()
    }

    private func take(_ replies: [ValkeyReply]) {
        for reply in replies {
            unsent.append(reply.command.blocks)
            nextDeadline = min(nextDeadline, reply.deadline)
        }
        waiting += replies
    }

    /// Sends and receives what is possible, and then sleeps. Returns false when the connection has ended.
    ///
    /// - Parameter isGreeting: Whether the waiting commands are those of ``greet(_:loop:)``, which the loop does not count.
    private func turn(_ loop: ValkeyLoop, isGreeting: Bool) -> Bool {
        guard sendUnsent(), let timeout = expire(loop.now) else { return false }
        let isReady = loop.sleep(
            socket: connection.socket, forWriting: !unsent.isEmpty, timeout: mayHoldBytes ? .zero : timeout)
        return isReady || mayHoldBytes ? receive(loop, isGreeting: isGreeting) : true
    }

    private func sendUnsent() -> Bool {
        while !unsent.isEmpty {
            switch unsent.withFirst({ connection.send($0) }) {
            case .bytes(let count): unsent.removeFirst(count)
            case .wait:
                unsent.holdFirst()
                return true
            case .ended: return false
            }
        }
        return true
    }

    /// Receives bytes that have arrived and delivers their values. Returns false when the connection has ended.
    private func receive(_ loop: ValkeyLoop, isGreeting: Bool) -> Bool {
        mayHoldBytes = false
        var received = 0
        while received < bytesPerTurn {
            var progress = DialledConnection.Progress.wait
            var isDrained = false
            parser.withSpace { first, second in
                let space = first.count + second.count
                guard space > 0 else { return 0 }
                progress = connection.receive(into: first, then: second)
                guard case .bytes(let count) = progress else { return 0 }
                isDrained = count < space && !connection.isEncrypted
                received += count
                return count
            }
            let isValid = takeValues(loop, isGreeting: isGreeting)
            deliver(loop, isGreeting: isGreeting)
            guard isValid, progress != .ended else { return false }
            if progress == .wait || isDrained { return true }
        }
        mayHoldBytes = connection.isEncrypted
        return true
    }

    /// Takes the values of the received bytes. Returns false if the connection cannot be used any further.
    private func takeValues(_ loop: ValkeyLoop, isGreeting: Bool) -> Bool {
        while true {
            let value: RESPValue?
            do { value = try parser.next() } catch {
                WebImageLog.shared.log(.warning, "valkey: \(error.description); the connection is closed")
                return false
            }
            guard let value else { return true }
            if case .push(let elements) = value {
                // The change happened after the answers before it.
                deliver(loop, isGreeting: isGreeting)
                report(elements)
                continue
            }
            // An answer that no command expects: what follows cannot be attributed either.
            guard answers.count < waiting.count else { return false }
            if case .error(let text) = value {
                answers.append(.failure(.refused(text)))
            } else {
                answers.append(.success(value))
            }
        }
    }

    /// Ends the commands whose answers were taken. All answers of one reception are delivered at once: the thread then takes
    /// the next commands of their callers together, instead of waking for each of them.
    private func deliver(_ loop: ValkeyLoop, isGreeting: Bool) {
        guard !answers.isEmpty else { return }
        // First make place: a caller may send its next command at once.
        if !isGreeting { loop.finished(waiting.prefix(answers.count)) }
        for (reply, answer) in zip(waiting, answers) { reply.complete(answer) }
        waiting.removeFirst(answers.count)
        answers.removeAll(keepingCapacity: true)
    }

    /// Passes on a message that answers no command: `invalidate` with a list of keys, or null for all keys.
    private func report(_ elements: [RESPValue]) {
        guard elements.count == 2, elements[0].string == "invalidate" else { return }
        guard let keys = elements[1].elements else { return onEvent(.flushed) }
        for key in keys { if let key = key.string { onEvent(.changed(key: key)) } }
    }

    /// Ends the commands whose budget is over; their answers still arrive and are discarded. Returns the time until the
    /// next deadline; nil if the server has been silent for too long.
    private func expire(_ now: Duration) -> Duration? {
        guard let oldest = waiting.first else { return .seconds(3600) }
        let silenceEnd = oldest.deadline + silence
        guard now < silenceEnd else { return nil }
        if now >= nextDeadline {
            nextDeadline = Self.never
            for reply in waiting where !reply.isCompleted {
                if now >= reply.deadline {
                    reply.complete(.failure(.late))
                } else {
                    nextDeadline = min(nextDeadline, reply.deadline)
                }
            }
        }
        return max(min(nextDeadline, silenceEnd) - now, .zero)
    }
}
