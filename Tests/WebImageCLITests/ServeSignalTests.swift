import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageServer
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Tests how running requests end when `webimage serve` receives a signal or a client disconnects.
@Suite(.timeLimit(minutes: 4), .serialized)
final class ServeSignalTests: Sendable {
    private let scratch: ScratchFolder
    private let source: FaultServer
    private let picture: Data

    init() throws {
        scratch = try ScratchFolder()
        source = try FaultServer()
        var options = EncodingOptions()
        options.lossless = true
        picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 80, height: 60), format: .png, options: options)
        source.route("/a.png", .body(picture, headers: ["Cache-Control": "max-age=600"]))
    }

    deinit { source.stop() }

    private func target(_ options: String = "w:20/f:png", _ path: String = "/a.png") -> String {
        "/_/\(options)/plain/\(source.url(path).absoluteString)"
    }

    private func send(_ target: String, to service: RunningService) async throws -> RawClient {
        let address = try service.address
        return try await onThread {
            let client = try RawClient(address)
            client.send("GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n")
            return client
        }
    }

    @Test func runningRequestsAreAnsweredAfterSIGTERM() async throws {
        let gate = FaultGate()
        source.route("/slow.png", .gated(gate, .body(picture)))
        let service = try await RunningService(["--admin", "127.0.0.1:0", "--drain", "600"], in: scratch)
        let clients = try await withThrowingTaskGroup(of: RawClient.self) { group in
            for width in 1...20 {
                group.addTask { try await self.send(self.target("w:\(width)/f:png", "/slow.png"), to: service) }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(await eventually { self.source.requestCount("/slow.png") == 1 })
        // Wait until the service has read the heads of all 20 image requests. The request for the metrics is
        // also in flight, so the metric is 21.
        let admin = try service.admin
        try await waitFor("webimage_requests_in_flight 21", admin)
        service.signal(SIGTERM)
        // While the service finishes running requests, `/readyz` responds with 503 and new connections are
        // refused.
        let address = try service.address
        #expect(await eventually { (try? RawClient(admin).get("/readyz").status) == 503 })
        #expect(await eventually { (try? RawClient(address)) == nil })
        gate.open()
        let answers = try await onThread { try clients.map { try $0.answer() } }
        #expect(answers.allSatisfy { $0.status == 200 && $0.fields["connection"]?.lowercased() == "close" })
        #expect(try await onThread { service.wait() } == 0)
    }

    /// Waits until the metrics contain `line`. The request for the metrics counts as a request in flight.
    private func waitFor(_ line: String, _ admin: ListenAddress) async throws {
        let isThere = try await onThread {
            for _ in 0..<10_000 {
                if try RawClient(admin).get("/metrics").text.contains(line + "\n") { return true }
            }
            return false
        }
        #expect(isThere, "\(line)")
    }

    @Test func requestsPastTheStopDeadlineAreAnswered503() async throws {
        source.route("/hangs.png", .hang)
        let service = try await RunningService(["--drain", "0", "--access-log", "json"], in: scratch)
        let client = try await send(target("w:9", "/hangs.png"), to: service)
        #expect(await eventually { self.source.requestCount("/hangs.png") == 1 })
        service.signal(SIGTERM)
        #expect(try await onThread { try client.answer().status } == 503)
        #expect(try await onThread { service.wait() } == 0)
        // The log has one line for the request, with its target.
        let entries = service.entries
        #expect(entries.count == 1, "\(entries)")
        #expect(entries.first?["status"] as? Int == 503 && entries.first?["reason"] as? String == "draining")
        #expect((entries.first?["target"] as? String)?.hasPrefix("/_/w:9/plain/") == true, "\(entries)")
    }

    @Test func secondSIGTERMEndsAtOnce() async throws {
        source.route("/hangs.png", .hang)
        let service = try await RunningService(["--drain", "600", "--admin", "127.0.0.1:0"], in: scratch)
        let client = try await send(target("w:9", "/hangs.png"), to: service)
        #expect(await eventually { self.source.requestCount("/hangs.png") == 1 })
        service.signal(SIGTERM)
        let admin = try service.admin
        #expect(await eventually { (try? RawClient(admin).get("/readyz").status) == 503 })
        service.signal(SIGTERM)
        #expect(try await onThread { service.wait() } == 130)
        withExtendedLifetime(client) {}
    }

    /// Runs eight keep-alive clients that send requests without pause, and returns the statuses of all
    /// responses. Each client passes the number of its responses to `isOver` and stops when `isOver` returns
    /// true. If a connection ends before a complete response, the status is 0.
    private func load(_ service: RunningService, until isOver: @escaping @Sendable (Int) -> Bool) async throws -> [Int]
    {
        let address = try service.address
        let targets = (1...8).map { target("w:\($0 * 4)/f:png") }
        return try await withThrowingTaskGroup(of: [Int].self) { group in
            for number in 0..<8 {
                group.addTask {
                    try await onThread {
                        var statuses: [Int] = []
                        var client = try RawClient(address)
                        while !isOver(statuses.count) {
                            // If the request cannot be written, the service has closed the connection, and this
                            // client stops. No response is lost, because the request was not sent. If a response
                            // is missing or incomplete, the client records status 0 and connects again.
                            guard
                                client.send("GET \(targets[(number + statuses.count) % 8]) HTTP/1.1\r\nHost: t\r\n\r\n")
                            else { break }
                            guard let answer = try? client.answer() else {
                                statuses.append(0)
                                guard let next = try? RawClient(address) else { break }
                                client = next
                                continue
                            }
                            statuses.append(answer.status)
                            guard answer.fields["connection"]?.lowercased() == "close" else { continue }
                            guard let next = try? RawClient(address) else { break }
                            client = next
                        }
                        return statuses
                    }
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
    }

    @Test func reloadUnderLoadLosesNoRequest() async throws {
        let file = scratch.url.appendingPathComponent("serve.conf").path
        try "quality = 50\n".write(toFile: file, atomically: true, encoding: .utf8)
        let service = try await RunningService(["--config", file], in: scratch)
        let reloads = Locked(0)
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
            group.addTask { try await self.load(service) { $0 >= 50 && reloads.withLock { $0 } >= 5 } }
            for round in 1...5 {
                try "quality = \(50 + round)\n".write(toFile: file, atomically: true, encoding: .utf8)
                service.signal(SIGHUP)
                let isRead = await eventually {
                    service.errors.components(separatedBy: "the configuration was read again").count == round + 1
                }
                #expect(isRead, "\(service.errors)")
                reloads.withLock { $0 = round }
            }
            reloads.withLock { $0 = 5 }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(statuses.count >= 400 && statuses.allSatisfy { $0 == 200 }, "\(Set(statuses))")
        // The service reports an invalid configuration file and keeps its settings.
        try "qualiti = 1\n".write(toFile: file, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.contains("stays as it was") && service.errors.contains("qualiti") })
        #expect(try await service.get(target("w:7/f:png")).status == 200)
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func reloadChangesAnswersAndKeepsSigningBeyondLoopback() async throws {
        let file = scratch.url.appendingPathComponent("serve.conf").path
        let keys = "key = 736563726574\nsalt = 68656C6C6F\n"
        try keys.write(toFile: file, atomically: true, encoding: .utf8)
        let service = try await RunningService(["--config", file], in: scratch, listening: "0.0.0.0:0")
        #expect(try await service.get(target()).status == 403)
        try "".write(toFile: file, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        #expect(
            await eventually { service.errors.contains("stays as it was") && service.errors.contains("--insecure") })
        #expect(try await service.get(target()).status == 403)
        try (keys + "trusted-signatures = letmein\nqueue = 3\n").write(toFile: file, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.contains("read again") && service.errors.contains("queue: ") })
        let trusted = "/letmein/w:20/f:png/plain/\(source.url("/a.png").absoluteString)"
        #expect(try await service.get(trusted).status == 200)
        #expect(try await onThread { service.stop() } == 0)
    }

    /// A setting of the next start is checked now. Otherwise the next start would fail.
    @Test func reloadChecksEverySetting() async throws {
        let file = scratch.url.appendingPathComponent("serve.conf").path
        try "quality = 50\n".write(toFile: file, atomically: true, encoding: .utf8)
        let service = try await RunningService(["--config", file], in: scratch)
        let lines = [
            "admin = 8080", "root = /nonexistent/folder", "tier = ftp://x", "min-ttl = 40", "base-url = ftp://x",
            "allow-origin = a b", "thumbor = /info", "allowed-options = wdth",
        ]
        for line in lines {
            try "max-ttl = 30\n\(line)\n".write(toFile: file, atomically: true, encoding: .utf8)
            service.signal(SIGHUP)
            let message = "stays as it was: \(file):2: \(line.prefix { $0 != " " }): "
            #expect(await eventually { service.errors.contains(message) }, "\(line): \(service.errors)")
            #expect(try Tool.run(["serve", "--config", file, "--check-config"]).code != 0, "\(line)")
        }
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func keysAreRotatedByAReload() async throws {
        let secrets = scratch.url.appendingPathComponent("secrets.env").path
        func write(_ key: String, mode: mode_t = 0o600) throws {
            try "WEBIMAGE_KEY=\(key)\nWEBIMAGE_SALT=68656C6C6F\n".write(
                toFile: secrets, atomically: true, encoding: .utf8)
            chmod(secrets, mode)
        }
        func target(_ key: String) throws -> String {
            let environment = ["WEBIMAGE_KEY": key, "WEBIMAGE_SALT": "68656C6C6F"]
            let signed = try Tool.run(
                ["sign", "/w:20/f:png/plain/\(source.url("/a.png").absoluteString)"], environment: environment)
            return signed.output.trimmingCharacters(in: .newlines)
        }
        let old = try target("01"), new = try target("02")
        try write("01")
        let service = try await RunningService(["--secrets-file", secrets], in: scratch)
        #expect(try await service.get(old).status == 200)
        #expect(try await service.get(new).status == 403)
        try write("02")
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.contains("read again") })
        // The old key is refused at once, also for a target that is in memory.
        #expect(try await service.get(old).status == 403)
        #expect(try await service.get(new).status == 200)
        // A file that others can read, or that has gone, changes nothing.
        try write("03", mode: 0o644)
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.contains("stays as it was: secrets-file: ") })
        unlink(secrets)
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.components(separatedBy: "stays as it was").count == 3 })
        // A file that has lost its keys does not open the service.
        try "# no keys\n".write(toFile: secrets, atomically: true, encoding: .utf8)
        chmod(secrets, 0o600)
        service.signal(SIGHUP)
        #expect(await eventually { service.errors.contains("stays as it was: targets must be signed until now") })
        #expect(try await service.get(self.target()).status == 403)
        #expect(try await service.get(new).status == 200)
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func reloadThatCannotApplyAKeyFails() async throws {
        let file = scratch.url.appendingPathComponent("serve.conf").path
        try "quality = 50\n".write(toFile: file, atomically: true, encoding: .utf8)
        let keys = ["WEBIMAGE_KEY": "01", "WEBIMAGE_SALT": "02"]
        let service = try await RunningService(["--config", file], in: scratch, environment: keys)
        service.signal(SIGHUP)
        #expect(
            await eventually {
                service.errors.contains("key, salt: set by variables, which a reload does not read again")
            })
        try "quality = 51\nkey = 03\nsalt = 04\n".write(toFile: file, atomically: true, encoding: .utf8)
        service.signal(SIGHUP)
        let message = "stays as it was: \(file):2: key: the variable WEBIMAGE_KEY overrides this value"
        #expect(await eventually { service.errors.contains(message) }, "\(service.errors)")
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func stopUnderLoadLosesNoAcceptedRequest() async throws {
        let service = try await RunningService(["--access-log", "json"], in: scratch)
        let isFull = Locked(false)
        let statuses = try await withThrowingTaskGroup(of: [Int].self) { group in
            group.addTask {
                try await self.load(service) { count in
                    if count > 20 { isFull.withLock { $0 = true } }
                    return false
                }
            }
            #expect(await eventually { isFull.withLock { $0 } })
            service.signal(SIGTERM)
            return try await group.reduce(into: []) { $0 += $1 }
        }
        #expect(try await onThread { service.wait() } == 0)
        // A request on a connection that the service is closing may get no response (status 0). But each
        // response that the service logs with status 200 must have reached its client.
        #expect(statuses.allSatisfy { [200, 503, 0].contains($0) }, "\(Set(statuses))")
        let served = statuses.count { $0 == 200 }
        let logged = service.entries.count { $0["status"] as? Int == 200 }
        #expect(served == logged, "\(served) of \(logged) answers arrived")
        #expect(served > 20)
    }

    @Test func decodeThatNoClientWaitsForDoesNotStart() async throws {
        let gate = FaultGate()
        source.route("/slow.png", .gated(gate, .body(picture)))
        let service = try await RunningService(["--access-log", "json", "--admin", "127.0.0.1:0"], in: scratch)
        let client = try await send(target("w:9/f:png", "/slow.png"), to: service)
        #expect(await eventually { self.source.requestCount("/slow.png") == 1 })
        client.leave()
        #expect(await eventually { service.entries.contains { $0["status"] as? Int == 499 } })
        gate.open()
        // The service stored no image for the client that disconnected, so the same request fetches the
        // source again.
        #expect(try await service.get(target("w:9/f:png", "/slow.png")).status == 200)
        #expect(source.requestCount("/slow.png") == 2)
        #expect(try await onThread { service.stop() } == 0)
        #expect(service.entries.count { $0["decode_ms"] != nil } == 1)
    }

    @Test func socketsOfTheServiceManagerAreUsed() async throws {
        let activate = "/usr/bin/systemd-socket-activate"
        guard FileManager.default.isExecutableFile(atPath: activate) else {
            print("\(activate) is not installed (package systemd): socket activation by it is not tried")
            return
        }
        let port = try Self.freePort()
        let scratch = scratch.url.path
        let started = try Tool.start(
            ["serve", "--allowed-address", "127.0.0.0/8", "--cache-dir", scratch],
            through: [activate, "-l", "127.0.0.1:\(port)"] + Sanitizer.options.flatMap { ["-E", $0] })
        defer { kill(started.process.processIdentifier, SIGKILL) }
        let address = ListenAddress.network(host: "127.0.0.1", port: port)
        let target = target()
        let status = try await onThread {
            var client: RawClient?
            _ = eventually {
                client = try? RawClient(address)
                return client != nil
            }
            return try client?.get(target).status
        }
        #expect(status == 200)
        kill(started.process.processIdentifier, SIGTERM)
        try await onThread { [process = Locked(started.process)] in process.withLock { $0 }.waitUntilExit() }
        #expect(started.process.terminationStatus == 0)
    }

    private static func freePort() throws -> UInt16 {
        let server = try FaultServer()
        defer { server.stop() }
        return UInt16(server.port)
    }

    @Test func serviceManagerReceivesTheState() async throws {
        let path = scratch.url.appendingPathComponent("notify").path
        let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        defer { close(descriptor) }
        let result = sockaddr_un(path: path.utf8).withAddress { bind(descriptor, $0, $1) }
        #expect(result == 0)
        var limit = timeval(tv_sec: 30, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        @Sendable func next() -> String {
            var bytes = [UInt8](repeating: 0, count: 200)
            let count = recv(descriptor, &bytes, bytes.count, 0)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
        let service = try await RunningService(in: scratch, environment: ["NOTIFY_SOCKET": path])
        #expect(try await onThread { next() } == "READY=1")
        service.signal(SIGHUP)
        #expect(try await onThread { next() } == "RELOADING=1")
        #expect(try await onThread { next() } == "READY=1\nSTATUS=the configuration was read again")
        #expect(try await onThread { service.stop() } == 0)
        #expect(try await onThread { next() } == "STOPPING=1")
    }
}
