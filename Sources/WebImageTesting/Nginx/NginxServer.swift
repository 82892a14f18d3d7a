public import Foundation
import WebImageCore

/// The installed nginx over a folder, with and without TLS: the well-behaved peer.
///
/// Plain HTTP/1.1 on ``httpPort``, TLS with HTTP/2 and a self-signed certificate for `localhost` and 127.0.0.1 on
/// ``httpsPort``. One process, without a master, ended by ``stop()``.
public final class NginxServer: Sendable {
    /// Files put here are served.
    public let root: URL
    /// The self-signed certificate, PEM; as a file of authorities it makes the server trusted.
    public let certificateFile: URL
    /// Port of plain HTTP.
    public let httpPort: Int
    /// Port of HTTP/2 over TLS.
    public let httpsPort: Int

    private let folder: URL
    private let process: Locked<Process?>

    /// Whether nginx and openssl are installed.
    public static var isAvailable: Bool { tool("nginx") != nil && tool("openssl") != nil }

    /// Starts nginx; blocks until it answers (tens of milliseconds).
    ///
    /// - Throws: ``NginxError`` when a tool is absent or nginx does not come up.
    public init() throws {
        guard let nginx = Self.tool("nginx") else {
            throw NginxError("nginx is not installed (apt-get install nginx-light)")
        }
        guard let openssl = Self.tool("openssl") else { throw NginxError("openssl is not installed") }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-nginx-\(UUID().uuidString)")
        root = folder.appendingPathComponent("root")
        certificateFile = folder.appendingPathComponent("certificate.pem")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        (httpPort, httpsPort) = try Self.freePorts()
        process = Locked(nil)
        do {
            try Self.makeCertificate(openssl, in: folder)
            let settings = folder.appendingPathComponent("nginx.conf")
            try Data(Self.settings(folder, httpPort, httpsPort).utf8).write(to: settings)
            let launched = try Self.launch(nginx, ["-p", folder.path, "-e", "error.log", "-c", settings.path])
            process.withLock { $0 = launched }
            try waitUntilReady(launched)
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    /// The plain URL of a path.
    public func url(_ path: String) -> URL { Self.url("http", httpPort, path) }
    /// The TLS URL of a path.
    public func secureURL(_ path: String) -> URL { Self.url("https", httpsPort, path) }

    /// Ends nginx, waits for it and removes its folder. Idempotent.
    public func stop() {
        let running = process.withLock { $0.take() }
        if let running, running.isRunning {
            running.terminate()
            running.waitUntilExit()
        }
        try? FileManager.default.removeItem(at: folder)
    }

    private func waitUntilReady(_ launched: Process) throws {
        let end = ContinuousClock.now + .seconds(10)
        while !(Self.accepts(httpPort) && Self.accepts(httpsPort)) {
            guard launched.isRunning, ContinuousClock.now < end else {
                let log = try? String(contentsOf: folder.appendingPathComponent("error.log"), encoding: .utf8)
                throw NginxError("nginx does not answer: \(log ?? "no log")")
            }
            usleep(5000)
        }
    }

    private static func url(_ scheme: String, _ port: Int, _ path: String) -> URL {
        URL(string: "\(scheme)://localhost:\(port)\(path)") ?? URL(fileURLWithPath: "/invalid-test-path")
    }

    private static func tool(_ name: String) -> String? {
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private static func launch(_ path: String, _ arguments: [String]) throws -> Process {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        return process
    }

    private static func makeCertificate(_ openssl: String, in folder: URL) throws {
        let process = try launch(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", folder.appendingPathComponent("key.pem").path,
                "-out", folder.appendingPathComponent("certificate.pem").path,
            ])
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw NginxError("openssl could not make a certificate") }
    }

    private static func settings(_ folder: URL, _ httpPort: Int, _ httpsPort: Int) -> String {
        """
        daemon off;
        master_process off;
        pid nginx.pid;
        events { worker_connections 512; }
        http {
            access_log off;
            client_body_temp_path body;
            proxy_temp_path proxy;
            fastcgi_temp_path fastcgi;
            uwsgi_temp_path uwsgi;
            scgi_temp_path scgi;
            types { image/png png; image/jpeg jpg; image/gif gif; image/webp webp; }
            default_type application/octet-stream;
            keepalive_requests 100000;
            server {
                listen 127.0.0.1:\(httpPort);
                listen 127.0.0.1:\(httpsPort) ssl http2;
                ssl_certificate \(folder.path)/certificate.pem;
                ssl_certificate_key \(folder.path)/key.pem;
                root \(folder.path)/root;
            }
        }
        """
    }
}

/// Why nginx could not be used.
public struct NginxError: Error, CustomStringConvertible {
    /// What is missing or went wrong.
    public let description: String
    init(_ description: String) { self.description = description }
}
