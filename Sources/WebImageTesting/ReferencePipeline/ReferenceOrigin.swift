public import Foundation
import WebImageCore

/// An HTTP origin that serves ``ReferencePicture``s with a ``FaultServer``. A history can change the version of a
/// resource, or set an error as the answer to its requests. A client that already has the current version receives
/// status 304.
public final class ReferenceOrigin: Sendable {
    /// The answer of the origin to requests for one resource.
    public struct Answer: Hashable, Sendable, CustomStringConvertible {
        /// Kinds of answers.
        public enum Kind: Hashable, Sendable {
            /// The picture of the current version. A client that already has this version receives status 304.
            case picture
            /// A status without a picture.
            case status(Int)
            /// Status 200 with a body that is not a picture.
            case garbage
        }

        /// The kind.
        public var kind = Kind.picture
        /// The version of the picture. Every new picture has a new version.
        public var version = 0
        /// Whether the response has a validator. Without a validator, a client always receives the whole picture.
        public var hasValidator = true
        /// Whether the response has `Cache-Control: no-store`.
        public var isNoStore = false
        /// Whether all clients except user 1 receive status 404.
        public var isPrivate = false

        /// Makes an answer with version 0 and a validator.
        public init() {}

        /// The status and picture for a user.
        func outcome(resource: Int, user: Int) -> (status: Int, picture: ReferencePicture?) {
            if isPrivate, user != 1 { return (404, nil) }
            switch kind {
            case .picture: return (200, ReferencePicture(resource: resource, user: user, version: version))
            case .status(let status): return (status, nil)
            case .garbage: return (200, nil)
            }
        }

        /// A text for messages.
        public var description: String {
            var words: [String] =
                switch kind {
                case .picture: ["version \(version)"]
                case .status(let status): ["status \(status)"]
                case .garbage: ["no picture"]
                }
            if !hasValidator { words.append("without a validator") }
            if isNoStore { words.append("not to be stored") }
            if isPrivate { words.append("for user 1 alone") }
            return words.joined(separator: ", ")
        }
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var files: [ReferencePicture: Data] = [:]
        var gate: FaultGate?
        var askedCount = 0
    }

    /// The server, which runs until ``stop()``.
    public let server: FaultServer
    private let state = Locked(State())

    /// Starts a server on the loopback interface.
    ///
    /// - Throws: ``FaultServerError`` when no port is available.
    public init() throws { server = try FaultServer() }

    /// Ends the server.
    public func stop() { server.stop() }

    /// The number of received requests.
    public var requestCount: Int { state.withLock { $0.askedCount } }

    /// The URL of a resource in a history. Each history has its own resources.
    public func url(_ resource: Int, history: Int) -> URL { server.url(path(resource, history)) }

    private func path(_ resource: Int, _ history: Int) -> String { "/\(history)/\(resource).png" }

    /// Sets the answer to later requests for a resource.
    public func serve(_ answer: Answer, resource: Int, history: Int) {
        let path = path(resource, history)
        let isNew = state.withLock { $0.answers.updateValue(answer, forKey: path) == nil }
        guard isNew else { return }
        server.route(path, .dynamic { [weak self] in self?.behaviour($0, path, resource) ?? .close })
    }

    /// Removes the resources of a history.
    public func forget(resources: Int, history: Int) {
        for resource in 0..<resources { server.route(path(resource, history), .status(404)) }
        state.withLock { state in
            for resource in 0..<resources { state.answers[path(resource, history)] = nil }
        }
    }

    /// Delays the answers to later requests until the gate is open. If `gate` is nil, later requests are answered
    /// immediately.
    public func hold(_ gate: FaultGate?) { state.withLock { $0.gate = gate } }

    private func behaviour(_ request: FaultRequest, _ path: String, _ resource: Int) -> FaultBehaviour {
        let (answer, gate) = state.withLock { state in
            state.askedCount += 1
            return (state.answers[path] ?? Answer(), state.gate)
        }
        let reply = reply(to: request, answer, resource)
        return gate.map { .gated($0, reply) } ?? reply
    }

    private func reply(to request: FaultRequest, _ answer: Answer, _ resource: Int) -> FaultBehaviour {
        let user = request.headers["authorization"].flatMap { Int($0) } ?? 0
        let (status, picture) = answer.outcome(resource: resource, user: user)
        var headers: [String: String] = [:]
        if answer.isNoStore { headers["Cache-Control"] = "no-store" }
        guard let picture else {
            guard status != 200 else { return .body(Self.garbage, headers: headers) }
            return .status(status)
        }
        if answer.hasValidator {
            let tag = "\"\(user)-\(picture.version)\""
            headers["ETag"] = tag
            if request.headers["if-none-match"] == tag {
                return .respond(FaultResponse(.data(Data()), status: 304, headers: headers))
            }
        }
        guard let file = file(picture) else { return .status(500) }
        return .body(file, headers: headers)
    }

    private func file(_ picture: ReferencePicture) -> Data? {
        if let known = state.withLock({ $0.files[picture] }) { return known }
        guard let file = try? picture.file() else { return nil }
        state.withLock { $0.files[picture] = file }
        return file
    }

    /// The body of a broken picture. It consists of the signature of a PNG file and 64 zero bytes, and contains no
    /// image.
    private static let garbage = Data(
        [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0, count: 64))
}
