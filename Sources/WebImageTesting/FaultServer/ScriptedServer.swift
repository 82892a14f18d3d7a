public import Foundation
import WebImageCore

/// A server that responds to each request with the next script of a list. A script consists of the steps of one
/// response. The client chooses HTTP/1.1 or HTTP/2.
///
/// HTTP/2 is used without TLS; ``TLSRelay`` adds TLS. The path of a request has no effect.
public final class ScriptedServer: Sendable {
    /// One part of a response.
    public enum Step: Sendable {
        /// A head with a status and fields. A head with a status below 200 is an interim response.
        case head(Int, [String: String] = [:])
        /// Bytes of the body.
        case body(Data)
        /// Trailer fields after the body.
        case trailers([String: String])
        /// Closes the connection.
        case close
    }

    private struct State {
        var scripts: [[Step]] = []
        var count = 0
        var heads: [String] = []
    }

    private let state: Locked<State>
    private let listener: LoopbackListener

    /// The port on which the server listens.
    public var port: Int { listener.port }

    /// Starts listening on a free port of 127.0.0.1.
    public init() throws {
        let state = Locked(State())
        self.state = state
        listener = try LoopbackListener { descriptor, _ in
            var stream = SocketStream(descriptor)
            if stream.begins(with: HTTP2Frame.preface) {
                Self.serveHTTP2(&stream, state)
            } else {
                Self.serveHTTP1(&stream, state)
            }
        }
    }

    /// Sets one script for each of the next requests. The last script is used for all later requests.
    public func play(_ scripts: [Step]...) { play(scripts) }

    /// Sets a list of scripts, one for each of the next requests. The last script is used for all later requests.
    public func play(_ scripts: [[Step]]) {
        state.withLock { ($0.scripts, $0.count, $0.heads) = (scripts, 0, []) }
    }

    /// The number of requests since the last call of ``play(_:)``.
    public var requestCount: Int { state.withLock { $0.count } }

    /// The heads of the HTTP/1.1 requests since the last call of ``play(_:)``.
    public var heads: [String] { state.withLock { $0.heads } }

    /// Closes all connections and waits until all threads have ended.
    public func stop() { listener.stop() }

    private static func next(_ state: Locked<State>, head: String? = nil) -> [Step] {
        state.withLock { state in
            defer { state.count += 1 }
            if let head { state.heads.append(head) }
            return state.scripts.isEmpty ? [.head(500)] : state.scripts[min(state.count, state.scripts.count - 1)]
        }
    }

    // MARK: HTTP/1.1

    private static func serveHTTP1(_ stream: inout SocketStream, _ state: Locked<State>) {
        while let head = stream.take(through: "\r\n\r\n") {
            let length = head.lowercased().components(separatedBy: "content-length: ").dropFirst().first?
                .prefix { $0.isNumber }
            if let length = length.flatMap({ Int($0) }), stream.take(length) == nil { return }
            let script = next(state, head: head)
            guard stream.write(textual(script)) else { return }
            if script.contains(where: { if case .close = $0 { true } else { false } }) { return }
        }
    }

    private static func textual(_ script: [Step]) -> Data {
        let hasTrailers = script.contains { if case .trailers = $0 { true } else { false } }
        let length = script.reduce(0) { if case .body(let data) = $1 { $0 + data.count } else { $0 } }
        var bytes = Data()
        var isChunked = false
        for step in script {
            switch step {
            case .head(let status, let fields):
                var fields = fields
                isChunked = status >= 200 && hasTrailers
                if isChunked { fields["Transfer-Encoding"] = "chunked" }
                if status >= 200, !hasTrailers, status != 304, status != 204 { fields["Content-Length"] = "\(length)" }
                bytes.append(Data("HTTP/1.1 \(status) Status\r\n\(lines(fields))\r\n".utf8))
            case .body(let data) where isChunked:
                bytes.append(Data("\(String(data.count, radix: 16))\r\n".utf8) + data + Data("\r\n".utf8))
            case .body(let data): bytes.append(data)
            case .trailers(let fields): bytes.append(Data("0\r\n\(lines(fields))\r\n".utf8))
            case .close: return bytes
            }
        }
        return bytes
    }

    private static func lines(_ fields: [String: String]) -> String {
        fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
    }

    // MARK: HTTP/2

    private static func serveHTTP2(_ stream: inout SocketStream, _ state: Locked<State>) {
        guard stream.take(HTTP2Frame.preface.utf8.count) != nil,
            stream.write(HTTP2Frame(kind: .settings).bytes)
        else { return }
        while let frame = HTTP2Frame(&stream) {
            switch frame.kind {
            case .settings where frame.flags & 1 == 0:
                guard stream.write(HTTP2Frame(kind: .settings, flags: 1).bytes) else { return }
            case .ping where frame.flags & 1 == 0:
                guard stream.write(HTTP2Frame(kind: .ping, flags: 1, payload: frame.payload).bytes) else { return }
            case .headers, .data:
                guard frame.endsStream else { continue }
                let script = next(state)
                guard stream.write(framed(script, frame.stream)) else { return }
                if script.contains(where: { if case .close = $0 { true } else { false } }) { return }
            default: break
            }
        }
    }

    private static func framed(_ script: [Step], _ stream: UInt32) -> Data {
        var frames: [HTTP2Frame] = []
        for step in script {
            switch step {
            case .head(let status, let fields):
                let block = HTTP2Frame.block([(":status", "\(status)")] + fields.sorted { $0.key < $1.key })
                frames.append(HTTP2Frame(kind: .headers, flags: HTTP2Frame.endHeaders, stream: stream, payload: block))
            case .body(let data): frames.append(HTTP2Frame(kind: .data, stream: stream, payload: data))
            case .trailers(let fields):
                let block = HTTP2Frame.block(fields.sorted { $0.key < $1.key })
                frames.append(HTTP2Frame(kind: .headers, flags: HTTP2Frame.endHeaders, stream: stream, payload: block))
            case .close: return frames.reduce(Data()) { $0 + $1.bytes }
            }
        }
        if let last = frames.indices.last { frames[last].flags |= HTTP2Frame.endStream }
        return frames.reduce(Data()) { $0 + $1.bytes }
    }
}

/// One frame of HTTP/2 (RFC 9113 §4).
struct HTTP2Frame {
    enum Kind: UInt8 {
        case data = 0
        case headers = 1
        case settings = 4
        case ping = 6
    }

    static let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
    static let endStream: UInt8 = 0x1
    static let endHeaders: UInt8 = 0x4

    /// The kind of the frame; nil for kinds that the server ignores.
    var kind: Kind?
    var flags: UInt8 = 0
    var stream: UInt32 = 0
    var payload = Data()

    init(kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: Data = Data()) {
        (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
    }

    /// Reads the next frame; nil at the end of the stream.
    init?(_ source: inout SocketStream) {
        guard let head = source.take(9).map({ [UInt8]($0) }),
            let payload = source.take(Int(head[0]) << 16 | Int(head[1]) << 8 | Int(head[2]))
        else { return nil }
        kind = Kind(rawValue: head[3])
        flags = head[4]
        stream = head[5..<9].reduce(0) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
        self.payload = payload
    }

    var endsStream: Bool { flags & Self.endStream != 0 }

    var bytes: Data {
        let length = payload.count
        var head = Data([UInt8(length >> 16 & 0xFF), UInt8(length >> 8 & 0xFF), UInt8(length & 0xFF)])
        head.append(contentsOf: [kind?.rawValue ?? 0xFF, flags])
        head.append(contentsOf: (0..<4).map { UInt8(stream >> (24 - 8 * UInt32($0)) & 0xFF) })
        return head + payload
    }

    /// Encodes fields as literals without indexing and without Huffman coding (RFC 7541 §6.2.2).
    static func block(_ fields: [(key: String, value: String)]) -> Data {
        fields.reduce(into: Data()) { block, field in
            block.append(0)
            for text in [field.key.lowercased(), field.value] {
                block.append(integer(text.utf8.count))
                block.append(contentsOf: text.utf8)
            }
        }
    }

    /// Encodes an integer with a prefix of seven bits (RFC 7541 §5.1).
    private static func integer(_ value: Int) -> Data {
        guard value >= 127 else { return Data([UInt8(value)]) }
        var bytes = Data([127])
        var rest = value - 127
        while rest >= 128 {
            bytes.append(UInt8(rest % 128 + 128))
            rest /= 128
        }
        bytes.append(UInt8(rest))
        return bytes
    }
}
