public import Foundation
import WebImageCore

/// Runs the installed nginx as a standard-compliant HTTP server. It serves a folder with and without TLS.
///
/// `/slow/…` serves the same files at 1 MB/s, `/whole/…` without ranges. `/leave/<port>` redirects to plain HTTP at that port, and `/other/<port>`
/// to `/echo` over TLS at that port of 127.0.0.1. The body of `/echo` is the protocol and the credentials of the
/// request, separated by `|`. ``httpPort`` serves
/// plain HTTP/1.1. ``httpsPort`` serves HTTP/2 over TLS with a self-signed certificate for `localhost` and 127.0.0.1.
/// ``clientCertificatePort`` works like ``httpsPort`` and requires a client certificate. One process serves all ports,
/// without a master process. ``stop()`` ends this process.
public final class NginxServer: Sendable {
    /// The folder of the served files.
    public let root: URL
    /// The file of the self-signed certificate in PEM format. A client trusts the server if the client uses this file
    /// as its list of certificate authorities.
    public let certificateFile: URL
    /// The file of the certificate's private key in PEM format. A client can also use the certificate and this key as
    /// its client certificate.
    public let keyFile: URL
    /// A file with the key of ``keyFile``, encrypted with the password `secret`.
    public let encryptedKeyFile: URL
    /// The port of plain HTTP.
    public let httpPort: Int
    /// The port of HTTP/2 over TLS.
    public let httpsPort: Int
    /// The port of HTTP/2 over TLS with client certificates. A client must use the certificate of the server as its
    /// client certificate. Other clients receive status 400.
    public let clientCertificatePort: Int

    private let folder: URL
    private let process: Locked<ChildProcess?>

    /// Whether nginx and openssl are installed.
    public static var isAvailable: Bool { tool("nginx") != nil && tool("openssl") != nil }

    /// Starts nginx. Blocks until nginx accepts connections (tens of milliseconds).
    ///
    /// - Throws: ``NginxError`` if a tool is missing or nginx does not start.
    public init() throws {
        guard let nginx = Self.tool("nginx") else {
            throw NginxError("nginx is not installed (apt-get install nginx-light)")
        }
        guard let openssl = Self.tool("openssl") else { throw NginxError("openssl is not installed") }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-nginx-\(UUID().uuidString)")
        root = folder.appendingPathComponent("root")
        certificateFile = folder.appendingPathComponent("certificate.pem")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        keyFile = folder.appendingPathComponent("key.pem")
        encryptedKeyFile = folder.appendingPathComponent("locked.pem")
        let ports = try Self.freePorts(3)
        (httpPort, httpsPort, clientCertificatePort) = (ports[0], ports[1], ports[2])
        process = Locked(nil)
        do {
            try Self.makeCertificate(openssl, in: folder)
            let file = folder.appendingPathComponent("nginx.conf")
            try Data(settings.utf8).write(to: file)
            try start(nginx)
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    private func start(_ nginx: String) throws {
        let file = folder.appendingPathComponent("nginx.conf")
        let launched = try ChildProcess(nginx, ["-p", folder.path, "-e", "error.log", "-c", file.path])
        process.withLock { $0 = launched }
        try Self.waitUntilReady(launched, ports: [httpPort, httpsPort], in: folder)
    }

    /// Replaces the certificate and its key by new ones, in the same files, and starts nginx again at the same ports. Ends
    /// all connections.
    ///
    /// - Throws: ``NginxError`` as the initialiser does.
    package func renewCertificate() throws {
        guard let nginx = Self.tool("nginx"), let openssl = Self.tool("openssl") else {
            throw NginxError("nginx or openssl is not installed")
        }
        process.withLock { $0.take() }?.terminate()
        try Self.makeCertificate(openssl, in: folder)
        try start(nginx)
    }

    /// The URL of a path at ``httpPort``.
    public func url(_ path: String) -> URL { Self.url("http", httpPort, path) }
    /// The URL of a path at ``httpsPort``.
    public func secureURL(_ path: String) -> URL { Self.url("https", httpsPort, path) }

    /// The URL of a path at ``clientCertificatePort``.
    public func clientCertificateURL(_ path: String) -> URL { Self.url("https", clientCertificatePort, path) }

    /// Ends nginx, waits until it has ended and removes the folder of the server. Further calls do nothing.
    public func stop() {
        let running = process.withLock { $0.take() }
        running?.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    /// Waits until nginx accepts connections on each port.
    ///
    /// - Throws: ``NginxError`` with nginx's log if nginx has ended or accepts no connection within 10 s.
    package static func waitUntilReady(_ launched: ChildProcess, ports: [Int], in folder: URL) throws {
        var isReady = false
        let isDecided = eventually(within: 10) {
            isReady = ports.allSatisfy { accepts($0) }
            return isReady || !launched.isRunning
        }
        guard isDecided, isReady else {
            let log = try? String(contentsOf: folder.appendingPathComponent("error.log"), encoding: .utf8)
            throw NginxError("nginx does not answer: \(log ?? "no log")")
        }
    }

    private static func url(_ scheme: String, _ port: Int, _ path: String) -> URL {
        URL(string: "\(scheme)://localhost:\(port)\(path)") ?? URL(fileURLWithPath: "/invalid-test-path")
    }

    package static func tool(_ name: String) -> String? {
        let folders =
            (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":") + ["/usr/sbin", "/usr/bin"]
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    package static func makeCertificate(_ openssl: String, in folder: URL) throws {
        let process = try ChildProcess(
            openssl,
            [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", folder.appendingPathComponent("key.pem").path,
                "-out", folder.appendingPathComponent("certificate.pem").path,
            ])
        guard process.wait() == 0 else { throw NginxError("openssl could not make a certificate") }
        let locking = try ChildProcess(
            openssl,
            [
                "ec", "-in", folder.appendingPathComponent("key.pem").path, "-aes128", "-passout", "pass:secret",
                "-out", folder.appendingPathComponent("locked.pem").path,
            ])
        guard locking.wait() == 0 else { throw NginxError("openssl could not lock the key") }
    }

    private static let echoed =
        "$http_authorization$http_cookie$http_x_api_key$http_x_auth_token$http_proxy_authorization"

    private var settings: String {
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
                location /slow/ {
                    alias \(folder.path)/root/;
                    limit_rate 1m;
                }
                location /whole/ {
                    alias \(folder.path)/root/;
                    max_ranges 0;
                }
                location ~ ^/leave/(\\d+)$ { return 302 http://127.0.0.1:$1/; }
                location ~ ^/other/(\\d+)$ { return 302 https://127.0.0.1:$1/echo; }
                location = /echo { return 200 "$server_protocol|\(Self.echoed)"; }
            }
            server {
                listen 127.0.0.1:\(clientCertificatePort) ssl http2;
                ssl_certificate \(folder.path)/certificate.pem;
                ssl_certificate_key \(folder.path)/key.pem;
                ssl_client_certificate \(folder.path)/certificate.pem;
                ssl_verify_client on;
                root \(folder.path)/root;
            }
        }
        """
    }
}

/// The error for an nginx that cannot be used.
public struct NginxError: Error, CustomStringConvertible {
    /// The missing tool or the failure.
    public let description: String
    package init(_ description: String) { self.description = description }
}
