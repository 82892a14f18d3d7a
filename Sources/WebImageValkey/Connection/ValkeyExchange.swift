import Foundation
import WebImageCore
import WebImageHTTP

/// The commands and answers of one established connection. Used only on the connection's thread.
final class ValkeyExchange {
    private let connection: DialledConnection
    private let silence: Duration
    private let onEvent: @Sendable (ValkeyConnection.Event) -> Void
    private var parser = RESPParser()
    /// Blocks to send, and how much of the first was sent.
    private var unsent: [Data] = []
    private var sentOfFirst = 0
    /// Commands without an answer, the oldest first from `oldest` on.
    private var waiting: [ValkeyReply] = []
    private var oldest = 0

    init(
        _ connection: DialledConnection, silence: Duration,
        onEvent: @escaping @Sendable (ValkeyConnection.Event) -> Void
    ) {
        self.connection = connection
        self.silence = silence
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
            guard loop.takePosted() != nil, turn(loop) else { return .failure(.down) }
        }
        return result.withLock { $0 } ?? .failure(.down)
    }

    /// Exchanges commands and answers until the connection ends or the loop must end.
    func serve(_ loop: ValkeyLoop) {
        while let posted = loop.takePosted() {
            take(posted)
            guard turn(loop, finished: loop.finished) else { break }
        }
        for reply in waiting[oldest...] { reply.complete(.failure(.down)) }
        waiting.removeAll()
    }

    private func take(_ replies: [ValkeyReply]) {
        for reply in replies { unsent += reply.command.blocks }
        waiting += replies
    }

    /// Sends and receives what is possible, and then sleeps. Returns false when the connection has ended.
    private func turn(_ loop: ValkeyLoop, finished: (ValkeyReply) -> Void = { _ in }) -> Bool {
        guard sendUnsent() else { return false }
        let now = loop.now
        guard let timeout = expire(now) else { return false }
        guard loop.sleep(socket: connection.socket, forWriting: !unsent.isEmpty, timeout: timeout) else { return true }
        return receive(finished)
    }

    private func sendUnsent() -> Bool {
        while !unsent.isEmpty {
            // Take a bounded number of blocks: `withBlocks` nests one call for each.
            let progress = withBlocks(Array(unsent.prefix(64))[...], skipping: sentOfFirst, before: []) {
                connection.send($0)
            }
            switch progress {
            case .bytes(let count): dropSent(count)
            case .wait: return true
            case .ended: return false
            }
        }
        return true
    }

    /// Calls `body` with the memory of the blocks.
    private func withBlocks<Value>(
        _ blocks: ArraySlice<Data>, skipping skipped: Int, before pointers: [UnsafeRawBufferPointer],
        _ body: ([UnsafeRawBufferPointer]) -> Value
    ) -> Value {
        guard let block = blocks.first else { return body(pointers) }
        return block.withUnsafeBytes { bytes in
            let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst(skipped))
            return withBlocks(blocks.dropFirst(), skipping: 0, before: pointers + [rest], body)
        }
    }

    private func dropSent(_ count: Int) {
        sentOfFirst += count
        var whole = 0
        while whole < unsent.count, sentOfFirst >= unsent[whole].count {
            sentOfFirst -= unsent[whole].count
            whole += 1
        }
        unsent.removeFirst(whole)
    }

    /// Receives all bytes that have arrived and delivers their values. Returns false when the connection has ended.
    private func receive(_ finished: (ValkeyReply) -> Void) -> Bool {
        var isEnded = false
        // At most some megabytes a turn, so that commands are sent in between.
        for _ in 0..<64 {
            var progress = DialledConnection.Progress.wait
            parser.withSpace { space in
                guard !space.isEmpty else { return 0 }
                progress = connection.receive(into: space)
                if case .bytes(let count) = progress { return count }
                return 0
            }
            guard deliverValues(finished) else { return false }
            if progress == .wait { return true }
            if progress == .ended {
                isEnded = true
                break
            }
        }
        return !isEnded
    }

    private func deliverValues(_ finished: (ValkeyReply) -> Void) -> Bool {
        while true {
            let value: RESPValue?
            do { value = try parser.next() } catch {
                WebImageLog.shared.log(.warning, "valkey: \(error.description); the connection is closed")
                return false
            }
            guard let value else { return true }
            if case .push(let elements) = value {
                report(elements)
                continue
            }
            // An answer that no command expects: what follows cannot be attributed either.
            guard oldest < waiting.count else { return false }
            let reply = waiting[oldest]
            oldest += 1
            if oldest > 256, oldest * 2 > waiting.count {
                waiting.removeFirst(oldest)
                oldest = 0
            }
            if case .error(let text) = value {
                reply.complete(.failure(.refused(text)))
            } else {
                reply.complete(.success(value))
            }
            finished(reply)
        }
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
        var next = Duration.seconds(3600)
        for (index, reply) in waiting[oldest...].enumerated() {
            if index == 0, now >= reply.deadline + silence { return nil }
            if reply.isCompleted {
                if index == 0 { next = min(next, reply.deadline + silence - now) }
            } else if now >= reply.deadline {
                reply.complete(.failure(.late))
                if index == 0 { next = min(next, silence) }
            } else {
                next = min(next, reply.deadline - now)
            }
        }
        return max(next, .zero)
    }
}
