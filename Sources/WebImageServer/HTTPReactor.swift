import CWebImageHTTPShim
import Foundation
import WebImageCore
import WebImageService

/// A thread that reads and writes the sockets of its connections. Other threads pass messages to it.
final class HTTPReactor: Sendable {
    enum Message: Sendable {
        case add(number: UInt64, descriptor: Int32)
        case reply(PendingRequest, ServiceResponse)
        /// The next bytes of a body may have arrived.
        case arrived(number: UInt64)
        /// Closes all connections and ends the thread.
        case stop
    }

    /// The values that all connections of the thread use.
    struct Buffers {
        let bytes: UnsafeMutableRawBufferPointer
        let limits: HeadLimits
        var date = ResponseDate()
    }

    private struct Mailbox {
        var messages: [Message] = []
        var isClosed = false
    }

    private let watch: Int32
    private let wake: Int32
    private let limits: HeadLimits
    private let mailbox = Locked(Mailbox())

    /// Nil if no descriptor is left.
    init?(_ limits: HeadLimits) {
        let watch = webimage_http_watch_create()
        let wake = webimage_http_wake_create()
        guard watch >= 0, wake >= 0, webimage_http_watch_readable(watch, wake, 0) == 0 else {
            if watch >= 0 { close(watch) }
            if wake >= 0 { close(wake) }
            return nil
        }
        self.watch = watch
        self.wake = wake
        self.limits = limits
    }

    deinit {
        close(watch)
        close(wake)
    }

    /// Passes a message to the thread. Returns false after `.stop`: the thread does not receive the message. Safe on any
    /// thread.
    @discardableResult
    func post(_ message: Message) -> Bool {
        let (isTaken, isFirst) = mailbox.withLock { mailbox in
            guard !mailbox.isClosed else { return (false, false) }
            if case .stop = message { mailbox.isClosed = true }
            mailbox.messages.append(message)
            return (true, mailbox.messages.count == 1)
        }
        if isFirst { webimage_http_wake(wake) }
        return isTaken
    }

    /// Serves the connections until `.stop` arrives.
    func run(_ server: HTTPServer) {
        Self.blockBrokenPipeSignal()
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)
        defer { bytes.deallocate() }
        var buffers = Buffers(bytes: bytes, limits: limits)
        var connections: [UInt64: HTTPConnection] = [:]
        var ready: [UInt64] = []
        var events = [webimage_http_event](repeating: webimage_http_event(), count: 64)
        var isOver = false
        while !isOver {
            let count = webimage_http_watch_wait(watch, &events, 64, ready.isEmpty ? -1 : 0)
            var turn = ready
            ready = []
            for event in events.prefix(max(Int(count), 0)) {
                if event.id == 0 { webimage_http_wake_clear(wake) }
                guard let connection = connections[event.id] else { continue }
                connection.note(event, server)
                turn.append(event.id)
            }
            let messages = mailbox.withLock { mailbox in
                defer { mailbox.messages = [] }
                return mailbox.messages
            }
            for message in messages {
                switch message {
                case .add(let number, let descriptor):
                    connections[number] = HTTPConnection(number, descriptor, self)
                    webimage_http_watch_connection(watch, descriptor, number)
                    turn.append(number)
                case .reply(let pending, let response):
                    if let connection = connections[pending.connection] {
                        connection.reply(response, server, &buffers)
                    } else {
                        server.ended(response, to: pending.request)
                    }
                    turn.append(pending.connection)
                case .arrived(let number): turn.append(number)
                case .stop: isOver = true
                }
            }
            for number in turn {
                guard let connection = connections[number] else { continue }
                switch connection.advance(server, &buffers) {
                case .waiting: break
                case .again: ready.append(number)
                case .ended:
                    connections[number] = nil
                    connection.end(server)
                    server.close(number, connection.descriptor)
                }
            }
        }
        for connection in connections.values {
            connection.end(server)
            server.close(connection.number, connection.descriptor)
        }
    }

    /// sendfile(2) cannot suppress the signal of a write to a closed connection, so the thread blocks it.
    private static func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }
}
