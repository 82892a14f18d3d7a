import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageS3
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Several processes of `webimage serve` with caches of their own and common tiers.
@Suite(.serialized, .timeLimit(minutes: 5)) struct ServeTiersTests {
    private let origin: FaultServer
    /// The cache folders of the services.
    private let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    /// Serves different pictures under `/0.png`, `/1.png` …
    private func route(_ count: Int, offset: Int = 0, headers: [String: String] = ["Cache-Control": "max-age=3600"])
        throws
    {
        for number in 0..<count {
            let level = UInt8(truncatingIfNeeded: (number + offset) * 2)
            let image = try TestImages.solid(
                width: 8 + number % 7, height: 8, blue: UInt8(number % 100), green: 255 - level, red: level)
            let data = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            origin.route("/\(number).png", .body(data, headers: headers))
        }
    }

    private func target(_ number: Int) -> String {
        "/_/rs:fit:4:4/f:png/plain/\(origin.url("/\(number).png").absoluteString)"
    }

    private func service(
        tiers: [String], environment: [String: String] = [:], further: [String] = []
    ) async throws -> RunningService {
        // On a busy machine, a debug build would refuse work that waits for a processor. That is no fault of a tier.
        var arguments = ["--access-log", "none", "--admin", "127.0.0.1:0", "--queue-wait", "0"] + further
        for tier in tiers { arguments += ["--tier", tier] }
        let folder = try ScratchFolder()
        folders.withLock { $0.append(folder) }
        return try await RunningService(arguments, in: folder, environment: environment)
    }

    private func metrics(_ service: RunningService) async throws -> String {
        let admin = try service.admin
        return try await onThread { try RawClient(admin).get("/metrics").text }
    }

    /// The number of pictures that a service has answered with an origin such as `made`.
    private func answers(_ service: RunningService, _ outcome: String) async throws -> Int {
        try await metrics(service).split(separator: "\n").filter {
            $0.hasPrefix("webimage_requests_total{route=\"imgproxy\",outcome=\"\(outcome)\"")
        }.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// Sends requests from several clients to all services, and checks that each picture has one form everywhere.
    ///
    /// - Returns: The answers that are not the picture.
    private func load(
        _ services: [RunningService], requests: Int, pictures: Int, clients: Int = 16, forms: Locked<[Int: Data]>
    ) async throws -> [String] {
        let addresses = try services.map { try $0.address }
        let targets = (0..<pictures).map(target)
        return try await withThrowingTaskGroup(of: [String].self) { group in
            for client in 0..<clients {
                group.addTask {
                    try await onThread {
                        let connections = try addresses.map { try RawClient($0) }
                        var wrong: [String] = []
                        for request in 0..<(requests / clients) {
                            // Every picture comes from every client, on every service.
                            let picture = (request / addresses.count + client * 7) % pictures
                            let answer = try connections[request % addresses.count].get(targets[picture])
                            let form = forms.withLock { forms -> Data in
                                if forms[picture] == nil, answer.status == 200 { forms[picture] = answer.body }
                                return forms[picture] ?? Data()
                            }
                            guard answer.status != 200 || answer.body != form || form.isEmpty else { continue }
                            let text = answer.status == 200 ? "\(answer.body.count) B" : answer.text
                            wrong.append("\(picture): \(answer.status) \(text), not \(form.count) B")
                        }
                        return wrong
                    }
                }
            }
            return try await group.reduce([], +)
        }
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func twoServicesFetchAndRenderEachPictureOnce() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(100)
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=5000"]
        let first = try await service(tiers: tier)
        let second = try await service(tiers: tier)
        let forms = Locked([Int: Data]())
        #expect(try await load([first, second], requests: 10_000, pictures: 100, forms: forms) == [])
        #expect(origin.requests.count == 100)
        #expect(try await answers(first, "made") + answers(second, "made") == 100)
        #expect(Set(forms.withLock { Array($0.values) }).count > 50)
        first.stop()
        second.stop()
        let third = try await service(tiers: tier)
        defer { third.stop() }
        #expect(try await load([third], requests: 200, pictures: 100, clients: 2, forms: forms) == [])
        #expect(origin.requests.count == 100)
        #expect(try await answers(third, "made") == 0)
        #expect(try await answers(third, "tier") == 100)
        // The third service has no source. It makes a new result from the source of the tier.
        let small = target(6).replacing("rs:fit:4:4", with: "rs:fit:2:2")
        #expect(try await third.get(small).status == 200)
        #expect(try await answers(third, "made") == 1 && origin.requests.count == 100)
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func privateAndUnstorableSourcesReachNoTier() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=5000"]
        for (number, headers) in [
            ["Cache-Control": "private, max-age=60"], ["Cache-Control": "no-store"],
            ["Cache-Control": "max-age=60", "Set-Cookie": "a=b"], ["Cache-Control": "max-age=60", "Vary": "Cookie"],
            ["Cache-Control": "no-cache"],
        ].enumerated() {
            try route(number + 1, headers: headers)
            let large = target(number)
            let small = large.replacing("rs:fit:4:4", with: "rs:fit:2:2")
            let first = try await service(tiers: tier)
            #expect(try await first.get(large).status == 200)
            // This result is made from the source on the disk, if the source may be stored there.
            #expect(try await first.get(small).status == 200)
            // The end of a service waits for its writes.
            first.stop()
            let fetched = origin.requests.count
            for target in [large, small] {
                let second = try await service(tiers: tier)
                #expect(try await second.get(target).status == 200)
                #expect(try await answers(second, "made") == 1, "\(headers)")
                second.stop()
            }
            #expect(origin.requests.count == fetched + 2, "\(headers)")
        }
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func unsharedSourceAsksTheTierOnce() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1, headers: ["Cache-Control": "no-store"])
        let service = try await service(tiers: ["valkey://127.0.0.1:\(server.port)?budget=5000"])
        defer { service.stop() }
        func reads() async throws -> Substring? {
            try await metrics(service).split(separator: "\n").first { $0.hasPrefix("webimage_tier_reads_total{") }
        }
        #expect(try await service.get(target(0)).status == 200)
        let before = try #require(try await reads())
        for _ in 0..<5 { #expect(try await service.get(target(0)).status == 200) }
        #expect(try await reads() == before)
        #expect(origin.requests.count == 6)
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func purgeReachesTheOtherServicesWithinASecond() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(2)
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=5000"]
        let token = ["WEBIMAGE_PURGE_TOKEN": "secret"]
        let first = try await service(tiers: tier, environment: token)
        let second = try await service(tiers: tier, environment: token)
        defer { first.stop() }
        defer { second.stop() }
        var old = try await first.get(target(0)).body
        let kept = try await second.get(target(1)).body
        #expect(try await second.get(target(0)).body == old)
        // The second purge follows at once, from a service that has not received the first one.
        for (number, from, other, query) in [
            (0, first, second, "source=\(origin.url("/0.png").absoluteString)"),
            (1, second, first, "source=\(origin.url("/0.png").absoluteString)"),
            (2, first, second, "target=\(target(0))"),
        ] {
            try route(2, offset: 30 * (number + 1))
            #expect(try await purge(query, at: from) == "purged\n")
            let new = try await from.get(target(0)).body
            #expect(new != old, "purge \(number)")
            old = new
            if number == 0 { continue }
            let start = ContinuousClock.now
            while try await other.get(target(0)).body != new {
                guard ContinuousClock.now - start < Sanitizer.time(.seconds(10)) else { break }
            }
            // A second, and the time of one request.
            #expect(ContinuousClock.now - start < Sanitizer.time(.milliseconds(1500)), "purge \(number)")
        }
        #expect(try await second.get(target(1)).body == kept)
    }

    private func purge(_ query: String, at service: RunningService) async throws -> String {
        let parts = query.split(separator: "=", maxSplits: 1)
        let value = try #require(parts[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let admin = try service.admin
        return try await onThread {
            try RawClient(admin).get(
                "/purge?\(parts[0])=\(value)", method: "POST", further: "Authorization: Bearer secret\r\n"
            ).text
        }
    }

    /// A server that loses its memory also loses the numbers of purges. The services store them there again.
    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func purgeOutlivesTheTiersMemory() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1)
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=5000"]
        let token = ["WEBIMAGE_PURGE_TOKEN": "secret"]
        let first = try await service(tiers: tier, environment: token)
        defer { first.stop() }
        let old = try await first.get(target(0)).body
        server.kill()
        try route(1, offset: 30)
        let answer = try await purge("source=\(origin.url("/0.png").absoluteString)", at: first)
        #expect(answer == "purged without valkey\n")
        #expect(try await first.get(target(0)).body != old)
        try server.start()
        // The first service stores the number when it asks for it again, and then results under this number.
        var found = 0
        for size in 10..<60 where found == 0 {
            let next = target(0).replacing("rs:fit:4:4", with: "rs:force:\(size):4/el:1")
            #expect(try await first.get(next).status == 200)
            let second = try await service(tiers: tier)
            #expect(try await second.get(next).status == 200)
            found = try await answers(second, "tier")
            second.stop()
        }
        #expect(found == 1)
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func failingTierCostsNoAnswerAndNoWrongPicture() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(300)
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=50"]
        let first = try await service(tiers: tier)
        let second = try await service(tiers: tier)
        defer { first.stop() }
        defer { second.stop() }
        let forms = Locked([Int: Data]())
        async let wrong = load([first, second], requests: 6_000, pictures: 300, forms: forms)
        try await eventually("requests arrive") { origin.requests.count > 40 }
        server.kill()
        try await eventually("requests arrive without the tier") { origin.requests.count > 80 }
        try server.start()
        try await eventually("requests arrive with an empty tier") { origin.requests.count > 120 }
        server.pause()
        try await eventually("requests arrive while the tier is silent") { origin.requests.count > 200 }
        server.resume()
        let answers = try await wrong
        #expect(answers.isEmpty, "\(answers.count): \(answers.prefix(5))")
        server.kill()
        // Readiness names the tier, and the service stays ready.
        for number in 0..<40 { _ = try await first.get(target(number) + "?\(number)") }
        let ready = try await first.get("/readyz")
        #expect(ready.status == 200 && ready.text.contains("without valkey"), "\(ready.text)")
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func machineThatHoldsALeaseAndHangsOrDiesCostsOthersOnlyTime() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = ["valkey://127.0.0.1:\(server.port)?budget=5000"]
        let first = try await service(tiers: tier, further: ["--decode-timeout", "4"])
        let second = try await service(tiers: tier, further: ["--decode-timeout", "4"])
        defer { second.stop() }
        func hold(_ number: Int) async throws -> Task<Int, Never> {
            origin.route("/\(number).png", .hang)
            let count = origin.requests.count
            let holder = Task { (try? await first.get(target(number)).status) ?? 0 }
            try await eventually("the first service fetches") { origin.requests.count > count }
            return holder
        }
        // The wait for the other machine is part of the request's time.
        let hanging = try await hold(0)
        let start = ContinuousClock.now
        #expect(try await second.get(target(0)).status == 504)
        #expect(ContinuousClock.now - start < Sanitizer.time(.milliseconds(5500)))
        #expect(await hanging.value == 504)
        let dying = try await hold(1)
        try route(2)
        first.stop(SIGKILL)
        let death = ContinuousClock.now
        #expect(try await second.get(target(1)).status == 200)
        // The lease ends after a second.
        #expect(ContinuousClock.now - death < Sanitizer.time(.milliseconds(1900)))
        #expect(await dying.value == 0)
    }

    @Test(.enabled(if: SeaweedServer.isAvailable, "SeaweedFS is not installed (Scripts/setup tiers)"))
    func bucketServesLaterServices() async throws {
        let server = try SeaweedServer()
        defer { server.stop() }
        var configuration = try S3Configuration(bucket: "pictures", endpoint: server.endpoint)
        configuration.credentials = .fixed(S3Credentials(keyID: server.keyID, secret: server.secret))
        let client = S3Client(configuration)
        defer { client.shutDown() }
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(40))
        while case .failure = await client.makeBucket(within: .seconds(2)), ContinuousClock.now < deadline {}
        // The first object of a bucket takes seconds.
        _ = await client.put(Data([1]), at: "first", within: .seconds(20))
        try route(20)
        let tier = ["s3://pictures/cache?endpoint=\(server.endpoint)&budget=5000"]
        let keys = ["AWS_ACCESS_KEY_ID": server.keyID, "AWS_SECRET_ACCESS_KEY": server.secret]
        let forms = Locked([Int: Data]())
        let first = try await service(tiers: tier, environment: keys)
        let second = try await service(tiers: tier, environment: keys)
        #expect(try await load([first, second], requests: 400, pictures: 20, clients: 4, forms: forms) == [])
        #expect((20...40).contains(origin.requests.count))
        // The end of a service waits for its writes.
        first.stop()
        second.stop()
        let fetched = origin.requests.count
        let third = try await service(tiers: tier, environment: keys)
        defer { third.stop() }
        #expect(try await load([third], requests: 40, pictures: 20, clients: 2, forms: forms) == [])
        #expect(origin.requests.count == fetched)
        #expect(try await answers(third, "made") == 0)
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func commandLoadsFromATierAndSharesNothingPrivate() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = ["--tier", "valkey://127.0.0.1:\(server.port)?budget=5000"]
        func load(_ further: [String] = []) throws -> Tool.Outcome {
            let folder = try ScratchFolder()
            let run = try Tool.run(
                ["load", "--json", "--cache", folder.url.path] + tier + further
                    + [origin.url("/0.png").absoluteString])
            #expect(run.code == 0, "\(run.errors)")
            return run
        }
        try route(1)
        let first = try #require(try load().objects().first)
        let second = try #require(try load().objects().first)
        #expect(origin.requests.count == 1)
        #expect(first["bytes"] as? Int == second["bytes"] as? Int && first["width"] as? Int == second["width"] as? Int)
        // A request with credentials neither reads nor fills the tier.
        _ = try load(["--header", "Authorization: Bearer alice"])
        #expect(origin.requests.count == 2)
        for headers in [["Cache-Control": "private, max-age=60"], ["Cache-Control": "no-store"], [:]] {
            try route(1, headers: headers)
            let before = origin.requests.count
            // Another query is another picture.
            let url = origin.url("/0.png?\(before)").absoluteString
            for _ in 0..<2 {
                let folder = try ScratchFolder()
                #expect(try Tool.run(["load", "--cache", folder.url.path] + tier + [url]).code == 0)
            }
            #expect(origin.requests.count == before + 2, "\(headers)")
        }
    }

    @Test(.enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed"))
    func commandReportsWhetherTiersWork() throws {
        let server = try ValkeyServer()
        let address = "valkey://127.0.0.1:\(server.port)"
        for action in ["stats", "verify"] {
            let run = try Tool.run(["cache", action, "--tier", address])
            #expect(run.code == 0 && run.output.contains("valkey"), "\(run.output)\(run.errors)")
        }
        #expect(try Tool.run(["cache", "clear", "--tier", address]).code == 1)
        server.stop()
        for action in ["stats", "verify"] { #expect(try Tool.run(["cache", action, "--tier", address]).code == 2) }
    }

    @Test func addressesOfTiersAreChecked() throws {
        for (address, hint) in [
            ("ftp://host", "scheme"), ("valkey://user:word@host", "tier-password"), ("s3://ab", "bucket"),
            ("valkey://host?budget=0", "budget"), ("valkey://host?x=1", "parameters"), ("nothing", "URL"),
        ] {
            let run = try Tool.run(["serve", "--check-config", "--tier", address])
            #expect(run.code == 1 && run.errors.contains(hint), "\(address): \(run.errors)")
            #expect(!run.errors.contains("word@"))
        }
    }
}
