import Foundation
import WebImageCore

/// An HTTP proxy that opens tunnels (`CONNECT`) only to ports of this machine.
public final class FaultProxy: Sendable {
    private struct State {
        var answers: [String] = []
        var tunnels: [String] = []
    }

    private let state: Locked<State>
    private let listener: LoopbackListener

    /// The URL of the proxy, for ``WebImageDownloaderConfig/proxy``.
    public var url: String { "http://127.0.0.1:\(listener.port)" }

    /// The heads of the tunnel requests since the last call of ``answer(_:)``, in order of arrival.
    public var tunnels: [String] { state.withLock { $0.tunnels } }

    /// Starts listening on a free port of 127.0.0.1.
    public init() throws {
        let state = Locked(State())
        self.state = state
        listener = try LoopbackListener { descriptor, listener in
            var client = SocketStream(descriptor)
            while let head = client.take(through: "\r\n\r\n") {
                let answer = state.withLock { state in
                    state.tunnels.append(head)
                    return state.answers[min(state.tunnels.count, state.answers.count) - 1]
                }
                guard client.write(Data(answer.utf8)) else { return }
                // An answer can have several heads. The tunnel opens only if the last head has status 200.
                guard answer.components(separatedBy: "HTTP/1.1 ").last?.hasPrefix("200") == true else { continue }
                return Self.relay(client, head, listener)
            }
        }
        answer(Self.established)
    }

    /// The default response, which opens the tunnel. Its header fields describe the proxy. A client must not use them
    /// as fields of the response of the origin.
    public static let established =
        "HTTP/1.1 200 Connection established\r\nETag: \"proxy\"\r\nCache-Control: no-store\r\nContent-Type: text/html\r\n\r\n"

    /// Sets the responses to the next tunnel requests. The last response is used for all later requests. Each response
    /// consists of one or several heads.
    public func answer(_ answers: String...) { state.withLock { ($0.answers, $0.tunnels) = (answers, []) } }

    /// Closes all connections and waits until all threads have ended.
    public func stop() { listener.stop() }

    private static func relay(_ client: SocketStream, _ head: String, _ listener: LoopbackListener) {
        // A request has the form `CONNECT localhost:1234 HTTP/1.1`. Use only the port, and connect to this machine for
        // every host name.
        let target = head.split(separator: " ").dropFirst().first?.split(separator: ":").last.flatMap { Int($0) }
        guard let target, let origin = listener.connect(to: target) else { return }
        let (up, down) = (client, SocketStream(origin))
        let isDone = DispatchSemaphore(value: 0)
        listener.run {
            copy(from: down, to: up)
            shutdown(up.descriptor, Int32(SHUT_RDWR))
            isDone.signal()
        }
        copy(from: up, to: down)
        shutdown(origin, Int32(SHUT_RDWR))
        // Wait for the other thread, which still uses both descriptors.
        isDone.wait()
        listener.remove(origin)
    }

    private static func copy(from source: SocketStream, to target: SocketStream) {
        var source = source
        while let bytes = source.takeAll() { guard target.write(bytes) else { return } }
    }
}
