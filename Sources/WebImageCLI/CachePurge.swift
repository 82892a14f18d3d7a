import Foundation
import WebImage
import WebImageCore
import WebImageHTTP
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
        let client = OperatorClient(address: address, token: token)
        var code = ExitCode.ok
        for operand in operands {
            let outcome = await client.post(subject.query(operand))
            report(operand, status: outcome.status, outcome.message, code: &code, say: say)
        }
        return code
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
/// this address, never through a proxy.
struct OperatorClient: Sendable {
    let address: ListenAddress
    let token: String
    private let engine = CurlEngine()

    init(address: ListenAddress, token: String) { (self.address, self.token) = (address, token) }

    /// Sends a POST request and waits for the answer, for at most 30 seconds.
    ///
    /// - Returns: The status, or 0 if there is no answer. The message is the first line of the body. If there is no
    ///   answer, the message describes the failure.
    func post(_ target: String) async -> (status: Int, message: String?) {
        guard let host, let url = URL(string: "http://" + host + target) else {
            return (0, "cannot connect to \(address)")
        }
        var request = WebImageRequest(url: url)
        request.httpMethod = "POST"
        request.maxBodyBytes = 1 << 20
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        var exchange = HTTPExchange(request)
        exchange.usesProxies = false
        if case .local(let path) = address { exchange.unixSocket = path }
        do throws(WebImageError) {
            let answer = try await exchange.perform(on: engine, within: .seconds(30))
            return (answer.response.statusCode ?? 0, Self.line(String(decoding: answer.body, as: UTF8.self)))
        } catch {
            return (0, "no answer from \(address): \(error)")
        }
    }

    /// The host and port of the URL; nil for a socket of another process.
    private var host: String? {
        switch address {
        case .local: "localhost"
        case .network: address.description
        case .everywhere(let port): "127.0.0.1:\(port)"
        case .inherited: nil
        }
    }

    /// The first line of a body.
    static func line(_ body: some StringProtocol) -> String { String(body.prefix { !$0.isNewline }) }
}
