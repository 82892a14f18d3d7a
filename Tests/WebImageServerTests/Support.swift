import Foundation
import Testing
import WebImageCore
import WebImageServer
import WebImageService
import WebImageTestSupport
import WebImageTestTraits

/// Contains all tests that use sockets. They run one after another, because some tests count the threads and handles of
/// the process.
@Suite("HTTP server", .serialized, .timeLimit(minutes: 5))
struct HTTPServerTests {}

/// A gate. Tasks that call `wait()` wait until the test calls `open()`. A cancelled task stops waiting.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var last = 0
        var cancelled = 0
    }

    private let state = Locked(State())

    var waitingCount: Int { state.withLock { $0.waiting.count } }
    var cancelledCount: Int { state.withLock { $0.cancelled } }

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    func wait() async {
        let number = state.withLock { state in
            state.last += 1
            return state.last
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            let waiting = state.withLock { state in
                state.cancelled += 1
                return state.waiting.removeValue(forKey: number)
            }
            waiting?.resume()
        }
    }
}

/// Starts a server, calls `body` with the server, and then stops the server.
func withServer<Value>(
    _ addresses: [ListenAddress] = [.network(host: "127.0.0.1", port: 0)],
    _ configuration: HTTPServerConfiguration = HTTPServerConfiguration(), clock: any DelayClock = SystemClock(),
    respond: @escaping HTTPServer.Responder = { .echo($0) },
    _ body: (HTTPServer) async throws -> Value
) async throws -> Value {
    let server = try HTTPServer(listening: addresses, configuration: configuration, clock: clock, respond: respond)
    do {
        let value = try await body(server)
        await server.stop(within: .zero)
        try await LiveHandles.expectNone { $0.hasPrefix("HTTP") }
        return value
    } catch {
        await server.stop(within: .zero)
        throw error
    }
}

extension ServiceResponse {
    /// Returns the method and target of the request as text.
    static func echo(_ request: ServiceRequest) -> ServiceResponse {
        text("\(request.method) \(request.target)")
    }

    static func text(_ text: String, status: Int = 200) -> ServiceResponse {
        ServiceResponse(status: status, headers: ["Content-Type": "text/plain"], body: .bytes(Data(text.utf8)))
    }
}

extension HTTPServer {
    var address: ListenAddress { addresses[0] }
}

/// Returns the names of all threads in this process that belong to a server.
func serverThreads() -> [String] {
    let folder = "/proc/self/task"
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    let names = numbers.compactMap { try? String(contentsOfFile: "\(folder)/\($0)/comm", encoding: .utf8) }
    return names.filter { $0.hasPrefix("webimage.http") }
}
