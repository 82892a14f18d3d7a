import Foundation
import Testing
import WebImage
import WebImageServer
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Runs nginx with the sample configuration of `Packaging/service` as a proxy in front of `webimage serve`.
@Suite(.timeLimit(minutes: 4), .serialized)
final class ServeProxyTests: Sendable {
    private let scratch: ScratchFolder
    private let source: FaultServer

    init() throws {
        scratch = try ScratchFolder()
        source = try FaultServer()
        var options = EncodingOptions()
        options.lossless = true
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: options)
        source.route("/a.png", .body(picture, headers: ["Cache-Control": "max-age=600"]))
    }

    deinit { source.stop() }

    private static let nginx = "/usr/sbin/nginx"

    /// Returns an nginx configuration that contains the sample configuration. The ports and folders of the
    /// sample are replaced with those of this test.
    private func settings(_ port: UInt16, service: ListenAddress) throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../Packaging/service/nginx.conf")
        var sample = try String(contentsOf: file, encoding: .utf8)
        for (old, new) in [
            ("/var/cache/nginx-webimage", scratch.url.appendingPathComponent("proxy-cache").path),
            ("server 127.0.0.1:8080;", "server \(service);"), ("listen 80;", "listen 127.0.0.1:\(port);"),
        ] {
            #expect(sample.contains(old))
            sample = sample.replacingOccurrences(of: old, with: new)
        }
        return """
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
                \(sample)
            }

            """
    }

    @Test func nginxSampleCachesByAcceptAndForwardsTheClientAddress() async throws {
        guard FileManager.default.isExecutableFile(atPath: Self.nginx) else {
            print("nginx is not installed (package nginx-light): the sample is not tried")
            return
        }
        let service = try await RunningService(
            ["--access-log", "json", "--trusted-proxy", "127.0.0.0/8", "--no-avif"], in: scratch)
        let free = try FaultServer()
        let port = UInt16(free.port)
        free.stop()
        let file = scratch.url.appendingPathComponent("nginx.conf")
        try settings(port, service: try service.address).write(to: file, atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: Self.nginx)
        process.arguments = ["-p", scratch.url.path, "-e", "error.log", "-c", file.path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let identifier = process.processIdentifier
        defer { kill(identifier, SIGKILL) }
        let proxy = ListenAddress.network(host: "127.0.0.1", port: port)
        #expect(await eventually { (try? RawClient(proxy)) != nil })
        let target = "/_/w:20/plain/\(source.url("/a.png").absoluteString)"
        @Sendable func get(_ further: String = "", method: String = "GET") async throws -> RawClient.Answer {
            try await onThread { try RawClient(proxy).get(target, method: method, further: further) }
        }
        let answers = try await withThrowingTaskGroup(of: RawClient.Answer.self) { group in
            for _ in 0..<20 { group.addTask { try await get("X-Forwarded-For: 192.0.2.77\r\n") } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers.allSatisfy { $0.status == 200 && $0.fields["content-type"] == "image/png" })
        #expect(try await get().fields["x-cache"] == "HIT")
        let webP = try await get("Accept: image/webp\r\n")
        #expect(webP.fields["content-type"] == "image/webp" && webP.fields["vary"] == "Accept")
        #expect(try await get("Accept: image/webp\r\n").fields["x-cache"] == "HIT")
        #expect(try await get("If-None-Match: \(answers[0].fields["etag"] ?? "")\r\n").status == 304)
        #expect(try await get(method: "POST").status == 403)
        #expect(try await onThread { service.stop() } == 0)
        // Only one request for each of the two formats (PNG and WebP) reached the service. nginx answered all
        // other requests. The service logs the client address that nginx reports and ignores the
        // X-Forwarded-For field that the client sent.
        #expect(service.entries.count == 2, "\(service.output)")
        #expect(service.entries.allSatisfy { $0["client"] as? String == "127.0.0.1" })
        #expect(source.requestCount("/a.png") == 1)
    }
}
