import Foundation
import Testing
import WebImage
import WebImageCLI
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Runs the command with different locales, time zones, umasks, home folders and hosts.
@Suite(.timeLimit(minutes: 3))
final class EnvironmentTests: Sendable {
    private let scratch: ScratchFolder
    private let server: FaultServer
    private let picture: Data

    init() throws {
        scratch = try ScratchFolder()
        server = try FaultServer()
        picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 8, height: 6), format: .png, options: EncodingOptions())
        route(server)
    }

    deinit { server.stop() }

    private func route(_ server: FaultServer) {
        let picture = picture
        // HTTP dates are in GMT with English names. The command must parse them in every locale and time zone.
        let headers = [
            "ETag": "\"1\"", "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
            "Expires": "Fri, 01 Jan 2100 00:00:00 GMT", "CACHE-CONTROL": "PRIVATE",
        ]
        server.route("/INDIGO.PNG", .body(picture, type: "IMAGE/PNG", headers: headers))
    }

    private func path(_ name: String) -> String { scratch.url.appendingPathComponent(name).path }

    private func origins(
        _ url: String, _ cache: String?, environment: [String: String] = [:], through: [String] = []
    ) throws -> [String] {
        try (0..<2).map { _ in
            let outcome = try Tool.run(
                ["load", "--json"] + (cache.map { ["--cache", $0] } ?? []) + [url], environment: environment,
                through: through)
            #expect(outcome.code == 0, "\(outcome.errors)")
            let object = try outcome.objects().first
            #expect(object?["width"] as? Int == 8 && object?["height"] as? Int == 6, "\(outcome.output)")
            return object?["origin"] as? String ?? "none"
        }
    }

    @Test(arguments: ["C", "tr_TR.UTF-8", "de_DE.UTF-8", "az_AZ", "no_SUCH"])
    func noLocaleChangesWhatIsReadOrPrinted(_ locale: String) throws {
        var environment = ["LC_ALL": locale, "LANG": locale, "LANGUAGE": locale]
        if CompiledLocale.isAvailable, CompiledLocale.names.contains(locale) {
            try CompiledLocale.compile(locale, into: scratch.url.path)
            environment["LOCPATH"] = scratch.url.path
            let shell = ["/bin/sh", "-c", "locale decimal_point"]
            let point = try Tool.run([], environment: environment, through: shell)
            #expect(point.output == ",\n", "the locale is not active")
        }
        // In a Turkish locale, the upper-case form of "i" is not "I". A comparison that uses the rules of the
        // locale would not recognise the media type "IMAGE/PNG" and the extension "TIFF".
        let url = "HTTP://LOCALHOST:\(server.port)/INDIGO.PNG"
        #expect(try origins(url, path("cache"), environment: environment) == ["network", "disk"])
        let file = path("INDIGO.PNG")
        try picture.write(to: URL(fileURLWithPath: file))
        let info = try Tool.run("info", file, environment: environment)
        #expect(info.output == (try Tool.run("info", file, environment: ["LC_ALL": "C"])).output)
        #expect(try info.objects().first?["width"] as? Int == 8)
        let usage = try Tool.run("convert", file, path("out.TIFF"), environment: environment)
        #expect(usage.code == 0, "\(usage.errors)")
    }

    /// Sets the locale of the process, as GTK does when it starts, and then runs the command. If the command
    /// printed numbers by the rules of the locale, its JSON output would contain decimal commas and be invalid.
    @Test(.enabled(if: CompiledLocale.isAvailable), arguments: CompiledLocale.names)
    func outputIsTheSameInEveryLocale(_ locale: String) async throws {
        try CompiledLocale.compile(locale, into: scratch.url.path)
        let file = path("INDIGO.PNG")
        try picture.write(to: URL(fileURLWithPath: file))
        let arguments = [
            ["info", file], ["load", "--json", "--cache", "none", file], ["convert", file, path("OUT.TIFF")],
        ]
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            [folder = scratch.url.path as String, locale = locale as String, arguments = arguments as [[String]]] in
            try #require(CompiledLocale.use(locale, in: folder))
            for words in arguments { #expect(WebImageCommand.run(["webimage"] + words) == 0, "\(words)") }
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let lines = output.split(separator: "\n").filter { $0.hasPrefix("{") }
        #expect(lines.count >= 2, "\(output)")
        for line in lines {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            #expect(object?["width"] as? Int == 8, "\(line)")
        }
    }

    @Test(arguments: ["UTC", "America/St_Johns", "Pacific/Kiritimati", "No/Such_Zone", "", ":/no/file", "XYZ-25"])
    func noTimeZoneChangesHowLongAnEntryLives(_ zone: String) throws {
        let url = server.url("/INDIGO.PNG").absoluteString
        #expect(try origins(url, path("cache"), environment: ["TZ": zone]) == ["network", "disk"])
        // An entry that was stored in one time zone is a hit in another time zone.
        let other = try Tool.run(
            ["load", "--json", "--cache", path("cache"), url], environment: ["TZ": "Asia/Kathmandu"])
        #expect(try other.objects().first?["origin"] as? String == "disk")
    }

    @Test(arguments: ["077", "000"]) func cacheFilesAreReadableByTheirOwnerOnly(mask: String) throws {
        let shell = ["/bin/sh", "-c", "umask \(mask); exec \"$0\" \"$@\""]
        let url = server.url("/INDIGO.PNG").absoluteString
        #expect(try origins(url, path("cache"), through: shell) == ["network", "disk"])
        let files = try #require(FileManager.default.enumerator(atPath: path("cache"))?.allObjects as? [String])
        #expect(files.contains { $0.hasSuffix(".sqlite") })
        for name in files {
            let attributes = try FileManager.default.attributesOfItem(atPath: path("cache/\(name)"))
            let mode = try #require(attributes[.posixPermissions] as? Int)
            let isFolder = attributes[.type] as? FileAttributeType == .typeDirectory
            #expect(mode & 0o777 == (isFolder ? 0o700 : 0o600), "\(name) has mode \(String(mode, radix: 8))")
        }
    }

    @Test func numericIPv4AndIPv6HostsAreLoaded() throws {
        #expect(try origins("http://127.0.0.1:\(server.port)/INDIGO.PNG", path("a")) == ["network", "disk"])
        // 127.1 is another spelling of 127.0.0.1.
        #expect(try origins("http://127.1:\(server.port)/INDIGO.PNG", path("b")) == ["network", "disk"])
        guard FaultServer.hasIPv6 else { return }
        let sixth = try FaultServer(host: "::1")
        defer { sixth.stop() }
        route(sixth)
        for host in ["[::1]", "[0:0:0:0:0:0:0:1]"] {
            let url = "http://\(host):\(sixth.port)/INDIGO.PNG"
            #expect(try origins(url, path(host)) == ["network", "disk"])
        }
        // `localhost` has an IPv4 and an IPv6 address, but the server listens only on IPv6. The command must
        // try both.
        #expect(try origins("http://localhost:\(sixth.port)/INDIGO.PNG", path("c")) == ["network", "disk"])
    }

    /// No user, not even root, can create a folder in /proc. If the cache folder cannot be created, the command
    /// must load images without a disk cache.
    @Test(arguments: [["-u", "HOME", "XDG_CACHE_HOME=/proc"], ["-u", "XDG_CACHE_HOME", "HOME=/proc"]])
    func loadSucceedsWithoutAWritableCacheFolder(_ change: [String]) throws {
        let environment = ["XDG_DATA_HOME": "/proc", "XDG_CONFIG_HOME": "/proc", "XDG_RUNTIME_DIR": "/proc"]
        let through = ["/usr/bin/env"] + change
        let url = server.url("/INDIGO.PNG").absoluteString
        #expect(try origins(url, nil, environment: environment, through: through) == ["network", "network"])
        let outcome = try Tool.run(["load", url], environment: environment, through: through)
        #expect(outcome.code == 0)
        // The command prints one warning line, which contains the cache folder, the reason and the consequence.
        let lines = outcome.errors.split(separator: "\n")
        #expect(lines.count == 1, "\(outcome.errors)")
        #expect(lines.first?.contains("disk cache /proc/") == true, "\(outcome.errors)")
        #expect(lines.first?.contains("loads continue without it") == true, "\(outcome.errors)")
    }

    @Test func cacheFolderIsBelowHOME() throws {
        let through = ["/usr/bin/env", "-u", "XDG_CACHE_HOME", "HOME=\(path("home"))"]
        let url = server.url("/INDIGO.PNG").absoluteString
        #expect(try origins(url, nil, through: through) == ["network", "disk"])
        #expect(FileManager.default.fileExists(atPath: path("home/.cache/webimage/webimage/default/index.sqlite")))
    }

    @Test func withoutAHomeAPictureIsLoaded() throws {
        let url = server.url("/INDIGO.PNG").absoluteString
        let through = ["/usr/bin/env", "-i", "PATH=/usr/bin:/bin"] + Sanitizer.options
        // With `--cache`, the command needs no home folder. Every run in this test passes `--cache`. Otherwise
        // the command would use the real home folder of the user who runs the test.
        #expect(try origins(url, path("cache"), through: through) == ["network", "disk"])
        #expect(try origins(url, "none", through: through) == ["network", "network"])
        let relative = ["/usr/bin/env", "-i", "HOME=relative", "XDG_CACHE_HOME=relative"] + Sanitizer.options
        #expect(try origins(url, "none", through: relative) == ["network", "network"])
    }
}
