package import Foundation
import WebImageCore
package import WebImageTesting

/// An HTTP origin that serves ``ReferencePicture``s with a ``FaultServer``. A history can change the version of a
/// resource, or set an error as the answer to its requests. A client that already has the current version receives
/// status 304.
package final class ReferenceOrigin: Sendable {
    /// The answer of the origin to requests for one resource.
    package struct Answer: Hashable, Sendable, CustomStringConvertible {
        /// Kinds of answers.
        package enum Kind: Hashable, Sendable {
            /// The picture of the current version. A client that already has this version receives status 304.
            case picture
            /// A status without a picture.
            case status(Int)
            /// Status 200 with a body that is not a picture.
            case garbage
            /// Status 204 without a body.
            case empty
            /// Status 206 although no part was requested.
            case part
            /// Status 200 with a page, as from a captive portal.
            case page
            /// A body whose content coding is damaged.
            case brokenCoding
            /// The connection is closed without an answer.
            case offline
            /// A redirect that leads to itself.
            case loop
            /// Nearly the whole picture, and then nothing. Every load of such a resource is cancelled.
            case stall
        }

        /// The redirects before the picture. Each version of the picture has its own URL.
        package struct Redirects: Hashable, Sendable {
            /// The status of each redirect.
            package var status = 302
            /// The number of redirects, at least 1.
            package var count = 1
            /// Whether all versions have the same validator. It must confirm only the picture of its own URL.
            package var sharesValidator = false
            /// Whether the picture is fresh for an hour. The redirects are not.
            package var isFresh = false
        }

        /// The kind.
        package var kind = Kind.picture
        /// The version of the picture. Every new picture has a new version.
        package var version = 0
        /// Whether the response has a validator. Without a validator, a client always receives the whole picture.
        package var hasValidator = true
        /// Whether every conditional request receives status 304 with the validator of the current version, also from a
        /// client that has another version. Such an answer confirms nothing (RFC 9111 §4.3.4).
        package var confirmsEverything = false
        /// Whether the response has `Cache-Control: no-store`.
        package var isNoStore = false
        /// Whether all clients except user 1 receive status 404.
        package var isPrivate = false
        /// Whether the picture arrives in small pieces.
        package var isSlow = false
        /// The redirects before the picture; nil if the URL itself has the picture.
        package var redirects: Redirects?

        /// Makes an answer with version 0 and a validator.
        package init() {}

        /// The expected end of a fetch.
        struct Outcome {
            var status = 200
            var picture: ReferencePicture?
            /// The code of the error if the status is accepted and there is no picture.
            var code = WebImageError.Code.badImageData
            /// Whether the URL is blocked after the error.
            var isPermanent = false
            /// Whether the fetch ends before a status arrives.
            var hasNoStatus = false
        }

        /// Whether the answer to a user never ends. A user who may not see the picture receives status 404 at once.
        func stalls(user: Int) -> Bool { kind == .stall && (user == 1 || !isPrivate) }

        /// The status and picture for a user.
        func outcome(resource: Int, user: Int) -> Outcome {
            if ReferenceHistory.isLocal(resource) { return localOutcome(resource) }
            if isPrivate, user != 1 { return Outcome(status: 404, isPermanent: true) }
            switch kind {
            case .picture, .stall:
                return Outcome(picture: ReferencePicture(resource: resource, user: user, version: version))
            case .status(let status): return Outcome(status: status, isPermanent: status == 404)
            case .garbage: return Outcome(isPermanent: true)
            case .empty: return Outcome(status: 204)
            case .page: return Outcome()
            case .part: return Outcome(status: 206, code: .invalidDownloadResponse, hasNoStatus: true)
            case .brokenCoding: return Outcome(code: .invalidDownloadResponse, hasNoStatus: true)
            case .offline, .loop: return Outcome(code: .transport, hasNoStatus: true)
            }
        }

        /// A local file has a picture or garbage, or does not exist. A `data:` URL always has the same picture.
        private func localOutcome(_ resource: Int) -> Outcome {
            if resource == ReferenceHistory.dataResource {
                return Outcome(picture: ReferencePicture(resource: resource, user: 0, version: 0))
            }
            switch kind {
            case .picture: return Outcome(picture: ReferencePicture(resource: resource, user: 0, version: version))
            case .garbage: return Outcome()
            default: return Outcome(code: .fileSystem)
            }
        }

        /// A text for messages.
        package var description: String {
            var words: [String] =
                switch kind {
                case .picture: ["version \(version)"]
                case .status(let status): ["status \(status)"]
                case .garbage: ["no picture"]
                default: ["\(kind)"]
                }
            if isSlow { words.append("slowly") }
            if let redirects {
                words.append("behind \(redirects.count) redirects with \(redirects.status)")
                if redirects.sharesValidator { words.append("with the validator of every version") }
                if redirects.isFresh { words.append("fresh") }
            }
            if !hasValidator { words.append("without a validator") }
            if confirmsEverything { words.append("with status 304 for every version") }
            if isNoStore { words.append("not to be stored") }
            if isPrivate { words.append("for user 1 alone") }
            return words.joined(separator: ", ")
        }
    }

    private struct State {
        var answers: [String: Answer] = [:]
        var files: [ReferencePicture: Data] = [:]
        var gate: FaultGate?
        /// The path and the query of each request.
        var asked: [String] = []
    }

    /// The server, which runs until ``stop()``.
    package let server: FaultServer
    private let state = Locked(State())
    /// The folder of the resources that are local files.
    private let files: ScratchFolder

    /// Starts a server on the loopback interface.
    ///
    /// - Throws: ``FaultServerError`` when no port is available.
    package init() throws {
        server = try FaultServer()
        files = try ScratchFolder()
    }

    /// Ends the server.
    package func stop() { server.stop() }

    /// The number of received requests.
    package var requestCount: Int { state.withLock { $0.asked.count } }

    /// The requests behind the first `count` ones, for messages.
    func requests(behind count: Int) -> String { state.withLock { $0.asked.dropFirst(count).joined(separator: ", ") } }

    /// The URL of a resource in a history. Each history has its own resources.
    package func url(_ resource: Int, history: Int) -> URL {
        switch resource {
        case ReferenceHistory.fileResource: localFile(history)
        case ReferenceHistory.dataResource: dataURL(history)
        default: server.url(path(resource, history))
        }
    }

    private func localFile(_ history: Int) -> URL { files.url.appendingPathComponent("\(history).png") }

    /// A `data:` URL for a history. Its media type contains the number of the history.
    private func dataURL(_ history: Int) -> URL {
        let picture = ReferencePicture(resource: ReferenceHistory.dataResource, user: 0, version: 0)
        let text = "data:image/png;history=\(history);base64," + (file(picture) ?? Data()).base64EncodedString()
        return URL(string: text) ?? localFile(history)
    }

    private func serveFile(_ answer: Answer, history: Int) {
        let url = localFile(history)
        switch answer.outcome(resource: ReferenceHistory.fileResource, user: 0).picture {
        // Both ways of editing: by another file, and in place.
        case let picture?: try? file(picture)?.write(to: url, options: picture.version % 2 == 0 ? .atomic : [])
        case nil where answer.kind == .garbage: try? Self.garbage.write(to: url, options: .atomic)
        case nil: try? FileManager.default.removeItem(at: url)
        }
    }

    private func path(_ resource: Int, _ history: Int) -> String { "/\(history)/\(resource).png" }

    /// Sets the answer to later requests for a resource.
    package func serve(_ answer: Answer, resource: Int, history: Int) {
        if resource == ReferenceHistory.fileResource { serveFile(answer, history: history) }
        if ReferenceHistory.isLocal(resource) { return }
        let path = path(resource, history)
        let isNew = state.withLock { $0.answers.updateValue(answer, forKey: path) == nil }
        guard isNew else { return }
        server.route(path, .dynamic { [weak self] in self?.behaviour($0, path, resource) ?? .close })
    }

    /// Removes the resources of a history.
    package func forget(resources: Int, history: Int) {
        for resource in 0..<resources { server.route(path(resource, history), .status(404)) }
        try? FileManager.default.removeItem(at: localFile(history))
        state.withLock { state in
            for resource in 0..<resources { state.answers[path(resource, history)] = nil }
        }
    }

    /// Delays the answers to later requests until the gate is open. If `gate` is nil, later requests are answered
    /// immediately.
    package func hold(_ gate: FaultGate?) { state.withLock { $0.gate = gate } }

    private func behaviour(_ request: FaultRequest, _ path: String, _ resource: Int) -> FaultBehaviour {
        let (answer, gate) = state.withLock { state in
            state.asked.append(path + (request.query.map { "?\($0)" } ?? ""))
            return (state.answers[path] ?? Answer(), state.gate)
        }
        // The query of a redirect's target is the number of redirects that follow, and the version of the picture.
        let query = request.query?.split(separator: "-").compactMap { Int($0) } ?? []
        var asked = answer
        if query.count == 2 { asked.version = query[1] }
        let left = query.first ?? answer.redirects?.count ?? 0
        let reply: FaultBehaviour =
            if left > 0, let redirects = answer.redirects, answer.kind != .offline {
                .redirect(to: "\(path)?\(left - 1)-\(answer.version)", status: redirects.status)
            } else {
                reply(to: request, asked, resource)
            }
        return gate.map { .gated($0, reply) } ?? reply
    }

    private func reply(to request: FaultRequest, _ answer: Answer, _ resource: Int) -> FaultBehaviour {
        let user = request.headers["authorization"].flatMap { Int($0) } ?? 0
        let outcome = answer.outcome(resource: resource, user: user)
        var headers: [String: String] = [:]
        if answer.redirects?.isFresh == true { headers["Cache-Control"] = "max-age=3600" }
        if answer.isNoStore { headers["Cache-Control"] = "no-store" }
        guard let picture = outcome.picture else {
            return outcome.status == 404 ? .status(404) : failure(answer.kind, request, headers)
        }
        if answer.hasValidator {
            let tag = answer.redirects?.sharesValidator == true ? "\"same\"" : "\"\(user)-\(picture.version)\""
            headers["ETag"] = tag
            let known = request.headers["if-none-match"]
            if known == tag || known != nil && answer.confirmsEverything {
                return .respond(FaultResponse(.data(Data()), status: 304, headers: headers))
            }
        }
        guard let file = file(picture) else { return .status(500) }
        headers["Content-Type"] = "image/\(ImageFormat(sniffing: file).name ?? "png")"
        var response = FaultResponse(.data(file), headers: headers)
        if answer.isSlow { (response.piece, response.interval) = (max(file.count / 4, 1), .milliseconds(1)) }
        // A stalled body lacks its last bytes. They never arrive.
        if answer.kind == .stall { (response.firstPiece, response.interval) = (file.count - 2, .seconds(60)) }
        return .respond(response)
    }

    private func failure(_ kind: Answer.Kind, _ request: FaultRequest, _ headers: [String: String]) -> FaultBehaviour {
        switch kind {
        case .status(let status): .status(status)
        case .empty: .respond(FaultResponse(.data(Data()), status: 204, headers: headers))
        case .part:
            .body(
                Self.garbage, status: 206,
                headers: headers.merging(["Content-Range": "bytes 100-171/200"]) { own, _ in own })
        case .page: .body(Data("<html>Log in</html>".utf8), type: "text/html", headers: headers)
        case .brokenCoding:
            .body(
                Data("no gzip at all, but long enough".utf8),
                headers: headers.merging(["Content-Encoding": "gzip"]) { own, _ in own })
        case .offline: .close
        case .loop: .redirect(to: request.path + (request.query.map { "?\($0)" } ?? ""))
        case .picture, .garbage, .stall: .body(Self.garbage, headers: headers)
        }
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
