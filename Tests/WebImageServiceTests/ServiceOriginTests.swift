import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests unusual origins, fallback pictures, local files, purges of single targets, and the counters.
@Suite(.timeLimit(minutes: 2))
struct ServiceOriginTests {
    typealias Fix = PictureFixtures

    private static let refused = WebImageError(
        .transport, stage: .download, underlying: .curl(code: 7, message: "connection refused"))

    // MARK: Answers of origins

    /// A server may send a complete body with status 206 although no range was requested, or too many fields.
    @Test(arguments: ["/206", "/fields"])
    func unusableAnswerOfAnOriginIs502AndRemembered(path: String) async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let picture = try Fix.quadrants()
        server.route(
            "/206",
            .body(
                picture, status: 206,
                headers: ["Content-Range": "bytes 0-\(picture.count - 1)/\(picture.count)"]))
        let fields = Dictionary(
            uniqueKeysWithValues: (0..<200).map { ("X-Field-\($0)", String(repeating: "a", count: 10_000)) })
        server.route("/fields", .body(picture, headers: fields))
        let folder = try ScratchFolder()
        var configuration = ServiceConfiguration()
        configuration.cacheFolder = folder.url.path
        configuration.allowedAddresses = ["127.0.0.0/8"]
        let service = try ImageService(configuration: configuration)
        let request = ServiceRequest(target: "/_/w:10/plain/\(server.url(path).absoluteString)")
        let first = await service.respond(to: request)
        #expect(first.status == 502 && first.headers["Cache-Control"] == "public, max-age=10")
        let count = server.requestCount(path)
        let second = await service.respond(to: request)
        #expect(second.status == 502 && second.logEntry.outcome == .negative)
        #expect(server.requestCount(path) == count)
        await service.shutdown()
    }

    /// A success without a picture is a fault of the source's server, as its errors are.
    @Test func successWithoutAPictureIs502() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let picture = try Fix.quadrants()
        for status in [201, 202, 204, 205, 226] { server.route("/\(status)", .body(Data(), status: status)) }
        server.route("/202-picture", .body(picture, status: 202))
        server.route("/203", .body(picture, status: 203))
        server.route("/away", .redirect(to: server.url("/204").absoluteString))
        let folder = try ScratchFolder()
        let service = try ImageService(
            configuration: .with { ($0.cacheFolder, $0.allowedAddresses) = (folder.url.path, ["127.0.0.0/8"]) })
        for path in ["/201", "/202", "/204", "/205", "/226", "/202-picture", "/away"] {
            let url = server.url(path).absoluteString
            for target in ["/_/w:10/plain/\(url)", "/_/raw:1/plain/\(url)", "/info/_/plain/\(url)"] {
                let response = await service.respond(to: ServiceRequest(target: target))
                #expect(response.status == 502 && response.logEntry.reason == "upstreamStatus", "\(target)")
                if path != "/away" { #expect(response.text.contains("answered \(path.dropFirst().prefix(3))")) }
            }
        }
        let transformed = ServiceRequest(target: "/_/w:10/plain/\(server.url("/203").absoluteString)")
        #expect(await service.respond(to: transformed).status == 200)
        await service.shutdown()
    }

    /// A target must not name a user, and a redirect must not do so instead. An empty user is none, as in browsers.
    @Test(arguments: ["user@", "user:secret@"])
    func redirectToAURLWithAUserIsRefused(user: String) async throws {
        let server = try FaultServer()
        defer { server.stop() }
        server.route("/a.png", .body(try Fix.quadrants()))
        server.route("/away", .redirect(to: "http://\(user)127.0.0.1:\(server.port)/a.png"))
        let folder = try ScratchFolder()
        let service = try ImageService(
            configuration: .with { ($0.cacheFolder, $0.allowedAddresses) = (folder.url.path, ["127.0.0.0/8"]) })
        let url = server.url("/away").absoluteString
        for target in ["/_/w:10/plain/\(url)", "/_/raw:1/plain/\(url)", "/info/_/plain/\(url)"] {
            let response = await service.respond(to: ServiceRequest(target: target))
            #expect(response.status == 403 && response.logEntry.reason == "source", "\(target)")
        }
        #expect(server.requestCount("/away") > 0 && server.requestCount("/a.png") == 0)
        await service.shutdown()
    }

    /// A request after a purge does not join the download that began before it.
    @Test func purgeWhileAFetchRunsHoldsForLaterRequests() async throws {
        let server = try FaultServer()
        defer { server.stop() }
        let gate = FaultGate()
        let folder = try ScratchFolder()
        let service = try ImageService(
            configuration: .with {
                ($0.cacheFolder, $0.allowedAddresses) = (folder.url.path, ["127.0.0.0/8"])
                $0.purgeTokens = ["word"]
            })
        let (old, new) = (try Fix.png(4, 4) { _, _ in Fix.red }, try Fix.png(4, 4) { _, _ in Fix.blue })
        server.route("/a.png", .gated(gate, .body(old)))
        let url = server.url("/a.png").absoluteString
        let request = ServiceRequest(target: "/_/raw:1/plain/\(url)")
        let first = Task { await service.respond(to: request) }
        #expect(await eventually { server.requestCount("/a.png") == 1 })
        server.route("/a.png", .body(new))
        let purge = ServiceRequest(
            method: "POST", target: "/purge?source=\(url)", headers: ["Authorization": "Bearer word"])
        #expect(await service.respondToOperator(purge).status == 200)
        #expect(await service.respond(to: request).data == new)
        gate.open()
        #expect(await first.value.data == old && server.requestCount("/a.png") == 2)
        #expect(await service.respond(to: request).data == new)
        await service.shutdown()
    }

    // MARK: Fallback pictures

    private func fallbackBench(
        _ configure: (inout ServiceConfiguration) -> Void = { _ in }
    ) throws -> (bench: ServiceBench, folder: ScratchFolder) {
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("fallback.png")
        try Fix.png(30, 30) { _, _ in Fix.blue }.write(to: path)
        let bench = try ServiceBench {
            $0.fallback = path.path
            configure(&$0)
        }
        bench.server.fail(ServiceBench.url, Self.refused)
        return (bench, folder)
    }

    @Test func fallbackPictureIsMadeOnceAndThenStored() async throws {
        let (bench, folder) = try fallbackBench()
        defer { withExtendedLifetime(folder) {} }
        let first = await bench.picture("w:10/f:png")
        #expect(first.status == 200 && first.logEntry.reason == "upstream" && first.logEntry.stages[.encode] != nil)
        #expect(first.headers["Cache-Control"] == "public, max-age=10")
        bench.clock.advance(by: .seconds(30))
        let second = await bench.picture("w:10/f:png")
        #expect(second.status == 200 && second.data == first.data && second.logEntry.outcome == .memory)
        #expect(second.logEntry.stages[.encode] == nil && second.logEntry.reason == "upstream")
        #expect(second.headers["ETag"] == first.headers["ETag"])
        // Another failed source shares the stored fallback picture.
        let other = await bench.get("/_/w:10/f:png/plain/http://example.com/missing.png")
        #expect(other.status == 200 && other.logEntry.outcome == .memory && other.logEntry.reason == "upstreamStatus")
    }

    @Test func fallbackPicturesBeingMadeCountInTheQueue() async throws {
        let (bench, folder) = try fallbackBench {
            ($0.queue, $0.queuePerHost, $0.resultMemoryBytes, $0.resultCacheBytes) = (1, 1, 0, 0)
        }
        defer { withExtendedLifetime(folder) {} }
        #expect(await bench.picture("w:11/f:png").status == 200)
        bench.server.answer("http://example.com/slow", try Fix.quadrants())
        bench.server.close()
        let slow = Task { await bench.get("/_/w:10/plain/http://example.com/slow") }
        #expect(await eventually { bench.service.provider.limiter.workCount == 1 })
        // The failure is remembered, so no fetch is needed. The fallback is not stored, and the queue is full.
        let full = await bench.picture("w:11/f:png")
        #expect(full.status == 502 && full.logEntry.reason == "upstream")
        bench.server.open()
        #expect(await slow.value.status == 200)
        #expect(await bench.picture("w:11/f:png").status == 200)
    }

    @Test(arguments: [100, 101, 204, 206, 301, 304, 399])
    func fallbackStatusWithoutABodyIsRefusedAtTheStart(status: Int) {
        #expect { try ServiceBench { $0.fallbackStatus = status } } throws: {
            ($0 as? ConfigurationError)?.name == "fallback-status"
        }
    }

    /// A failure must not look like a part of a picture, or like the picture that the client has.
    @Test(arguments: [(0, 502), (404, 404), (203, 203), (200, 200)])
    func fieldsOfConditionsAndRangesApplyOnlyToStatus200(row: (setting: Int, status: Int)) async throws {
        let (bench, folder) = try fallbackBench { $0.fallbackStatus = row.setting }
        defer { withExtendedLifetime(folder) {} }
        let whole = await bench.picture("w:10/f:png")
        #expect(whole.status == row.status)
        let part = await bench.picture("w:10/f:png", ["Range": "bytes=0-3"])
        #expect(part.status == (row.status == 200 ? 206 : row.status))
        #expect(part.data.count == (row.status == 200 ? 4 : whole.data.count))
        let tag = try #require(whole.headers["ETag"])
        let same = await bench.picture("w:10/f:png", ["If-None-Match": tag])
        #expect(same.status == (row.status == 200 ? 304 : row.status))
        #expect(
            await bench.picture("w:10/f:png", ["Range": "bytes=9999999-"]).status
                == (row.status == 200 ? 416 : row.status))
    }

    @Test func fallbackAndWatermarkMustBePictures() throws {
        let folder = try ScratchFolder()
        let text = folder.url.appendingPathComponent("text.png")
        try Data("not a picture".utf8).write(to: text)
        let cut = folder.url.appendingPathComponent("cut.png")
        try Fix.encoded(try TestImages.noise(width: 60, height: 60), .png).prefix(2000).write(to: cut)
        let good = folder.url.appendingPathComponent("good.png")
        try Fix.quadrants().write(to: good)
        for path in [text.path, cut.path, folder.url.path, "/nonexistent"] {
            #expect { try ServiceBench { $0.fallback = path } } throws: {
                ($0 as? ConfigurationError)?.name == "fallback"
            }
            #expect { try ServiceBench { $0.watermark = path } } throws: {
                ($0 as? ConfigurationError)?.name == "watermark"
            }
        }
        let bench = try ServiceBench { ($0.fallback, $0.watermark, $0.fallbackStatus) = (good.path, good.path, 404) }
        #expect(throws: ConfigurationError.self) {
            try bench.service.reload(.with { $0.watermark = text.path })
        }
    }

    // MARK: Local files

    @Test func replacedLocalFileIsUsedAtOnce() async throws {
        let folder = try ScratchFolder()
        let file = folder.url.appendingPathComponent("a.png")
        try Fix.png(40, 30) { _, _ in Fix.red }.write(to: file)
        let bench = try ServiceBench { $0.root = folder.url.path }
        let target = "/_/w:8/f:png/plain/local:///a.png"
        func shows(_ color: Fix.Pixel, _ target: String = target) async throws -> Bool {
            let response = bench.service.respondFromMemory(to: ServiceRequest(target: target))
            let data: Data
            if let response { data = response.data } else { data = await bench.get(target).data }
            let image = try ImageCodersManager.shared.decode(data, options: DecodingOptions())
            return Look(image: image).shows(color, 1, 1)
        }
        for _ in 0..<3 { #expect(try await shows(Fix.red)) }
        #expect(await bench.get(target).logEntry.outcome == .memory)
        // A new file takes the name of the old file. Its times are those of the old file.
        let other = folder.url.appendingPathComponent("b.png")
        try Fix.png(40, 30) { _, _ in Fix.blue }.write(to: other)
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        try FileManager.default.setAttributes(
            [.modificationDate: attributes[.modificationDate] as Any], ofItemAtPath: other.path)
        #expect(rename(other.path, file.path) == 0)
        #expect(try await shows(Fix.blue))
        #expect(try await shows(Fix.blue, "/_/raw:1/plain/local:///a.png"))
        // The file is written in place.
        try Fix.png(40, 30) { _, _ in Fix.green }.write(to: file, options: [])
        #expect(try await shows(Fix.green))
        // A missing file is a failure, and its return is noticed.
        try FileManager.default.moveItem(at: file, to: other)
        #expect(await bench.get(target).status == 404)
        #expect(await bench.get("/info/_/plain/local:///a.png").status == 404)
        try FileManager.default.moveItem(at: other, to: file)
        #expect(try await shows(Fix.green))
        #expect(await bench.get("/info/_/plain/local:///a.png").status == 200)
    }

    // MARK: Purges

    private func purge(_ bench: ServiceBench, _ target: String) async -> Int {
        let encoded = target.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return await bench.service.respondToOperator(
            ServiceRequest(
                method: "POST", target: "/purge?target=\(encoded)", headers: ["Authorization": "Bearer t"])
        ).status
    }

    @Test(arguments: [
        "/img/_/w:10/plain/http://example.com/photo.png@png", "/img/_/w:10/aHR0cDovL2V4YW1wbGUuY29tL3Bob3RvLnBuZw",
        "/img/t/unsafe/10x8/example.com/photo.png", "/img/t/unsafe/meta/10x8/example.com/photo.png",
        "/img/info/_/plain/http://example.com/photo.png", "/img/_/w:10/plain/http://example.com/photo.png?v=1",
        "/img/_/w:10/plain/http%3A//example.com/photo%2Epng",
        "/img/_/exp:1700000050/plain/http://example.com/photo.png",
    ]) func everyServedTargetCanBePurged(target: String) async throws {
        let bench = try ServiceBench { ($0.purgeTokens, $0.pathPrefix, $0.thumborPrefix) = (["t"], "/img", "/t") }
        #expect(await bench.get(target).logEntry.outcome == .made)
        #expect(await bench.get(target).logEntry.outcome == .memory)
        #expect(await purge(bench, target) == 200)
        #expect(await bench.get(target).logEntry.outcome == .made)
        #expect(await purge(bench, "https://images.example" + target) == 200)
        #expect(await bench.get(target).logEntry.outcome == .made)
        // An expired target can still be purged.
        bench.clock.advance(by: .seconds(1000))
        #expect(await purge(bench, target) == 200)
    }

    /// A target below /imgfoo is not below /img.
    @Test(arguments: ["/imgfoo/_/w:10/plain/\(ServiceBench.url)", "/img_/w:10/plain/\(ServiceBench.url)", "/img", "/"])
    func targetThatIsNotServedCannotBePurged(target: String) async throws {
        let bench = try ServiceBench { ($0.purgeTokens, $0.pathPrefix) = (["t"], "/img") }
        #expect(await bench.get(target).status != 200 || target == "/img")
        #expect(await purge(bench, target) == 400)
    }

    @Test func purgeOfATargetReachesRawSourcesAndResultsForHints() async throws {
        let bench = try ServiceBench { ($0.purgeTokens, $0.usesClientHints) = (["t"], true) }
        let target = "/_/w:10/f:png/plain/\(ServiceBench.url)"
        #expect(await bench.get(target, ["DPR": "2"]).logEntry.outcome == .made)
        #expect(await purge(bench, target) == 200)
        #expect(await bench.get(target, ["DPR": "2"]).logEntry.outcome == .made)
        let raw = "/_/raw:1/plain/\(ServiceBench.url)"
        _ = await bench.get(raw)
        bench.server.answer(ServiceBench.url, try Fix.png(4, 4) { _, _ in Fix.red })
        #expect(await purge(bench, raw) == 200)
        #expect(await bench.get(raw).data == (try Fix.png(4, 4) { _, _ in Fix.red }))
        #expect(await purge(bench, "/_/w:x/plain/\(ServiceBench.url)") == 400)
        #expect(await purge(bench, "w:1") == 400)
    }

    // MARK: Counters

    private func metrics(_ bench: ServiceBench) async -> String {
        await bench.service.respondToOperator(ServiceRequest(target: "/metrics")).text
    }

    @Test func onlyWholePicturesCountAsResults() async throws {
        let bench = try ServiceBench()
        let etag = try #require(await bench.picture("w:40/f:png").headers["ETag"])
        #expect(await metrics(bench).contains("webimage_results_total{format=\"png\"} 1"))
        #expect(await bench.picture("w:40/f:png", ["If-None-Match": etag]).status == 304)
        #expect(await bench.picture("w:40/f:png", ["Range": "bytes=0-3"]).status == 206)
        #expect(await bench.picture("w:40/f:png", ["Range": "bytes=99999999-"]).status == 416)
        _ = await bench.get("/_/w:40/f:png/plain/\(ServiceBench.url)", method: "HEAD")
        _ = await bench.get("/info/_/plain/\(ServiceBench.url)")
        #expect(await metrics(bench).contains("webimage_results_total{format=\"png\"} 1"))
        _ = await bench.picture("w:40/f:png")
        #expect(await metrics(bench).contains("webimage_results_total{format=\"png\"} 2"))
    }

    /// The work for AVIF runs in the background, so that it continues if the request no longer waits for it.
    @Test func firstRequestForAVIFMadeTheResult() async throws {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared])
        let bench = try ServiceBench(coders: coders) { ($0.offersAVIF, $0.avifBudget) = (true, 60_000) }
        for width in [40, 50, 60] {
            let response = await bench.picture("w:\(width)", ["Accept": "image/avif"])
            #expect(response.headers["Content-Type"] == "image/avif")
            #expect(response.logEntry.outcome == .made, "\(width)")
            #expect(response.logEntry.stages[.encode] != nil && response.logEntry.sourceByteCount != nil)
        }
        // Of concurrent requests, one made the result and the others joined.
        bench.server.answer("http://example.com/other.png", try Fix.png(64, 64) { _, _ in Fix.red })
        bench.server.close()
        async let first = bench.get("/_/w:32/plain/http://example.com/other.png", ["Accept": "image/avif"])
        async let second = bench.get("/_/w:32/plain/http://example.com/other.png", ["Accept": "image/avif"])
        #expect(await eventually { bench.service.provider.subscriberCount == 3 })
        bench.server.open()
        let outcomes = await [first, second].map(\.logEntry.outcome.rawValue).sorted()
        #expect(outcomes == ["joined", "made"])
    }

    // MARK: Health

    @Test(arguments: ["/health", "/healthz", "/readyz", "/img/health", "/img/healthz", "/img/readyz"])
    func healthIsAnsweredWithAndWithoutThePrefix(path: String) async throws {
        let bench = try ServiceBench { $0.pathPrefix = "/img" }
        #expect(await bench.get(path).status == 200)
        bench.service.announceDraining()
        #expect(await bench.get(path).status == (path.hasSuffix("readyz") ? 503 : 200))
        #expect(await bench.get("/other" + path).status == 404)
    }
}
