package import Foundation
import WebImageCore

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
    private let process: Locked<ChildProcess?>

    /// Whether a server and openssl are installed.
    package static var isAvailable: Bool { path(nil, .encrypted) != nil && NginxServer.tool("openssl") != nil }

    /// The installed servers. Valkey from outside the system's folders may lack TLS, so it is not used for that.
    package static var programs: [String] {
        ["valkey-server", "redis-server"].filter { TierTool.path($0) != nil }
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
    ///   - isStarted: False reserves the port and starts nothing; see ``start()``.
    package init(
        _ transport: Transport = .plain, program: String? = nil, arguments: [String] = [], isStarted: Bool = true
    ) throws {
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
        var all = ["--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder.path]
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

    /// Starts the server again, with the same port and without data.
    package func start() throws {
        let launched = try ChildProcess(program, arguments)
        process.withLock { $0 = launched }
        try NginxServer.waitUntilReady(launched, ports: [port], in: folder)
    }

    /// Ends the server at once, without an answer to its clients.
    package func kill() {
        let running = process.withLock { $0.take() }
        running?.send(SIGKILL)
        running?.wait()
    }

    /// Stops the server's execution: it accepts connections but does not answer.
    package func pause() { process.withLock { $0 }?.send(SIGSTOP) }

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
