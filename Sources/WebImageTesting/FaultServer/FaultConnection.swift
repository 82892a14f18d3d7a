import Foundation
import WebImageCore

/// One connection of a ``FaultServer``. Each connection has its own thread.
final class FaultConnection {
    private let server: FaultServer
    private let descriptor: Int32
    private let number: Int
    private var stream: SocketStream

    init(server: FaultServer, descriptor: Int32, number: Int) {
        self.server = server
        self.descriptor = descriptor
        self.number = number
        stream = SocketStream(descriptor)
    }

    /// Responds to requests until one side closes the connection.
    func serve() {
        while let request = readRequest() {
            let behaviour = server.state.withLock { state in
                state.requests.append(request)
                state.concurrent += 1
                state.maxConcurrent = max(state.maxConcurrent, state.concurrent)
                return state.routes[request.path] ?? state.otherwise
            }
            let goesOn = perform(behaviour, request)
            server.state.withLock { $0.concurrent -= 1 }
            guard goesOn else { return }
        }
    }

    /// Performs a behaviour. Returns false if the connection must be closed afterwards.
    private func perform(_ behaviour: FaultBehaviour, _ request: FaultRequest) -> Bool {
        switch behaviour {
        case .respond(let response): return send(response, request)
        case .hang:
            _ = pause(nil)
            return false
        case .raw(let data):
            _ = write(data)
            return false
        case .close: return false
        case .reset:
            resetOnClose()
            return false
        case .gated(let gate, let then):
            guard pause(nil, until: gate) else { return false }
            return perform(then, request)
        case .dynamic(let decide): return perform(decide(request), request)
        }
    }

    private func resetOnClose() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
    }

    /// Waits until `duration` has passed or the gate is open, and returns true. Returns false if the server stops or
    /// the client disconnects before that. If `duration` is nil, there is no time limit.
    private func pause(_ duration: Duration?, until gate: FaultGate? = nil) -> Bool {
        let end = duration.map { ContinuousClock.now + $0 }
        while true {
            var waits = [
                pollfd(fd: server.stopping.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Self.clientLeaves, revents: 0),
                pollfd(fd: gate?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
            ]
            let left = end.map { ContinuousClock.now.duration(to: $0) }
            if let left, left <= .zero { return true }
            let milliseconds = left.map { Int32(clamping: Int64($0 / .milliseconds(1)) + 1) } ?? -1
            // After a signal, no event is set, and the loop waits for the rest of the time.
            guard poll(&waits, nfds_t(waits.count), milliseconds) >= 0 else { continue }
            if waits[0].revents != 0 || waits[1].revents != 0 { return false }
            if waits[2].revents != 0 { return true }
        }
    }

    /// The value of `POLLRDHUP`. Swift does not import this macro, because a feature test macro disables it.
    private static let clientLeaves: Int16 = 0x2000

    // MARK: Reading

    private func readRequest() -> FaultRequest? {
        stream.take(through: "\r\n\r\n").flatMap { parse($0) }
    }

    private func parse(_ head: String) -> FaultRequest? {
        var lines = head.components(separatedBy: "\r\n")
        let first = lines.removeFirst().split(separator: " ")
        guard first.count >= 2 else { return nil }
        var headers: [String: String] = [:]
        for line in lines {
            guard let colon = line.firstIndex(of: ":") else { continue }
            headers[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        let length = min(max(headers["content-length"].flatMap { Int($0) } ?? 0, 0), 64 << 20)
        guard let body = stream.take(length) else { return nil }
        let target = first[1].split(separator: "?", maxSplits: 1)
        return FaultRequest(
            method: String(first[0]), path: target.first.map { String($0) } ?? "/",
            query: target.count > 1 ? String(target[1]) : nil, headers: headers, body: body, connection: number)
    }

    // MARK: Writing

    private func send(_ response: FaultResponse, _ request: FaultRequest) -> Bool {
        if response.delay > .zero { guard pause(response.delay) else { return false } }
        guard write(head(response)) else { return false }
        if request.method == "HEAD" { return true }
        guard response.hasNoBody || sendBody(response) else { return false }
        if response.resets {
            // Wait until the client has probably read the sent bytes, because a reset discards unread bytes.
            _ = pause(.milliseconds(50))
            resetOnClose()
            return false
        }
        // Behind an informational response, the client waits for the final one, which never comes.
        if response.hasNoBody { return response.status >= 200 && response.closeAfter == nil }
        switch response.framing {
        case .contentLength: return response.closeAfter == nil && response.body.count != nil
        case .chunked: return response.closeAfter == nil && write(Data("0\r\n\r\n".utf8))
        case .claimedLength, .untilClose: return false
        }
    }

    private func head(_ response: FaultResponse) -> Data {
        var text = "HTTP/1.1 \(response.status) \(response.status == 200 ? "OK" : "Status")\r\n"
        for (name, value) in response.headers.sorted(by: { $0.key < $1.key }) { text += "\(name): \(value)\r\n" }
        switch (response.framing, response.body.count) {
        case _ where response.hasNoBody: break
        case (.contentLength, .some(let count)): text += "Content-Length: \(count)\r\n"
        case (.claimedLength(let count), _): text += "Content-Length: \(count)\r\n"
        case (.chunked, _): text += "Transfer-Encoding: chunked\r\n"
        default: text += "Connection: close\r\n"
        }
        return Data((text + "\r\n").utf8)
    }

    private func sendBody(_ response: FaultResponse) -> Bool {
        let total = min(response.body.count ?? .max, response.closeAfter ?? .max)
        var (sent, number) = (0, 0)
        while sent < total {
            if sent > 0, response.interval > .zero { guard pause(response.interval) else { return false } }
            let piece = sent == 0 ? response.firstPiece ?? response.piece : response.piece
            let count = min(max(piece, 1), total - sent)
            if sent + count == total, let gate = response.lastPiece {
                guard pause(nil, until: gate) else { return false }
            }
            if let gate = response.pieceGates[number] { guard pause(nil, until: gate) else { return false } }
            number += 1
            let bytes =
                switch response.body {
                case .data(let data): Data(data.dropFirst(sent).prefix(count))
                case .zeros, .endless: Data(count: count)
                }
            guard writePiece(bytes, response.framing) else { return false }
            sent += count
        }
        return true
    }

    private func writePiece(_ piece: Data, _ framing: FaultResponse.Framing) -> Bool {
        guard case .chunked = framing else { return write(piece) }
        return write(Data("\(String(piece.count, radix: 16))\r\n".utf8) + piece + Data("\r\n".utf8))
    }

    private func write(_ data: Data) -> Bool { stream.write(data) }
}
