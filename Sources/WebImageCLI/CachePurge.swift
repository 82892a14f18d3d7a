import Foundation
import WebImage
import WebImageCore
import WebImageLoading
import WebImageServer
import WebImageService

/// `webimage cache purge`: purges the results and originals that a service stores. Each operand is a source; with
/// `--target` a target, with `--tag` a tag, with `--prefix` the beginning of sources.
enum CachePurge {
    static func invocation(_ arguments: Arguments) throws(UsageError) -> Command.Invocation {
        let operands = Array(arguments.operands.dropFirst())
        guard !operands.isEmpty else { throw UsageError("cache purge requires at least one source") }
        var configuration = try ServiceArguments(file: arguments.string("config")).configuration()
        configuration.tiers += arguments.strings("tier")
        let say = Console.reporter(isQuiet: arguments.has("quiet"))
        let subject = try Subject(arguments)
        let admin = arguments.string("admin") ?? configuration.admin
        guard !admin.isEmpty else {
            configuration.purgeTokens = ["local"]
            let configuration = configuration
            return { await purge(operands, subject, inCachesOf: configuration, say: say) }
        }
        guard let token = configuration.purgeTokens.first else {
            throw UsageError("there is no token; set WEBIMAGE_PURGE_TOKEN or name the service's file by --config")
        }
        let address: ListenAddress
        do throws(HTTPServerError) {
            address = try ListenAddress(admin)
        } catch {
            throw UsageError("\(error)")
        }
        return { await purge(operands, subject, at: address, token: token, say: say) }
    }

    /// What the operands name.
    private struct Subject {
        private let name: String
        private let isSoft: Bool

        init(_ arguments: Arguments) throws(UsageError) {
            let names = ["target", "tag", "prefix"].filter(arguments.has)
            guard names.count < 2 else { throw UsageError("use one of --target, --tag and --prefix") }
            name = names.first ?? "source"
            isSoft = arguments.has("soft")
            guard !isSoft || ["tag", "prefix"].contains(name) else {
                throw UsageError("--soft requires --tag or --prefix")
            }
        }

        /// The target of the request that purges an operand.
        func query(_ operand: String) -> String {
            let allowed = CharacterSet(
                charactersIn: "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~/")
            let value = operand.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
            return "/purge?\(name)=\(value)" + (isSoft ? "&soft=yes" : "")
        }
    }

    /// Purges directly in the caches on disk, without a connection to a service. A running service with the same caches
    /// detects the purge of a source within five seconds.
    private static func purge(
        _ operands: [String], _ subject: Subject, inCachesOf configuration: ServiceConfiguration,
        say: @escaping @Sendable (String) -> Void
    ) async -> ExitCode {
        var code = ExitCode.ok
        do {
            let tiers = try TierAddress.tiers(configuration)
            if let tiers {
                for name in await TierAddress.silent(tiers, within: .seconds(2)) {
                    Console.error("tier \(name): does not answer; it keeps what it has")
                    code = .failed
                }
            }
            let service = try ImageService(
                configuration: configuration, loader: nil, clock: SystemClock(), tiers: tiers)
            for operand in operands {
                let response = await service.respondToOperator(
                    ServiceRequest(
                        method: "POST", target: subject.query(operand), headers: ["Authorization": "Bearer local"]))
                var message = response.logEntry.message
                if response.status == 200, case .bytes(let text) = response.body {
                    message = OperatorClient.line(String(decoding: text, as: UTF8.self))
                }
                report(operand, status: response.status, message, code: &code, say: say)
            }
            await service.shutdown()
        } catch {
            Console.error("\(error)")
            return .failed
        }
        return code
    }

    private static func purge(
        _ operands: [String], _ subject: Subject, at address: ListenAddress, token: String,
        say: @escaping @Sendable (String) -> Void
    ) async -> ExitCode {
        await withValueContinuation { continuation in
            // Use a separate thread, because the sockets block. A thread of the cooperative pool must not block.
            let thread = Thread {
                var code = ExitCode.ok
                for operand in operands {
                    let outcome = OperatorClient.post(subject.query(operand), token: token, to: address)
                    report(operand, status: outcome.status, outcome.message, code: &code, say: say)
                }
                continuation.resume(returning: code)
            }
            thread.start()
        }
    }

    private static func report(
        _ operand: String, status: Int, _ message: String?, code: inout ExitCode, say: (String) -> Void
    ) {
        // A tier that does not answer keeps the results; the message names it.
        if status == 200, message == "purged" {
            say("\(operand): purged")
        } else {
            Console.error("\(operand): \(message ?? "status \(status)")")
            code = .failed
        }
    }
}

/// Sends HTTP requests to a service. The service has a separate address for the operator's commands; the requests go to
/// this address.
enum OperatorClient {
    /// Sends a POST request and waits for the answer. Blocks.
    ///
    /// - Returns: The status, or 0 if there is no answer. The message is the first line of the body. If there is no
    ///   answer, the message describes the failure.
    static func post(_ target: String, token: String, to address: ListenAddress) -> (status: Int, message: String?) {
        let descriptor: Int32
        switch address {
        case .local(let path): descriptor = connect(path)
        case .network(let host, let port): descriptor = connect(host, port)
        case .everywhere(let port): descriptor = connect("127.0.0.1", port)
        case .inherited: descriptor = -1
        }
        guard descriptor >= 0 else { return (0, "cannot connect to \(address): \(String(cString: strerror(errno)))") }
        defer { close(descriptor) }
        let request = Array(
            ("POST \(target) HTTP/1.1\r\nHost: webimage\r\nAuthorization: Bearer \(token)\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n").utf8)
        guard send(descriptor, request, request.count, Int32(MSG_NOSIGNAL)) == request.count else {
            return (0, "cannot write to \(address)")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4_096)
        while bytes.count < 1 << 20 {
            let count = SystemCall.retrying { recv(descriptor, &chunk, chunk.count, 0) }
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        let text = String(decoding: bytes, as: UTF8.self)
        let words = text.prefix { !$0.isNewline }.split(separator: " ")
        guard words.count >= 2, let status = Int(words[1]) else { return (0, "no answer from \(address)") }
        return (status, text.range(of: "\r\n\r\n").map { line(text[$0.upperBound...]) })
    }

    /// The first line of a body.
    static func line(_ body: some StringProtocol) -> String { String(body.prefix { !$0.isNewline }) }

    private static func open(_ family: Int32) -> Int32 {
        let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &limit, socklen_t(MemoryLayout<timeval>.size))
        }
        return descriptor
    }

    private static func connect(_ host: String, _ port: UInt16) -> Int32 {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else { return -1 }
        defer { freeaddrinfo(found) }
        let descriptor = open(found.pointee.ai_family)
        return checked(descriptor, Foundation.connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen))
    }

    private static func connect(_ path: String) -> Int32 {
        let descriptor = open(AF_UNIX)
        return checked(
            descriptor, sockaddr_un(path: path.utf8).withAddress { Foundation.connect(descriptor, $0, $1) })
    }

    private static func checked(_ descriptor: Int32, _ result: Int32) -> Int32 {
        guard result != 0 else { return descriptor }
        let error = errno
        close(descriptor)
        errno = error
        return -1
    }
}
