import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests the service with the library's downloader and with a server on the loopback interface.
@Suite(.timeLimit(minutes: 2))
final class ServiceDownloadTests {
    private let server: FaultServer
    private let folder: ScratchFolder

    init() throws {
        server = try FaultServer()
        folder = try ScratchFolder()
        server.route("/a.png", .body(try PictureFixtures.quadrants(), headers: ["Cache-Control": "max-age=600"]))
    }

    deinit { server.stop() }

    private func service(_ configure: (inout ServiceConfiguration) -> Void = { _ in }) throws -> ImageService {
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = folder.url.path
        configuration.allowedAddresses = ["127.0.0.0/8"]
        configure(&configuration)
        return try ImageService(configuration: configuration)
    }

    private func get(_ service: ImageService, _ options: String, _ path: String = "/a.png") async -> ServiceResponse {
        await service.respond(to: ServiceRequest(target: "/_/\(options)/plain/\(server.url(path).absoluteString)"))
    }

    @Test func aFetchPassesNoOptionThatTheDownloaderIgnores() async throws {
        final class Warnings: WebImageLogging {
            let messages = Locked<[String]>([])
            func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
                if metadata["webimage.option"] != nil { messages.withLock { $0.append(message) } }
            }
        }
        let warnings = Warnings()
        WebImageLog.shared.destination = warnings
        defer { WebImageLog.shared.destination = nil }
        let service = try service()
        #expect(await get(service, "w:10").status == 200)
        #expect(warnings.messages.withLock { $0 }.isEmpty)
    }

    @Test func addressesThatAreNotPublicAreRefusedUnlessAllowed() async throws {
        let strict = try service { $0.allowedAddresses = [] }
        let refused = await get(strict, "w:10")
        #expect(refused.status == 403 && refused.logEntry.reason == "source")
        #expect(server.requestCount("/a.png") == 0)
        for host in ["localhost", "127.1", "0x7f000001", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"] {
            let target = "/_/w:1/plain/http://\(host):\(server.port)/a.png"
            let status = await strict.respond(to: ServiceRequest(target: target)).status
            #expect(status == 403 || status == 502, "\(host)")
        }
        #expect(server.requestCount("/a.png") == 0)
        #expect(await get(try service(), "w:10").status == 200)
    }

    /// Servers send pages of their maintenance, and logins, with the status 200. The picture outlives them as it does a 503.
    @Test(arguments: [
        ("<!DOCTYPE html><title>Back soon</title>", 200), ("\u{FEFF}\r\n {\"error\": 1}", 200), ("", 200), ("ü", 200),
        // Others are content of the server, which shows what it is.
        ("\u{1}\u{2}abc", 415), ("GIF89a <p>", 415), ("<svg xmlns='http://www.w3.org/2000/svg'><rect", 415),
    ])
    func pictureOutlivesAPageThatIsSentInItsPlace(text: String, status: Int) async throws {
        for (field, isKept) in [("max-age=0", true), ("max-age=0, stale-if-error=100", true), ("no-cache", false)] {
            let server = try FaultServer()
            defer { server.stop() }
            let target = "/_/w:10/f:png/plain/" + server.url("/a.png").absoluteString
            let service = try service()
            server.route("/a.png", .body(try PictureFixtures.quadrants(), headers: ["Cache-Control": field]))
            let picture = await service.respond(to: ServiceRequest(target: target))
            #expect(picture.status == 200)
            server.route("/a.png", .body(Data(text.utf8), headers: ["Cache-Control": "max-age=600"]))
            for _ in 0..<2 {
                let answer = await service.respond(to: ServiceRequest(target: target))
                #expect(answer.status == (isKept ? status : 415), "\(field)")
                #expect((answer.data == picture.data) == (answer.status == 200))
            }
            // Without an earlier result, it is no picture.
            let other = await service.respond(to: ServiceRequest(target: target.replacing("w:10", with: "w:11")))
            #expect(other.status == 415)
        }
    }

    /// A host that is an IPv6 address is fetched once, is read from the disk later, and is a target of redirects.
    @Test(arguments: [false, true])
    func sourcesOfAnIPv6AddressAreServed(allowsOnlyTheirHosts: Bool) async throws {
        let server = try FaultServer(host: "::1")
        defer { server.stop() }
        server.route("/a.png", .body(try PictureFixtures.quadrants(), headers: ["Cache-Control": "max-age=600"]))
        self.server.route("/moved.png", .redirect(to: server.url("/a.png").absoluteString))
        func allow(_ configuration: inout ServiceConfiguration) {
            configuration.allowedAddresses = ["127.0.0.0/8", "::1"]
            guard allowsOnlyTheirHosts else { return }
            configuration.allowedSources = [server.url("/").absoluteString, self.server.url("/").absoluteString]
        }
        var service = try self.service(allow)
        #expect(await get(service, "w:8", "/moved.png").status == 200)
        let source = server.url("/a.png").absoluteString
        for options in ["w:10", "w:11", "raw:1"] {
            let answer = await service.respond(to: ServiceRequest(target: "/_/\(options)/plain/\(source)"))
            #expect(answer.status == 200, "\(options): \(answer.text)")
            await service.shutdown()
            service = try self.service(allow)
        }
        // By the redirect and by its own URL.
        #expect(server.requestCount("/a.png") == 2)
    }

    /// The service refuses internal and special addresses, even in unusual spellings. It also refuses all schemes
    /// except http and https.
    @Test(arguments: [
        "http://169.254.169.254/latest/meta-data/", "http://10.0.0.1/", "http://172.16.0.1/", "http://192.168.1.1/",
        "http://100.64.0.1/", "http://0/", "http://0.0.0.0/", "http://255.255.255.255/", "http://224.0.0.1/",
        "http://127.0.0.1/", "http://127.0.0.1./", "http://0177.0.0.1/", "http://0x7f.1/", "http://017700000001/",
        "http://3232235777/", "http://[::]/", "http://[::1]/", "http://[::ffff:10.0.0.1]/", "http://[::ffff:a00:1]/",
        "http://[fe80::1]/", "http://[fd00::1]/", "http://[ff02::1]/", "http://[64:ff9b::a00:1]/",
        "http://[2002:a00:1::]/", "http://[::127.0.0.1]/", "http://198.18.0.1/", "http://192.0.2.1/",
        "http://user:pw%40127.0.0.1/", "http://a%40127.0.0.1/", "http://127.0.0.1%2523.example.com/",
        "file:///etc/passwd", "ftp://127.0.0.1/a", "gopher://127.0.0.1:70/_x", "dict://127.0.0.1:11211/stat",
        "data:image/png;base64,aaaa", "local:///etc/passwd", "unix:///run/a", "//127.0.0.1/", "http:///127.0.0.1/",
        "http:127.0.0.1",
    ])
    func sourcesThatReachIntoTheNetworkAreRefused(source: String) async throws {
        let strict = try service { $0.allowedAddresses = [] }
        for target in ["/_/w:1/plain/\(source)", "/info/_/plain/\(source)", "/_/raw:1/plain/\(source)"] {
            let response = await strict.respond(to: ServiceRequest(target: target))
            #expect([400, 403].contains(response.status), "\(target): \(response.status)")
            #expect(response.logEntry.sourceByteCount == nil)
        }
        #expect(server.connectionCount == 0)
    }

    @Test func sizesOfAFreshSourceShareOneRequest() async throws {
        let service = try service()
        for width in [10, 20, 30, 40] { #expect(await get(service, "w:\(width)").status == 200) }
        #expect(server.requestCount("/a.png") == 1)
        #expect(await get(service, "w:10").headers["Cache-Control"]?.hasPrefix("public, max-age=600") == true)
    }

    @Test func aRedirectToAHostThatIsNotAllowedIsNotFollowed() async throws {
        server.route("/away", .redirect(to: "http://localhost:\(server.port)/a.png"))
        server.route("/here", .redirect(to: "/a.png"))
        let service = try service { $0.allowedSources = ["http://127.0.0.1:\(server.port)/"] }
        #expect(await get(service, "w:10", "/away").status == 403)
        #expect(await get(service, "w:10", "/here").status == 200)
    }

    @Test func statusesAndLimitsOfSourcesAreMapped() async throws {
        server.route("/500", .status(500))
        server.route("/text", .body(Data("hello".utf8), type: "text/html"))
        server.route("/empty", .body(Data()))
        server.route("/zeros", .respond(FaultResponse(.zeros(100_000))))
        let service = try service { $0.maxSourceBytes = 50_000 }
        #expect(await get(service, "w:10", "/missing").status == 404)
        #expect(await get(service, "w:10", "/500").status == 502)
        #expect(await get(service, "w:10", "/text").status == 415)
        #expect(await get(service, "w:10", "/empty").status == 415)
        #expect(await get(service, "w:10", "/zeros").status == 413)
        let dead = "/_/w:1/plain/http://127.0.0.1:1/a.png"
        #expect(await service.respond(to: ServiceRequest(target: dead)).status == 502)
    }
}
