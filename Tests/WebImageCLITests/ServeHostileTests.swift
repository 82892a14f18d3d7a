import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// The running service refuses hostile files, targets and clients, and keeps running.
@Suite(.timeLimit(minutes: 10), .serialized)
final class ServeHostileTests: Sendable {
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
        source.route("/a.png", .body(picture))
    }

    deinit { source.stop() }

    private func target(_ path: String = "/a.png", _ options: String = "w:20/f:png") -> String {
        "/_/\(options)/plain/\(source.url(path).absoluteString)"
    }

    @Test func hugeAgeOfASourceEndsNoService() async throws {
        source.route("/age.png", .body(picture, headers: ["Cache-Control": "max-age=60", "Age": "1e300"]))
        let service = try await RunningService(in: scratch)
        #expect(try await service.get(target("/age.png")).status == 200)
        #expect(service.stop() == 0)
    }

    /// The threads of the service do not grow with the requests: each core has a thread for decoding, one for tasks and
    /// one for sockets. The constant is for the main thread, the log, signals, timers, downloads and caches.
    @Test(arguments: [16, 128]) func burstOfRequestsUsesAFewThreads(count: Int) async throws {
        for index in 0..<count {
            let picture = try ImageCodersManager.shared.encode(
                try TestImages.solid(width: 300, height: 200 + index), format: .png, options: EncodingOptions())
            source.route("/\(index).png", .body(picture, headers: ["Cache-Control": "max-age=600"]))
        }
        // The machine may be busy, and waiting uses the time of a result.
        let limits = [
            "--max-requests-per-client", "1000", "--max-connections-per-client", "1000", "--queue-wait", "0",
            "--decode-timeout", "600",
        ]
        let service = try await RunningService(
            limits + ["--queue", "500", "--queue-per-host", "500", "--access-log", "none"], in: scratch)
        let (most, isDone) = (Locked(0), Locked(false))
        let folder = "/proc/\(service.identifier)/task"
        let watching = Thread {
            while !isDone.withLock({ $0 }) {
                let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder))?.count ?? 0
                most.withLock { $0 = max($0, threads) }
                usleep(2000)
            }
        }
        watching.start()
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for index in 0..<count {
                group.addTask { try await service.get(self.target("/\(index).png", "w:90/bl:3/f:webp")).status }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        isDone.withLock { $0 = true }
        #expect(statuses.allSatisfy { $0 == 200 }, "\(Set(statuses))")
        let limit = 3 * max(2, ProcessInfo.processInfo.activeProcessorCount) + 14
        #expect(most.withLock { $0 } <= limit, "\(most.withLock { $0 }) threads for \(count) requests")
        #expect(try await onThread { service.stop() } == 0)
    }

    private struct Entry: Decodable {
        var path: String
        var verdict: String?
    }

    /// Requests all hostile files of the folder `WEBIMAGE_CONFORMANCE`. The response for a file that must be
    /// rejected has an error status. No file may crash the service.
    @Test func hostileFilesAreRefusedAndNothingIsStored() async throws {
        guard let folder = ProcessInfo.processInfo.environment["WEBIMAGE_CONFORMANCE"] else {
            print("WEBIMAGE_CONFORMANCE names no folder: hostile files are not tried through HTTP")
            return
        }
        let root = URL(fileURLWithPath: folder)
        let manifest = try Data(contentsOf: root.appendingPathComponent("manifest.json"))
        let entries = try JSONDecoder().decode([Entry].self, from: manifest).filter {
            $0.verdict == "reject" || $0.verdict == "survive" || $0.path.hasPrefix("hostile/bombs/")
        }
        #expect(entries.count > 50)
        let options = ["--negative-ttl", "0", "--access-log", "json", "--admin", "127.0.0.1:0"]
        let service = try await RunningService(options, in: scratch)
        var counts: [Int: Int] = [:]
        for (index, entry) in entries.enumerated() {
            let data = try Data(contentsOf: root.appendingPathComponent(entry.path))
            source.route("/\(index)", .body(data, type: "application/octet-stream"))
            let answer = try await service.get(target("/\(index)"))
            counts[answer.status, default: 0] += 1
            let isBomb = entry.path.hasPrefix("hostile/bombs/")
            if entry.verdict == "reject", !isBomb {
                #expect([413, 415].contains(answer.status), "\(entry.path): \(answer.status) \(answer.text)")
            } else {
                #expect([200, 413, 415, 503, 504].contains(answer.status), "\(entry.path): \(answer.status)")
            }
            if answer.status != 200 {
                #expect(answer.fields["cache-control"] == "no-store" && answer.fields["etag"] == nil, "\(entry.path)")
                #expect(!answer.text.contains("/"), "\(entry.path): \(answer.text)")
            }
            guard index % 20 == 0 else { continue }
            #expect(try await service.get(target()).status == 200)
        }
        #expect(service.isRunning && counts[415, default: 0] > 20, "\(counts)")
        // The files were decoded in restricted processes.
        let metrics = try await onThread { try RawClient(service.admin).get("/metrics").text }
        let isolated = metrics.split(separator: "\n").first { $0.hasPrefix("webimage_decoder_pictures_total ") }
        #expect(isolated.flatMap { Int($0.split(separator: " ")[1]) } ?? 0 > 20, "\(isolated ?? "none")")
        #expect(try await service.get("/info/_/plain/\(source.url("/a.png").absoluteString)").status == 200)
        #expect(try await onThread { service.stop() } == 0)
        // The log contains the outcome "refused" for each error status. If an error counted as a hit or a miss,
        // the cache statistics would be wrong.
        #expect(service.entries.allSatisfy { $0["status"] as? Int == 200 || $0["outcome"] as? String == "refused" })
    }

    /// Passes line breaks, zero bytes and path separators in paths and option values. These characters must not
    /// add a header field to the response or a line to the log. They must not give access to a file outside the
    /// root folder.
    @Test func optionsRefuseControlCharactersAndPathsOutside() async throws {
        let secret = scratch.url.appendingPathComponent("secret.png")
        try picture.write(to: secret)
        let root = scratch.url.appendingPathComponent("root")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        try picture.write(to: root.appendingPathComponent("in.png"))
        try FileManager.default.createSymbolicLink(
            at: root.appendingPathComponent("link.png"), withDestinationURL: secret)
        let service = try await RunningService(["--root", root.path, "--canonical-link"], in: scratch)
        #expect(try await service.get("/_/f:png/plain/local:///in.png").status == 200)
        for path in [
            "../secret.png", "%2e%2e/secret.png", "..%2fsecret.png", "%2e%2e%2fsecret.png", "x/../../secret.png",
            "link.png",
            "in.png%00", "%00", "in.png%0d%0aX: y", "./in.png/../../secret.png", "/etc/passwd", "%252e%252e/secret.png",
        ] {
            let answer = try await service.get(
                "/_/f:png/plain/local:///\(path.replacingOccurrences(of: " ", with: "%20"))")
            #expect([400, 403, 404, 415].contains(answer.status), "\(path): \(answer.status)")
        }
        let injected = "a%0d%0aX-Injected:%20yes"
        let encoded = Data("a\r\nX-Injected: yes\u{0}/../b".utf8).base64EncodedString()
            .replacingOccurrences(of: "=", with: "").replacingOccurrences(of: "+", with: "-")
            .replacingOccurrences(of: "/", with: "_")
        let url = source.url("/a.png").absoluteString
        for option in [
            "fn:\(injected)", "fn:\(encoded):1", "cb:\(injected)", "bg:\(injected)", "f:\(injected)", "q:\(injected)",
            "w:\(injected)",
            "g:\(injected)", "rt:\(injected)", "wm:\(injected)", "pr:\(injected)", "exp:\(injected)", "skp:\(injected)",
            "fq:\(injected)", "\(injected):1", "fn:..%2f..%2fetc", "fn:%00", "cb:%00", "rs:%00:1", "raw:%00",
            "att:%0d%0a",
        ] {
            let answer = try await service.get("/_/\(option)/plain/\(url)")
            #expect([200, 400, 403].contains(answer.status), "\(option): \(answer.status)")
            #expect(answer.fields["x-injected"] == nil, "\(option)")
            #expect(answer.fields.values.allSatisfy { !$0.contains("\r") && !$0.contains("\0") })
            #expect(!(answer.fields["content-disposition"] ?? "").contains("/"))
        }
        let head = try await service.get("/_/f:png/plain/\(url)%3Fa=%3E;rel=x,%3Cb")
        #expect(!(head.fields["link"] ?? "").dropFirst().prefix { $0 != ">" }.contains("<"))
        #expect(try await onThread { service.stop() } == 0)
        #expect(!service.output.contains("\0") && !service.output.contains("\r"))
    }

    static let heads: [(name: String, text: String)] = [
        ("garbage", String(repeating: "\u{1}\u{7F}xyz ", count: 100) + "\r\n\r\n"),
        ("pipelined garbage", "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n\u{2}\u{3}\u{4}garbage\r\n\r\n"),
        ("header of 1 MB", "GET / HTTP/1.1\r\nHost: a\r\nX: " + String(repeating: "x", count: 1 << 20) + "\r\n\r\n"),
        (
            "headers of 1 MB",
            "GET / HTTP/1.1\r\nHost: a\r\n" + String(repeating: "X-A: yyyyyyyyyyyyyyyyyyyyy\r\n", count: 40_000)
                + "\r\n"
        ),
        ("target of 1 MB", "GET /" + String(repeating: "x", count: 1 << 20) + " HTTP/1.1\r\nHost: a\r\n\r\n"),
        ("two lengths", "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 5\r\n\r\nabcde"),
        ("chunked", "GET / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
        ("body", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000000\r\n\r\nabc"),
        ("zero byte", "GET /\u{0} HTTP/1.1\r\nHost: a\r\n\r\n"), ("no host", "GET / HTTP/1.1\r\n\r\n"),
        ("HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
        ("TLS", "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\r\n\r\n"),
        ("connect", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n"), ("trace", "TRACE / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ]

    @Test func hostileHeadEndsOnlyItsConnection() async throws {
        let service = try await RunningService(in: scratch)
        let address = try service.address
        for head in Self.heads {
            let text = try await onThread {
                let client = try RawClient(address)
                client.send(head.text)
                client.leave(Int32(SHUT_WR))
                return client.readToEnd()
            }
            // Exactly one refusal, after the answers to the valid requests before it.
            let statuses = text.components(separatedBy: "HTTP/1.1 ").dropFirst().compactMap { Int($0.prefix(3)) }
            let isComplete = statuses == (head.name == "pipelined garbage" ? [200, 400] : statuses.suffix(1))
            let isRefused = statuses.last.map { (400...505).contains($0) } ?? head.name.contains("1 MB")
            #expect(isRefused && isComplete, "\(head.name): \(statuses)")
            #expect(try await service.get("/healthz").status == 200, "\(head.name)")
        }
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func idleAndSlowConnectionsAreClosedWhileOthersAreServed() async throws {
        let service = try await RunningService(
            ["--head-timeout", "3", "--admin", "127.0.0.1:0", "--max-connections-per-client", "5000"], in: scratch)
        let address = try service.address, admin = try service.admin
        let (silent, slow) = try await onThread {
            let silent = try (0..<400).map { _ in try RawClient(address) }
            let slow = try (0..<100).map { _ in try RawClient(address) }
            for client in slow { client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ") }
            return (silent, slow)
        }
        // The slow clients send bytes without pause but never a complete request head. The service must close
        // their connections at the deadline for the head.
        let isOver = Locked(false)
        async let drips: Void = onThread {
            while !isOver.withLock({ $0 }) { for client in slow { client.send("y") } }
        }
        for _ in 0..<20 { #expect(try await service.get(target()).status == 200) }
        let closed = try await onThread {
            silent.allSatisfy { $0.isEnded() } && slow.allSatisfy { $0.readToEnd().isEmpty }
        }
        #expect(closed)
        isOver.withLock { $0 = true }
        try await drips
        let metrics = try await onThread { try RawClient(admin).get("/metrics").text }
        let line = metrics.split(separator: "\n").first { $0.hasPrefix("webimage_head_timeouts_total ") }
        #expect((line?.split(separator: " ").last.flatMap { Int($0) } ?? 0) >= 500, "\(line ?? "")")
        #expect(try await service.get(target()).status == 200)
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func connectionsOfOneClientAreLimited() async throws {
        let service = try await RunningService(
            ["--max-connections-per-client", "10", "--listen", "127.0.0.2:0"], in: scratch)
        let address = try service.address
        let statuses = try await onThread {
            let held = try (0..<10).map { _ in try RawClient(address) }
            // The service accepts connections in order, so it has counted ten connections when it accepts the
            // eleventh connection.
            let refused = try RawClient(address)
            let status = try refused.answer().status
            withExtendedLifetime(held) {}
            return status
        }
        #expect(statuses == 429)
        #expect(try await onThread { service.stop() } == 0)
    }
}
