import CWebImageHTTPShim
import Foundation
import WebImageCore
import WebImageService

/// One connection: its unread bytes, its request and its answer. Only the thread of its reactor uses it.
///
/// A request is read only after the previous request of the connection was answered, so a client cannot make the server
/// hold many requests.
final class HTTPConnection {
    enum Progress {
        /// The connection waits for an event or for a reply.
        case waiting
        /// The connection has more work, but other connections have their turn first.
        case again
        case ended
    }

    private enum Stage {
        case reading
        case busy(PendingRequest, ReplyShape)
        case sending(HTTPOutput)
        /// The last answer was sent. The connection discards bytes until the client closes it. If the server closed it
        /// first, a client that still sends would receive a reset and could lose the answer.
        case lingering(discarded: Int)
    }

    /// The properties of a request that decide how its answer is written.
    struct ReplyShape {
        var isHead = false
        var isPersistent = false
        var isOld = false
    }

    let number: UInt64
    let descriptor: Int32
    private let reactor: HTTPReactor
    private var stage = Stage.reading
    private var input: [UInt8] = []
    private var scanner = HeadScanner()
    private var mayRead = true
    /// Whether the client sends no further byte. It may still wait for answers.
    private var isEnded = false
    /// Whether the client has closed the connection in both directions.
    private var isGone = false
    /// Whether the request was cancelled because its client has left. Several events can report one leave.
    private var isAbandoned = false
    /// Whether the beginning of the answer was sent to find out whether the client still receives.
    private var isProbed = false
    /// The request and the answer whose body arrives. They are reported when the answer has ended.
    private var unreported: (request: ServiceRequest, response: ServiceResponse)?

    /// The number of requests and parts of an answer after which other connections have their turn.
    private static let turns = 16
    private static let longestLinger = 1 << 20

    init(_ number: UInt64, _ descriptor: Int32, _ reactor: HTTPReactor) {
        self.number = number
        self.descriptor = descriptor
        self.reactor = reactor
    }

    /// Records an event of the descriptor.
    func note(_ event: webimage_http_event, _ server: HTTPServer) {
        if event.is_readable || event.is_ended || event.is_gone { mayRead = true }
        if event.is_ended { isEnded = true }
        if event.is_gone { isGone = true }
        checkPeer(server)
    }

    /// Cancels the work of a request if its client has left.
    ///
    /// A closed connection and a connection whose client only sends nothing more look the same: the client's end of
    /// stream arrives. The beginning of the answer tells them apart, because the system of a client that has closed the
    /// connection resets it. Every answer has the same beginning, so the client sees one ordinary answer.
    private func checkPeer(_ server: HTTPServer) {
        guard case .busy(let pending, _) = stage, isEnded || isGone else { return }
        if !isGone, !isProbed {
            isProbed = true
            let prefix = ResponseHead.prefix
            let sent = prefix.withUnsafeBytes {
                webimage_http_send(descriptor, $0.baseAddress, $0.count, nil, 0, false)
            }
            // The send buffer is empty here, so the system takes the few bytes or none.
            if sent == prefix.count { return }
            isGone = true
        }
        guard isGone, !isAbandoned else { return }
        isAbandoned = true
        server.abandon(pending)
    }

    /// Reads, answers and sends as far as possible without waiting.
    func advance(_ server: HTTPServer, _ reading: inout HTTPReactor.Buffers) -> Progress {
        for _ in 0..<Self.turns {
            switch stage {
            case .reading:
                if let progress = read(server, &reading) { return progress }
            case .busy: return .waiting
            case .sending(var output):
                let outcome = output.send(descriptor) { [reactor, number] in reactor.post(.arrived(number: number)) }
                if let count = output.takeArrivedCount() { _ = server.sending(number, bytes: UInt64(count)) }
                switch outcome {
                case .blocked:
                    stage = .sending(output)
                    return .waiting
                case .part: stage = .sending(output)
                case .starved:
                    stage = .sending(output)
                    if isGone { return leave(server) }
                    server.awaits(number)
                    return .waiting
                case .failed: return leave(server)
                case .done:
                    server.completed(number)
                    end(server)
                    finish(output.isPersistent, server)
                }
            case .lingering(let discarded):
                let count = recv(descriptor, reading.bytes.baseAddress, reading.bytes.count, Int32(MSG_DONTWAIT))
                if count < 0, errno == EAGAIN { return .waiting }
                guard count > 0, discarded + count <= Self.longestLinger else { return .ended }
                stage = .lingering(discarded: discarded + count)
            }
        }
        return .again
    }

    private func leave(_ server: HTTPServer) -> Progress {
        server.completed(number)
        return .ended
    }

    /// Ends the use of a body that arrives, and reports its answer.
    func end(_ server: HTTPServer) {
        if let (request, response) = unreported.take() { server.ended(response, to: request) }
    }

    private func finish(_ isPersistent: Bool, _ server: HTTPServer) {
        isProbed = false
        if isPersistent {
            stage = .reading
            if !input.isEmpty { server.began(number) }
        } else {
            shutdown(descriptor, Int32(SHUT_WR))
            stage = .lingering(discarded: 0)
            server.lingers(number)
        }
    }

    // MARK: Requests

    /// Returns nil if the stage has changed or bytes were read.
    private func read(_ server: HTTPServer, _ reading: inout HTTPReactor.Buffers) -> Progress? {
        if !input.isEmpty {
            do throws(HeadError) {
                let limits = reading.limits
                if let head = try head(limits) {
                    begin(head, server, &reading)
                    return nil
                }
            } catch {
                input = []
                let answer = server.refuse(number, error)
                let shape = ReplyShape()
                // The client may have sent the end of stream. It receives the answer all the same.
                send(answer, as: shape, server: server, reading: &reading)
                return nil
            }
        }
        guard mayRead else { return .waiting }
        let count = recv(descriptor, reading.bytes.baseAddress, reading.bytes.count, Int32(MSG_DONTWAIT))
        guard count > 0 else {
            if count < 0, errno == EINTR { return nil }
            if count < 0, errno == EAGAIN {
                mayRead = false
                return .waiting
            }
            return .ended
        }
        if count < reading.bytes.count, !isEnded { mayRead = false }
        if input.isEmpty { server.began(number) }
        input.append(contentsOf: UnsafeRawBufferPointer(rebasing: reading.bytes[..<count]))
        return nil
    }

    /// Removes the next head from the unread bytes; nil if it is incomplete.
    private func head(_ limits: HeadLimits) throws(HeadError) -> RequestHead? {
        var scanner = scanner
        let outcome: Result<(RequestHead, Int)?, HeadError> = input.withUnsafeBytes { bytes in
            Result { () throws(HeadError) in
                guard let size = try scanner.scan(bytes, limits) else { return nil }
                return (try RequestHead(UnsafeRawBufferPointer(rebasing: bytes[..<size]), limits), size)
            }
        }
        guard let (head, size) = try outcome.get() else {
            self.scanner = scanner
            return nil
        }
        self.scanner = HeadScanner()
        if size == input.count { input.removeAll(keepingCapacity: size <= 4_096) } else { input.removeFirst(size) }
        return head
    }

    private func begin(_ head: RequestHead, _ server: HTTPServer, _ reading: inout HTTPReactor.Buffers) {
        let shape = ReplyShape(isHead: head.method == "HEAD", isPersistent: head.isPersistent, isOld: head.isOld)
        guard let request = server.admit(number, head) else {
            let error = HeadError.stopping
            return send(
                server.refuse(number, error), as: ReplyShape(isHead: shape.isHead), server: server, reading: &reading)
        }
        if let response = server.respondImmediately?(request) {
            server.answered?(request, response)
            return send(response, as: shape, server: server, reading: &reading)
        }
        let pending = PendingRequest(request, connection: number, reactor: reactor)
        stage = .busy(pending, shape)
        server.start(pending)
        checkPeer(server)
    }

    /// Sends the reply to the request of this connection. The connection ends without an answer if its client has left.
    func reply(_ response: ServiceResponse, _ server: HTTPServer, _ reading: inout HTTPReactor.Buffers) {
        guard case .busy(let pending, let shape) = stage else { return }
        if case .arriving = response.body { unreported = (pending.request, response) }
        send(response, as: shape, server: server, reading: &reading)
    }

    private func send(
        _ response: ServiceResponse, as shape: ReplyShape, server: HTTPServer, reading: inout HTTPReactor.Buffers
    ) {
        let isStopping = server.sending(number, bytes: UInt64(response.body.count))
        var length: Int? = response.body.count
        if case .arriving(let body) = response.body { length = body.byteCount }
        let isPersistent = shape.isPersistent && !isStopping
        var head = ResponseHead.bytes(
            response, length: length, isPersistent: isPersistent, isOld: shape.isOld, date: reading.date.text())
        if isProbed { head.removeFirst(ResponseHead.prefix.count) }
        let hasBody = !shape.isHead && ResponseHead.hasBody(ResponseHead.status(response))
        stage = .sending(
            HTTPOutput(
                head: head, body: hasBody ? response.body : .none, isChunked: length == nil,
                isPersistent: isPersistent))
    }
}
