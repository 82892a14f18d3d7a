package import Foundation
import WebImageCore
import WebImageTesting

/// Runs the installed `valkey-server` or `redis-server` on a port of this machine, without files.
package final class ValkeyServer: Sendable {
    /// How the server accepts connections.
    package enum Transport: Sendable {
        case plain
        /// With the self-signed certificate of ``ValkeyServer/certificateFile``.
        case encrypted
    }

    package let port: Int
    /// The port on which the nodes of a cluster speak with each other.
    package let busPort: Int
    /// The certificate of an encrypted server in PEM; a client that uses it as its list of authorities trusts the server.
    package let certificateFile: URL
    /// The path of the server's Unix socket.
    package let socketPath: String

    private let folder: URL
    private let program: String
    private let arguments: [String]
    private let namespace: NetworkNamespace?
    private let process: Locked<ChildProcess?>

    /// Whether a server and openssl are installed.
    package static var isAvailable: Bool { path(nil, .encrypted) != nil && NginxServer.tool("openssl") != nil }

    /// The installed servers. Valkey from outside the system's folders may lack TLS, so it is not used for that.
    package static var programs: [String] {
        ["valkey-server", "redis-server"].filter { TierTool.path($0) != nil }
    }

    /// The program that measures a server; nil if none is installed.
    package static var benchmark: String? {
        ["valkey-benchmark", "redis-benchmark"].compactMap(TierTool.path).first
    }

    /// Returns the reads in a second that the server's own benchmark reaches with 64 in flight on one connection.
    package static func measure(_ server: ValkeyServer, bytes: Int, reads: Int) throws -> Double {
        guard let benchmark else { throw NginxError("no valkey-benchmark is installed") }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: benchmark)
        process.arguments = [
            "-p", "\(server.port)", "-c", "1", "-P", "64", "-d", "\(bytes)", "-n", "\(reads)", "-t", "set,get", "--csv",
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let line = text.split(separator: "\n").first { $0.hasPrefix("\"GET\"") }
        guard let words = line?.split(separator: ","), words.count > 1,
            let rate = Double(words[1].trimmingCharacters(in: ["\""]))
        else { throw NginxError("\(benchmark) prints no rate: \(text)") }
        return rate
    }

    private static func path(_ program: String?, _ transport: Transport) -> String? {
        if let program { return TierTool.path(program) }
        switch transport {
        case .plain: return programs.first.flatMap(TierTool.path)
        case .encrypted: return programs.compactMap(NginxServer.tool).first
        }
    }

    /// Starts the server and waits until it accepts connections.
    ///
    /// - Parameters:
    ///   - program: One of ``programs``; nil for the best one.
    ///   - arguments: Further arguments, such as `["--maxmemory", "20mb"]`.
    ///   - namespace: The network of the server; nil for that of this machine.
    ///   - isStarted: False reserves the port and starts nothing; see ``start()``.
    package init(
        _ transport: Transport = .plain, program: String? = nil, arguments: [String] = [],
        namespace: NetworkNamespace? = nil, isStarted: Bool = true
    ) throws {
        self.namespace = namespace
        guard let program = Self.path(program, transport) else {
            throw NginxError("no Valkey server (apt-get install redis-server)")
        }
        self.program = program
        // A Unix socket's path has at most 107 bytes.
        folder = URL(fileURLWithPath: "/tmp/wiv-\(UInt32.random(in: .min ... .max))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificateFile = folder.appendingPathComponent("certificate.pem")
        socketPath = folder.appendingPathComponent("s").path
        let ports = try NginxServer.freePorts(2)
        (port, busPort) = (ports[0], ports[1])
        var all = namespace == nil ? ["--bind", "127.0.0.1"] : ["--bind", "0.0.0.0", "--protected-mode", "no"]
        all += ["--save", "", "--appendonly", "no", "--dir", folder.path]
        all += ["--unixsocket", socketPath]
        switch transport {
        case .plain: all += ["--port", "\(port)"]
        case .encrypted:
            guard let openssl = NginxServer.tool("openssl") else { throw NginxError("openssl is not installed") }
            try NginxServer.makeCertificate(openssl, in: folder)
            all += ["--port", "0", "--tls-port", "\(port)", "--tls-auth-clients", "no"]
            all += ["--tls-cert-file", certificateFile.path, "--tls-ca-cert-file", certificateFile.path]
            all += ["--tls-key-file", folder.appendingPathComponent("key.pem").path]
        }
        if arguments.contains("--cluster-enabled") { all += ["--cluster-port", "\(busPort)"] }
        self.arguments = all + arguments
        process = Locked(nil)
        if isStarted { try start() }
    }

    deinit { stop() }

    /// Arguments of a server that keeps its data when it is killed.
    package static let storingArguments = ["--appendonly", "yes", "--appendfsync", "always"]

    /// Starts the server again, with the same port and without data, except with ``storingArguments``.
    package func start() throws {
        let command = try namespace?.command(program, arguments) ?? (program: program, arguments: arguments)
        let launched = try ChildProcess(command.program, command.arguments)
        process.withLock { $0 = launched }
        // A server in a network of its own has another address; its clients wait until it answers.
        try NginxServer.waitUntilReady(launched, ports: namespace == nil ? [port] : [], in: folder)
    }

    /// Ends the server at once, without an answer to its clients.
    package func kill() {
        let running = process.withLock { $0.take() }
        running?.send(SIGKILL)
        running?.wait()
    }

    /// Replaces the certificate of an encrypted server by a new one, which it uses after the next ``start()``.
    package func renewCertificate() throws {
        guard let openssl = NginxServer.tool("openssl") else { throw NginxError("openssl is not installed") }
        try NginxServer.makeCertificate(openssl, in: folder)
    }

    /// Stops the server's execution: it accepts connections but does not answer. Returns when all its threads have stopped.
    package func pause() { process.withLock { $0 }?.pause() }

    /// Continues a paused server.
    package func resume() { process.withLock { $0 }?.send(SIGCONT) }

    /// Ends the server and removes its folder.
    package func stop() {
        kill()
        try? FileManager.default.removeItem(at: folder)
    }
}

/// A server that answers every received block with the next of a list of bytes, for answers that no real server gives.
package final class RawServer: Sendable {
    private let listener: LoopbackListener

    package var port: Int { listener.port }

    /// - Parameter answers: The answers to the blocks that arrive. After the last one the server keeps silent.
    package init(_ answers: [Data]) throws {
        listener = try LoopbackListener { descriptor, _ in
            var stream = SocketStream(descriptor)
            for answer in answers { guard stream.takeAll() != nil, stream.write(answer) else { return } }
            while stream.takeAll() != nil {}
        }
    }

    package func stop() { listener.stop() }
}
