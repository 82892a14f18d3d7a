import Foundation
import Testing
import WebImage
import WebImageServer
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Tests `webimage serve` as a child process, with real sockets and a source server.
@Suite(.timeLimit(minutes: 4), .serialized)
final class ServeTests: Sendable {
    let scratch: ScratchFolder
    let source: FaultServer

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

    private func target(_ options: String = "w:20/f:png", _ path: String = "/a.png") -> String {
        "/_/\(options)/plain/\(source.url(path).absoluteString)"
    }

    private func write(_ name: String, _ text: String) throws -> String {
        let path = scratch.url.appendingPathComponent(name).path
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func pictureIsServedAndLogged() async throws {
        let service = try await RunningService(in: scratch)
        let answer = try await service.get(target())
        #expect(answer.status == 200 && answer.fields["content-type"] == "image/png")
        let image = try ImageCodersManager.shared.decode(answer.body, options: DecodingOptions())
        #expect(image.pixelSize == PixelSize(width: 20, height: 15))
        let again = try await service.get(target(), further: "If-None-Match: \(answer.fields["etag"] ?? "")\r\n")
        #expect(again.status == 304 && again.body.isEmpty && source.requestCount("/a.png") == 1)
        let head = try await service.get(target(), method: "HEAD")
        #expect(head.status == 200 && head.fields["content-length"] == "\(answer.body.count)")
        let part = try await service.get(target(), further: "Range: bytes=0-7\r\n")
        #expect(part.status == 206 && part.body == answer.body.prefix(8))
        let page = try await service.get("/")
        #expect(page.status == 200 && page.fields["content-type"] == "text/html; charset=utf-8")
        #expect(page.text.contains("<form"))
        let code = try await onThread { service.stop() }
        #expect(code == 0)
        #expect(service.errors.contains("open http://127.0.0.1:") && service.errors.contains("/ in a browser"))
        let lines = service.output.split(separator: "\n")
        #expect(lines.count == 5, "\(service.output)")
        #expect(lines.first?.contains("\"GET /_/w:20/f:png/plain/…\" 200") == true)
        #expect(lines.first?.contains("source=\(source.url("/a.png").absoluteString)") == true)
    }

    /// The log must contain no passwords of sources, no queries and no signatures, because all of them can be
    /// secret.
    @Test func jsonLogHoldsIdentityAndNoSecret() async throws {
        let service = try await RunningService(["--access-log", "json"], in: scratch)
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let port = source.port
        let secret = "/_/w:9/plain/http://127.0.0.1:\(port)/a.png%3Ftoken=hush"
        let answer = try await service.get(secret, further: "X-Request-Id: abc-1\r\ntraceparent: \(trace)\r\n")
        #expect(answer.fields["x-request-id"] == "abc-1")
        #expect(source.requests.last?.headers["traceparent"] == trace, "\(source.requests)")
        let encoded = Data("http://127.0.0.1:\(port)/a.png?token=hush".utf8).base64EncodedString()
        _ = try await service.get("/_/w:8/\(encoded.replacingOccurrences(of: "=", with: "")).png")
        _ = try await service.get("/_/nonsense:1/plain/http://user:hush@127.0.0.1/")
        _ = try await service.get("/aHVzaA/w:8/aHVz/aHVz")
        #expect(try await onThread { service.stop() } == 0)
        #expect(
            ["hush", "aHVz", String(encoded.prefix(30))].allSatisfy { !service.output.contains($0) },
            "\(service.output)")
        let entries = service.entries
        #expect(entries.count == 4)
        #expect(entries.first?["id"] as? String == "abc-1" && entries.first?["traceparent"] as? String == trace)
        #expect(entries[2]["reason"] as? String == "option" && entries[2]["status"] as? Int == 400)
        #expect(entries[0]["target"] as? String == "/_/w:9/plain/…" && entries[3]["target"] as? String == "/…/w:8/…")
    }

    @Test func logCanBeTurnedOff() async throws {
        let service = try await RunningService(["--access-log", "none"], in: scratch)
        #expect(try await service.get("/healthz").status == 200)
        #expect(try await onThread { service.stop() } == 0)
        #expect(service.output.isEmpty)
    }

    @Test func optionsOverrideVariablesAndVariablesOverrideTheFile() throws {
        let file = try write("a.conf", "quality = 10\nttl = 11\nlisten = 127.0.0.1:1\nkey = 736563726574\nsalt = 00\n")
        let outcome = try Tool.run(
            ["serve", "--config", file, "--print-config", "--ttl", "13", "--no-webp", "--listen", "127.0.0.1:2"],
            environment: ["WEBIMAGE_TTL": "12", "WEBIMAGE_QUALITY": "20"])
        #expect(outcome.code == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").map(String.init)
        for line in ["quality = 20", "ttl = 13", "webp = no", "listen = 127.0.0.1:2", "# key = (1 set)"] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(!outcome.output.contains("7365"))
        // The output of `--print-config` is a valid configuration file. The second run reads it through
        // `WEBIMAGE_CONFIG`.
        let printed = try write("b.conf", outcome.output)
        let again = try Tool.run(["serve", "--print-config"], environment: ["WEBIMAGE_CONFIG": printed])
        #expect(again.code == 0 && again.output.contains("ttl = 13\n"))
    }

    @Test func everySettingIsAnOptionWithHelp() throws {
        let help = try Tool.run("serve", "--help").output
        for name in ["listen", "drain", "max-result-dimension", "no-avif", "json-errors", "config"] {
            #expect(help.contains("  --\(name)"), "\(name)")
        }
    }

    /// Secrets are refused as options. The help lists their variables instead.
    @Test func helpListsNoOptionThatIsAlwaysRefused() throws {
        let help = try Tool.run("serve", "--help").output
        for name in ["key", "salt", "trusted-signatures", "thumbor-key", "purge-token"] {
            #expect(!help.contains("  --\(name) "), "\(name)")
            let variable = "WEBIMAGE_" + name.uppercased().replacingOccurrences(of: "-", with: "_")
            #expect(help.contains("  \(variable)="), "\(name)")
            let outcome = try Tool.run(["serve", "--\(name)", "00"], environment: [:])
            #expect(outcome.code == 1 && outcome.errors.contains(variable))
        }
    }

    static let wrong: [(words: [String], environment: [String: String], text: String)] = [
        (["--unknown"], [:], "--unknown"),
        (["--quality", "0"], [:], "1 to 100"),
        (["--key", "00"], [:], "WEBIMAGE_KEY"),
        ([], ["WEBIMAGE_QUALITI": "1"], "WEBIMAGE_QUALITI"),
        ([], ["WEBIMAGE_QUALITY": "900"], "WEBIMAGE_QUALITY: '900' is not a number"),
        (["--check-config"], ["WEBIMAGE_ROOT": "/nonexistent"], "WEBIMAGE_ROOT: root: "),
        (["--check-config"], ["WEBIMAGE_CACHE_DIR": "~/cache"], "WEBIMAGE_CACHE_DIR: '~/cache' begins with ~"),
        (["--check-config", "--cache-dir=~"], [:], "write the path in full"),
        (["--config", "/nonexistent/file"], [:], "/nonexistent/file: No such file"),
        (["--access-log", "xml"], [:], "json"),
        (["operand"], [:], "operand"),
    ]

    @Test(arguments: wrong) func wrongSettingsExitWithOneAndAReason(
        row: (words: [String], environment: [String: String], text: String)
    ) throws {
        let outcome = try Tool.run(["serve"] + row.words, environment: row.environment)
        #expect(outcome.code == 1 && outcome.errors.contains(row.text), "\(outcome.errors)")
    }

    @Test func errorInAFileNamesFileAndSetting() throws {
        let file = try write("a.conf", "qualiti = 10\n")
        let outcome = try Tool.run("serve", "--config", file)
        #expect(outcome.code == 1 && outcome.errors.contains("a.conf:1: qualiti"), "\(outcome.errors)")
    }

    static let places: [(text: String, error: String)] = [
        ("ttl = 1\nquality = 0\n", ":2: quality: "), ("\n\nlisten = nowhere\n", ":3: listen: "),
        ("admin = nowhere\n", ":1: admin: "), ("trusted-proxy = x\n", ":1: trusted-proxy: "),
        ("key = 00\nkey = xx\n", ":2: key: "), ("preset = a=w:1\npreset = b=w:x\n", ":2: preset: "),
        ("watermark = /nonexistent\n", ":1: watermark: "), ("root = /nonexistent\n", ":1: root: "),
        ("salt = 00\n", ":1: salt: "), ("secrets-file = /nonexistent\n", ":1: secrets-file: "),
        ("nonsense\n", ":1: the line: "), ("ttl = 3\n\nttl = 5\n", ":3: ttl: the setting is already set at "),
    ]

    @Test(arguments: places) func errorNamesTheLine(row: (text: String, error: String)) throws {
        let file = try write("a.conf", row.text)
        let outcome = try Tool.run("serve", "--config", file, "--cache-dir", scratch.url.path)
        #expect(outcome.code != 0 && outcome.errors.contains("a.conf" + row.error), "\(outcome.errors)")
    }

    @Test(arguments: ["root = /nonexistent\n", "cache-dir = /proc/nonexistent/a\n", "cache-dir = /etc/passwd\n"])
    func foldersThatCannotBeUsedFailTheCheckAndTheStart(_ text: String) throws {
        let file = try write("a.conf", text)
        let place = "a.conf:1: \(text.prefix { $0 != " " }): "
        let check = try Tool.run("serve", "--config", file, "--check-config")
        #expect(check.code == 1 && check.errors.contains(place), "\(check.errors)")
        // A service that starts would not end.
        let start = try Tool.run(
            ["serve", "--config", file, "--listen", "127.0.0.1:0"], through: ["/usr/bin/timeout", "20"])
        #expect(start.code == 2 && start.errors.contains(place), "\(start.errors)")
    }

    /// No two sockets can have one address. The socket of the service manager can replace the address that `listen` omits.
    @Test(arguments: [
        ("listen = 127.0.0.1:9\nlisten = localhost:9\n", "listen: 127.0.0.1:9 and 127.0.0.1:9 "),
        ("listen = 127.0.0.1:9\nlisten = *:9\ninsecure = yes\n", "listen: 127.0.0.1:9 and *:9 "),
        ("listen = [::1]:9\nlisten = [::]:9\ninsecure = yes\n", "listen: [::1]:9 and [::]:9 "),
        ("listen = 127.0.0.1:9\nadmin = 127.0.0.1:9\n", "admin: 127.0.0.1:9 and 127.0.0.1:9 "),
        ("listen = unix:s\nadmin = unix:./s\n", "admin: unix:s and unix:./s "),
    ])
    func addressesThatExcludeEachOtherFailTheCheckAndTheStart(row: (text: String, error: String)) throws {
        let file = try write("a.conf", row.text + "cache-dir = \(scratch.url.path)\n")
        let check = try Tool.run("serve", "--config", file, "--check-config")
        #expect(check.code == 1 && check.errors.contains(row.error), "\(check.errors)")
        let start = try Tool.run(["serve", "--config", file], through: ["/usr/bin/timeout", "20"])
        #expect(start.code != 0 && start.errors.contains(row.error), "\(start.errors)")
    }

    @Test(arguments: [
        "listen = 127.0.0.1:9\nlisten = [::1]:9\nlisten = 127.0.0.2:9\nadmin = 127.0.0.1:10\n",
        "listen = 0.0.0.0:9\nlisten = [::]:9\ninsecure = yes\n", "listen = 127.0.0.1:0\nadmin = 127.0.0.1:0\n",
        "admin = 127.0.0.1:8080\n", "listen = unix:a\nadmin = unix:b\n",
    ])
    func addressesThatExistTogetherPassTheCheck(text: String) throws {
        let file = try write("a.conf", text + "cache-dir = \(scratch.url.path)\n")
        let check = try Tool.run("serve", "--config", file, "--check-config")
        #expect(check.code == 0, "\(check.errors)")
    }

    @Test func checkOfTheConfigurationMakesNoFolder() throws {
        let cache = scratch.url.appendingPathComponent("new/cache").path
        let file = try write("a.conf", "cache-dir = \(cache)\nlisten = 127.0.0.1:1\nlisten = 127.0.0.1:2\n")
        let outcome = try Tool.run("serve", "--config", file, "--check-config")
        #expect(outcome.code == 0, "\(outcome.errors)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path) == ["a.conf"])
    }

    @Test func errorInAFlagNamesNoLine() throws {
        let file = try write("a.conf", "watermark = /a\n")
        let outcome = try Tool.run(
            "serve", "--config", file, "--watermark", "/nonexistent", "--cache-dir", scratch.url.path)
        #expect(outcome.code != 0 && outcome.errors.contains("watermark: ") && !outcome.errors.contains("a.conf"))
    }

    @Test(arguments: [0o644, 0o666, 0o660, 0o604]) func secretsFileThatOthersCanReachIsRefused(mode: Int) throws {
        let secrets = try write("secrets.env", "WEBIMAGE_KEY=736563726574\nWEBIMAGE_SALT=68656C6C6F\n")
        chmod(secrets, mode_t(mode))
        let words = ["serve", "--secrets-file", secrets, "--print-config"]
        let refused = try Tool.run(words)
        #expect(refused.code == 1 && refused.errors.contains("chmod 640"), "\(refused.errors)")
        chmod(secrets, 0o640)
        #expect(try Tool.run(words).output.contains("# key = (1 set)"))
    }

    @Test func refusedHeadIsLoggedAndCounted() async throws {
        let service = try await RunningService(["--admin", "127.0.0.1:0", "--access-log", "json"], in: scratch)
        let address = try service.address, admin = try service.admin
        let (text, metrics) = try await onThread {
            let client = try RawClient(address)
            client.send("GET /hush HTTP/1.1\r\nHost: a\r\n: hush\r\n\r\n")
            return (client.readToEnd(), try RawClient(admin).get("/metrics").text)
        }
        #expect(text.hasPrefix("HTTP/1.1 400 ") && text.contains("X-Request-Id: "))
        #expect(metrics.contains("webimage_refused_heads_total 1\n"))
        #expect(metrics.contains("webimage_refusals_total{reason=\"head\"} 1\n"))
        #expect(try await onThread { service.stop() } == 0)
        let entry = try #require(service.entries.first)
        #expect(entry["status"] as? Int == 400 && entry["client"] as? String == "127.0.0.1")
        #expect(entry["reason"] as? String == "head" && entry["message"] as? String == "a field has no name")
        #expect(!service.output.contains("hush"))
    }

    static let open: [(words: [String], environment: [String: String])] = [
        (["--listen", "0.0.0.0:0"], [:]), (["--listen", "*:0"], [:]), (["--listen", "[::]:0"], [:]),
        (["--listen", "127.0.0.1:0", "--listen", "0.0.0.0:0"], [:]),
        // This service has keys for signed URLs, but `--thumbor-unsafe` accepts unsigned URLs. The command must
        // therefore refuse to start the service.
        (
            ["--listen", "0.0.0.0:0", "--thumbor", "/t", "--thumbor-unsafe"],
            ["WEBIMAGE_KEY": "00", "WEBIMAGE_SALT": "00", "WEBIMAGE_THUMBOR_KEY": "x"]
        ),
    ]

    @Test(arguments: open) func unsignedTargetsNeedLoopbackOrInsecure(
        row: (words: [String], environment: [String: String])
    ) async throws {
        let words = ["serve", "--cache-dir", scratch.url.path] + row.words
        let outcome = try Tool.run(words, environment: row.environment)
        #expect(outcome.code == 2 && outcome.errors.contains("--insecure"), "\(outcome.errors)")
        #expect(outcome.errors.contains("WEBIMAGE_KEY"))
        let service = try await RunningService(
            row.words + ["--insecure"], in: scratch, environment: row.environment, listening: nil)
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func signedTargetsWorkBeyondLoopback() async throws {
        let keys = ["WEBIMAGE_KEY": "736563726574", "WEBIMAGE_SALT": "68656C6C6F"]
        let service = try await RunningService(in: scratch, environment: keys, listening: "0.0.0.0:0")
        let path = "/w:20/f:png/plain/\(source.url("/a.png").absoluteString)"
        let signed = try Tool.run(["sign", path], environment: keys)
        #expect(signed.code == 0)
        let target = signed.output.trimmingCharacters(in: .newlines)
        #expect(target.hasSuffix(path) && target != "/_" + path)
        #expect(try await service.get(target).status == 200)
        #expect(try await service.get("/_" + path).status == 403)
        #expect(try await service.get("/").text.contains("webimage sign"))
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func severalAddressesAndALocalSocketAreServed() async throws {
        let path = scratch.url.appendingPathComponent("s.sock").path
        let service = try await RunningService(
            ["--listen", "unix:\(path)", "--socket-mode", "600"], in: scratch)
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try await service.get("/healthz").status == 200)
        let local = try await onThread { try RawClient(.local(path: path)).get("/healthz").status }
        #expect(local == 200)
        // A killed service leaves its socket file behind. The next service must replace this file.
        _ = try await onThread { service.stop(SIGKILL) }
        #expect(lstat(path, &status) == 0)
        let next = try await RunningService(["--listen", "unix:\(path)"], in: scratch)
        #expect(try await onThread { try RawClient(.local(path: path)).get("/healthz").status } == 200)
        #expect(try await onThread { next.stop() } == 0)
        #expect(lstat(path, &status) != 0)
    }

    /// A relative folder is one in the current folder. The second service finds the entries of the first.
    @Test(arguments: ["cache", "./new/cache"]) func relativeCacheFolderIsUsed(_ folder: String) async throws {
        for _ in 0..<2 {
            let service = try await RunningService(in: scratch, cacheFolder: folder)
            #expect(try await service.get(target()).status == 200)
            #expect(try await onThread { service.stop() } == 0)
        }
        #expect(source.requestCount("/a.png") == 1)
        let made = scratch.url.appendingPathComponent(folder).path
        #expect(try !FileManager.default.contentsOfDirectory(atPath: made).isEmpty)
        let check = try Tool.run(["serve", "--cache-dir", folder, "--check-config"], in: scratch.url.path)
        #expect(check.code == 0, "\(check.errors)")
        try Data().write(to: scratch.url.appendingPathComponent("file"))
        let file = try Tool.run(["serve", "--cache-dir", "file", "--check-config"], in: scratch.url.path)
        #expect(file.code == 1 && file.errors.contains("cache-dir: "), "\(file.errors)")
    }

    @Test func usedAddressIsAnErrorThatNamesIt() async throws {
        let service = try await RunningService(in: scratch)
        let address = try service.address
        let outcome = try await onThread { [folder = scratch.url.path] in
            try Tool.run("serve", "--listen", "\(address)", "--cache-dir", folder)
        }
        #expect(outcome.code == 2 && outcome.errors.contains("\(address)"))
        #expect(try await onThread { service.stop() } == 0)
    }

    @Test func purgeIsSentToAUnixSocket() async throws {
        let environment = ["WEBIMAGE_PURGE_TOKEN": "secret-token"]
        let admin = "unix:" + scratch.path + "/admin"
        let service = try await RunningService(["--admin", admin], in: scratch, environment: environment)
        #expect(try await service.get(target()).status == 200)
        let url = source.url("/a.png").absoluteString
        let purge = try await onThread {
            try Tool.run(["cache", "purge", "--admin", admin, url], environment: environment)
        }
        #expect(purge.code == 0 && purge.output.contains("purged"), "\(purge.errors)")
        #expect(try await service.get(target()).status == 200)
        #expect(source.requestCount("/a.png") == 2)
        #expect(try await onThread { service.stop() } == 0)
        let none = try await onThread {
            try Tool.run(["cache", "purge", "--admin", admin, url], environment: environment)
        }
        #expect(none.code != 0 && none.errors.contains("no answer from \(admin)"), "\(none.errors)")
    }

    @Test func operatorsListenerServesMetricsAndPurges() async throws {
        let environment = ["WEBIMAGE_PURGE_TOKEN": "secret-token"]
        let service = try await RunningService(["--admin", "127.0.0.1:0"], in: scratch, environment: environment)
        #expect(try await service.get(target()).status == 200)
        #expect(try await service.get("/metrics").status != 200)
        let admin = try service.admin
        let metrics = try await onThread { try RawClient(admin).get("/metrics") }
        #expect(metrics.status == 200 && metrics.text.contains("webimage_requests_total"))
        #expect(metrics.text.contains("webimage_connections_total"))
        #expect(try await onThread { try RawClient(admin).get("/readyz").status } == 200)
        let url = source.url("/a.png").absoluteString
        let purge = try await onThread {
            // A proxy of the environment does not receive the token.
            let environment = environment.merging(["http_proxy": "http://127.0.0.1:9"]) { $1 }
            return try Tool.run(["cache", "purge", "--admin", "\(admin)", url], environment: environment)
        }
        #expect(purge.code == 0 && purge.output.contains("purged"), "\(purge.errors)")
        #expect(try await service.get(target()).status == 200)
        #expect(source.requestCount("/a.png") == 2)
        let wrong = try await onThread {
            try Tool.run(
                ["cache", "purge", "--admin", "\(admin)", url], environment: ["WEBIMAGE_PURGE_TOKEN": "other"])
        }
        #expect(wrong.code == 2 && wrong.errors.contains("token"))
        #expect(try await onThread { service.stop() } == 0)
        // If no service runs, the command removes the entry directly from the cache folder.
        let local = try Tool.run("cache", "purge", url, environment: ["WEBIMAGE_CACHE_DIR": scratch.url.path])
        #expect(local.code == 0, "\(local.errors)")
        let next = try await RunningService(in: scratch)
        #expect(try await next.get(target()).status == 200)
        #expect(source.requestCount("/a.png") == 3)
        #expect(try await onThread { next.stop() } == 0)
    }

    @Test func resultsOutliveTheProcess() async throws {
        for _ in 0..<2 {
            let service = try await RunningService(in: scratch)
            #expect(try await service.get(target()).status == 200)
            #expect(try await onThread { service.stop() } == 0)
        }
        #expect(source.requestCount("/a.png") == 1)
    }
}
