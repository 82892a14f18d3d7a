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
                # If the sample takes the lock, its waiting must not end by itself: after 5 s it would look as if there were none.
                proxy_cache_lock_timeout 1h;
                proxy_cache_lock_age 1h;
                \(sample)
            }

            """
    }

    /// Starts nginx in front of a service.
    private func startProxy(_ service: RunningService) async throws -> (proxy: ListenAddress, identifier: Int32) {
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
        let proxy = ListenAddress.network(host: "127.0.0.1", port: port)
        #expect(await eventually { (try? RawClient(proxy)) != nil })
        return (proxy, process.processIdentifier)
    }

    // MARK: Squid and Varnish

    /// A cache that follows RFC 9111 by itself.
    enum Cache: CaseIterable {
        case squid, varnishd

        var program: String { self == .squid ? "/usr/sbin/squid" : "/usr/sbin/varnishd" }
    }

    /// Starts a cache in front of a service. Both are packages of `Scripts/setup tiers`.
    private func start(_ cache: Cache, _ service: RunningService) async throws -> (ListenAddress, Process) {
        let free = try FaultServer()
        let port = UInt16(free.port)
        free.stop()
        let folder = scratch.url.appendingPathComponent("\(cache)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let process = Process()
        // A thread of a test blocks signals, and its child processes with it. Varnish would not start, and Squid not end.
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        let unblock =
            "import os,sys;from signal import *;pthread_sigmask(SIG_SETMASK,[]);os.execv(sys.argv[1],sys.argv[1:])"
        let launch = ["python3", "-c", unblock, cache.program]
        guard case .network(_, let servicePort) = try service.address else {
            throw CocoaError(.featureUnsupported)
        }
        switch cache {
        case .squid:
            let file = folder.appendingPathComponent("squid.conf")
            // As root, Squid becomes the user "proxy", which can write nothing here.
            try """
            http_port 127.0.0.1:\(port) accel defaultsite=pictures no-vhost
            cache_peer 127.0.0.1 parent \(servicePort) 0 no-query no-digest originserver
            http_access allow all
            cache_mem 16 MB
            access_log none
            cache_log /dev/null
            pid_filename none
            coredump_dir none
            pinger_enable off
            netdb_filename none
            shutdown_lifetime 0 seconds
            visible_hostname pictures
            """.write(to: file, atomically: true, encoding: .utf8)
            // The name is part of the names of its shared memory. A process that was killed leaves them behind, and the next
            // one of the same name does not start.
            process.arguments = launch + ["-N", "-n", "pictures\(port)", "-f", file.path]
        case .varnishd:
            process.arguments =
                launch + [
                    "-F", "-n", folder.path, "-a", "127.0.0.1:\(port)", "-b", "127.0.0.1:\(servicePort)",
                    "-s", "malloc,16m", "-p", "default_grace=0",
                ]
        }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        let proxy = ListenAddress.network(host: "127.0.0.1", port: port)
        #expect(await eventually { (try? RawClient(proxy)) != nil || !process.isRunning })
        return (proxy, process)
    }

    /// The cache sends pictures as long as the service says, by their formats, and no longer.
    @Test(arguments: Cache.allCases) func cacheFollowsTheService(cache: Cache) async throws {
        guard FileManager.default.isExecutableFile(atPath: cache.program) else {
            return print("\(cache) is not installed: it is not tried")
        }
        let service = try await RunningService(["--access-log", "json", "--no-avif"], in: scratch)
        let (proxy, process) = try await start(cache, service)
        defer { kill(process.processIdentifier, SIGKILL) }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: EncodingOptions())
        for (path, fields) in [
            ("/live.png", ["Cache-Control": "no-store"]), ("/own.png", ["Cache-Control": "private, max-age=600"]),
            ("/asked.png", ["Cache-Control": "no-cache"]), ("/short.png", ["Cache-Control": "max-age=600, s-maxage=6"]),
            ("/old.png", ["Cache-Control": "max-age=600, must-revalidate", "Age": "594"]),
        ] { source.route(path, .body(picture, headers: fields)) }
        @Sendable func get(_ path: String, _ further: String = "") async throws -> RawClient.Answer {
            let target = "/_/w:20/plain/\(source.url(path).absoluteString)"
            return try await onThread { try RawClient(proxy).get(target, further: further) }
        }
        func count(_ path: String) async -> Int {
            _ = await eventually { service.entries.count { "\($0)".contains("/last.png") } == 1 }
            return service.entries.count { "\($0)".contains(path) }
        }
        for path in ["/a.png", "/live.png", "/own.png", "/asked.png", "/short.png", "/old.png"] {
            for _ in 0..<2 {
                let answer = try await get(path)
                #expect(answer.status == 200 && answer.fields["content-type"] == "image/png", "\(path)")
                #expect(answer.fields["x-accel-expires"] == nil)
            }
        }
        // By format, and with conditions.
        let webP = "Accept: image/webp\r\n"
        for _ in 0..<2 { #expect(try await get("/a.png", webP).fields["content-type"] == "image/webp") }
        let tag = try await get("/a.png").fields["etag"] ?? ""
        #expect(try await get("/a.png", "If-None-Match: \(tag)\r\n").status == 304)
        #expect(try await get("/a.png", "Range: bytes=0-7\r\n").status == 206)
        try await Task.sleep(for: .seconds(8))
        for path in ["/short.png", "/old.png", "/last.png"] { _ = try await get(path) }
        let counts = await [
            count("/a.png"), count("/live.png"), count("/own.png"), count("/asked.png"), count("/short.png"),
            count("/old.png"),
        ]
        #expect(counts == [2, 2, 2, 2, 2, 2], "\(service.output)")
        // Varnish holds descriptors of the service's process. Squid removes its shared memory.
        process.terminate()
        #expect(await eventually { !process.isRunning })
        #expect(try await onThread { service.stop() } == 0)
    }

    private static var hasNginx: Bool {
        if FileManager.default.isExecutableFile(atPath: Self.nginx) { return true }
        print("nginx is not installed (package nginx-light): the sample is not tried")
        return false
    }

    /// The service joins clients of one picture itself. nginx must pass on all of them: a picture that must not be stored
    /// would otherwise be sent to one client after the other.
    @Test func clientsOfAPictureThatIsNotStoredDoNotWaitForEachOther() async throws {
        guard Self.hasNginx else { return }
        let service = try await RunningService(
            ["--trusted-proxy", "127.0.0.0/8", "--no-avif", "--admin", "127.0.0.1:0"], in: scratch)
        let (proxy, identifier) = try await startProxy(service)
        defer { kill(identifier, SIGKILL) }
        let gate = FaultGate()
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: EncodingOptions())
        source.route("/live.png", .gated(gate, .body(picture, headers: ["Cache-Control": "no-store"])))
        let target = "/_/w:20/plain/\(source.url("/live.png").absoluteString)"
        let clients = Task {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { try await onThread { try RawClient(proxy).get(target).status } } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        let admin = try service.admin
        let arrive = await eventually {
            // The request for the metrics counts too.
            let text = (try? RawClient(admin).get("/metrics").text) ?? ""
            return text.contains("\nwebimage_requests_in_flight 21\n")
        }
        #expect(arrive, "not all 20 clients are in the service at the same time")
        gate.open()
        #expect(try await clients.value == [Int](repeating: 200, count: 20))
        #expect(source.requestCount("/live.png") == 1)
        #expect(try await onThread { service.stop() } == 0)
    }

    /// A picture that is nearly as old as its lifetime leaves the cache of nginx with it, and a stale one is sent only if its
    /// source permits that: neither while it is made again nor while its source fails.
    @Test func pictureInNginxIsNoOlderThanItsLifetime() async throws {
        guard Self.hasNginx else { return }
        let service = try await RunningService(["--trusted-proxy", "127.0.0.0/8", "--no-avif"], in: scratch)
        let (proxy, identifier) = try await startProxy(service)
        defer { kill(identifier, SIGKILL) }
        let pictures = try [80, 81].map {
            try ImageCodersManager.shared.encode(
                try TestImages.noise(width: $0, height: 60), format: .png, options: EncodingOptions())
        }
        let controls = ["max-age=600", "max-age=600, must-revalidate", "s-maxage=600", "max-age=600, proxy-revalidate"]
        @Sendable func get(_ number: Int) async throws -> RawClient.Answer {
            let target = "/_/w:20/f:png/plain/\(source.url("/\(number).png").absoluteString)"
            return try await onThread { try RawClient(proxy).get(target) }
        }
        func answers(of picture: Data) async throws -> [RawClient.Answer] {
            var answers: [RawClient.Answer] = []
            for (number, control) in controls.enumerated() {
                source.route("/\(number).png", .body(picture, headers: ["Cache-Control": control, "Age": "598"]))
                answers.append(try await get(number))
            }
            return answers
        }
        let first = try await answers(of: pictures[0])
        #expect(first.allSatisfy { $0.status == 200 && $0.fields["x-accel-expires"] == nil })
        try await Task.sleep(for: .seconds(4))
        let second = try await answers(of: pictures[1])
        #expect(second.allSatisfy { $0.status == 200 && $0.fields["x-cache"] != "HIT" })
        for (number, control) in controls.enumerated().dropFirst() {
            #expect(second[number].fields["etag"] != first[number].fields["etag"], "a stale picture: \(control)")
            source.route("/\(number).png", .status(500))
        }
        try await Task.sleep(for: .seconds(4))
        for (number, control) in controls.enumerated().dropFirst() {
            #expect(try await get(number).status == 502, "a stale picture: \(control)")
        }
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func nginxSampleCachesByAcceptAndForwardsTheClientAddress() async throws {
        guard Self.hasNginx else { return }
        let service = try await RunningService(
            ["--access-log", "json", "--trusted-proxy", "127.0.0.0/8", "--no-avif"], in: scratch)
        let (proxy, identifier) = try await startProxy(service)
        defer { kill(identifier, SIGKILL) }
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
        // Another text with the same formats, as another browser sends it.
        #expect(try await get("Accept: image/png,IMAGE/WEBP;q=0.9,*/*\r\n").fields["x-cache"] == "HIT")
        #expect(try await get("Accept: image/webp;q=0,*/*\r\n").fields["content-type"] == "image/png")
        #expect(try await get("If-None-Match: \(answers[0].fields["etag"] ?? "")\r\n").status == 304)
        #expect(try await get(method: "POST").status == 403)
        #expect(try await onThread { service.stop() } == 0)
        // Of the later requests, only the first one for WebP reached the service. nginx answered all others. The service logs
        // the client address that nginx reports and ignores the X-Forwarded-For field that the client sent.
        #expect((2...21).contains(service.entries.count), "\(service.output)")
        #expect(service.entries.count { $0["format"] as? String == "webp" } == 1, "\(service.output)")
        #expect(service.entries.allSatisfy { $0["client"] as? String == "127.0.0.1" })
        #expect(source.requestCount("/a.png") == 1)
    }
}
