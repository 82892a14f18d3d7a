package import Foundation
import WebImageCore
import WebImageTesting

/// Runs nginx as a TLS relay in front of a server without TLS. The relay does not change the data, so the server
/// determines every byte.
package final class TLSRelay: Sendable {
    /// The file of the self-signed certificate in PEM format. A client trusts the relay if the client uses this file as
    /// its list of certificate authorities.
    package let certificateFile: URL
    /// The port at which TLS negotiates HTTP/1.1.
    package let http1Port: Int
    /// The port at which TLS negotiates HTTP/2.
    package let http2Port: Int

    private let folder: URL
    private let process: Locked<ChildProcess?>
    private static let module = "/usr/lib/nginx/modules/ngx_stream_module.so"

    /// Whether nginx, its stream module and openssl are installed.
    package static var isAvailable: Bool {
        NginxServer.isAvailable && FileManager.default.fileExists(atPath: module)
    }

    /// Starts nginx in front of a local port. Blocks until nginx accepts connections (tens of milliseconds).
    package init(port: Int) throws {
        guard let nginx = NginxServer.tool("nginx"), let openssl = NginxServer.tool("openssl") else {
            throw NginxError("nginx or openssl is not installed")
        }
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("webimage-tls-\(UUID().uuidString)")
        certificateFile = folder.appendingPathComponent("certificate.pem")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let ports = try NginxServer.freePorts(2)
        (http1Port, http2Port) = (ports[0], ports[1])
        process = Locked(nil)
        do {
            try NginxServer.makeCertificate(openssl, in: folder)
            let file = folder.appendingPathComponent("nginx.conf")
            try Data(settings(port).utf8).write(to: file)
            let launched = try ChildProcess(nginx, ["-p", folder.path, "-e", "error.log", "-c", file.path])
            process.withLock { $0 = launched }
            try NginxServer.waitUntilReady(launched, ports: ports, in: folder)
        } catch {
            stop()
            throw error
        }
    }

    deinit { stop() }

    /// Ends nginx, waits until it has ended and removes the folder of the relay. Further calls do nothing.
    package func stop() {
        let running = process.withLock { $0.take() }
        running?.terminate()
        try? FileManager.default.removeItem(at: folder)
    }

    private func settings(_ port: Int) -> String {
        func server(_ listen: Int, _ name: String) -> String {
            """
            server {
                listen 127.0.0.1:\(listen) ssl;
                ssl_certificate \(folder.path)/certificate.pem;
                ssl_certificate_key \(folder.path)/key.pem;
                ssl_alpn \(name);
                proxy_pass 127.0.0.1:\(port);
            }
            """
        }
        return """
            load_module \(Self.module);
            daemon off;
            master_process off;
            pid nginx.pid;
            events { worker_connections 512; }
            stream {
            \(server(http1Port, "http/1.1"))
            \(server(http2Port, "h2"))
            }
            """
    }
}
