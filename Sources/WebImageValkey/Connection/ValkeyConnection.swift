import Foundation
import WebImageCore
package import WebImageHTTP

/// One connection to a Valkey or Redis server. A thread of its own dials, greets, sends and receives; callers wait
/// asynchronously.
///
/// Concurrent commands are pipelined: each is sent at once, and answers arrive in the order of the commands. Until the
/// server has greeted, and while it cannot be reached, commands fail at once with `.down`. A lost connection is dialled
/// again after a pause that grows from 50 ms to 5 s, half of it random.
package final class ValkeyConnection: Sendable {
    package struct Configuration: Sendable {
        package var destination: DialledConnection.Destination
        /// The user for `AUTH`; nil for the server's default user.
        package var user: String?
        package var password: String?
        /// The database number for `SELECT`.
        package var database = 0
        /// The prefix of the keys whose changes the server reports (`CLIENT TRACKING`); nil for no reports.
        package var trackedPrefix: String?
        /// The most commands under way.
        var mostCommands = 1024
        /// The most bytes that wait to be sent.
        package var mostBytes = 32 << 20
        /// After this many bytes, received answers are left for the next turn of the thread, so that commands are sent in between.
        var receivedBytesPerTurn = 1 << 20
        /// A connection whose oldest command is this much over its budget is closed.
        var silence: Duration = .seconds(1)

        package init(_ destination: DialledConnection.Destination) { self.destination = destination }
    }

    /// A change that the server reports.
    package enum Event: Sendable, Hashable {
        case connected
        /// The connection was lost: changes since then were not reported.
        case disconnected
        /// The value of this key changed, expired or was removed.
        case changed(key: String)
        /// All keys may have changed.
        case flushed
    }

    private let loop: ValkeyLoop

    /// Starts the thread. It ends after ``shutDown()`` or when the last reference is released.
    ///
    /// - Parameter onEvent: Called on the connection's thread; it must return quickly.
    package init(_ configuration: Configuration, onEvent: @escaping @Sendable (Event) -> Void = { _ in }) {
        loop = ValkeyLoop(configuration, onEvent: onEvent)
        let loop = loop
        Thread(name: "webimage.valkey") { loop.run() }.start()
    }

    deinit { loop.end() }

    /// Whether the server has greeted, so that commands are sent.
    package var isUp: Bool { loop.isUp }

    /// Ends every command with `.down` and closes the connection.
    package func shutDown() { loop.end() }

    /// Sends a command and waits for its answer for at most `budget`. An answer that arrives later is discarded. Errors
    /// that the server reports are `.failure(.refused)`.
    package func send(_ command: RESPCommand, within budget: Duration) async -> Result<RESPValue, ValkeyFailure> {
        let reply = ValkeyReply(command, deadline: loop.now + budget)
        return await withTaskCancellationHandler {
            loop.post([reply])
            return await reply.answer()
        } onCancel: {
            reply.complete(.failure(.cancelled))
        }
    }

    /// Sends commands that no other caller's command may separate, such as `ASKING` and its command, and waits for all
    /// answers.
    package func send(_ commands: [RESPCommand], within budget: Duration) async -> [Result<RESPValue, ValkeyFailure>] {
        let replies = commands.map { ValkeyReply($0, deadline: loop.now + budget) }
        return await withTaskCancellationHandler {
            loop.post(replies)
            var results: [Result<RESPValue, ValkeyFailure>] = []
            for reply in replies { results.append(await reply.answer()) }
            return results
        } onCancel: {
            for reply in replies { reply.complete(.failure(.cancelled)) }
        }
    }
}

/// A command and its one answer.
final class ValkeyReply: Sendable {
    let command: RESPCommand
    /// The time of the monotonic clock until which the caller waits.
    let deadline: Duration
    private let completion = Completion<Result<RESPValue, ValkeyFailure>>()

    init(_ command: RESPCommand, deadline: Duration) {
        self.command = command
        self.deadline = deadline
    }

    var isCompleted: Bool { completion.isCompleted }

    func complete(_ result: Result<RESPValue, ValkeyFailure>) { completion.complete(with: result) }

    func whenCompleted(_ handler: @escaping @Sendable (Result<RESPValue, ValkeyFailure>) -> Void) {
        completion.whenCompleted(handler)
    }

    /// Waits for the answer. Call it once.
    func answer() async -> Result<RESPValue, ValkeyFailure> {
        await withValueContinuation { whenCompleted($0.resume(returning:)) }
    }
}
