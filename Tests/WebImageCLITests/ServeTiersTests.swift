import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageS3
import WebImageServerTesting
import WebImageTestTraits
import WebImageTesting

/// Several processes of `webimage serve` with caches of their own and common tiers.
@Suite(.serialized, .timeLimit(minutes: isLongRun ? 60 : 5)) struct ServeTiersTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    @Test(.needsValkey) func twoServicesFetchAndRenderEachPictureOnce() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(100)
        let tier = [server.address]
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

    @Test(.needsValkey) func privateAndUnstorableSourcesReachNoTier() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = [server.address]
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

    @Test(.needsValkey) func unsharedSourceAsksTheTierOnce() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1, headers: ["Cache-Control": "no-store"])
        let service = try await service(tiers: [server.address])
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

    @Test(.needsValkey) func purgeReachesTheOtherServicesWithinASecond() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(2)
        let tier = [server.address]
        let first = try await service(tiers: tier, environment: purgeToken)
        let second = try await service(tiers: tier, environment: purgeToken)
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

    /// Of 1,000 results (100,000 in a long run) on three services, those with one tag are made again everywhere within a
    /// second, and all others are not.
    @Test(.needsValkey) func tagPurgeReachesThreeServicesWithinASecondAndChangesNothingElse() async throws {
        let (results, tags) = (isLongRun ? 100_000 : 1_000, 100)
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(10)
        let tier = [server.address]
        let further = ["--isolation", "none", "--result-memory", "400000000", "--max-requests-per-client", "1000"]
        var services: [RunningService] = []
        for _ in 0..<3 { services.append(try await service(tiers: tier, environment: purgeToken, further: further)) }
        defer { for service in services { service.stop() } }
        let targets = (0..<results).map { number in
            target(number % 10).replacing("/f:png/", with: "/f:png/cb:\(number)/ct:shop:tag-\(number % tags)/")
        }
        let all = Array(0..<results), purged = all.filter { $0 % tags == 7 }
        let old = try await bodies(targets, all, services)
        #expect(old.errors == [] && Set(old.bodies.values).count == 10)
        // Each service now has all results in its memory.
        try route(10, offset: 60)
        #expect(try await purge("tag=tag-7", at: services[1]) == "purged\n")
        let start = ContinuousClock.now
        for service in services {
            while try await service.get(targets[purged[0]]).body == old.bodies[purged[0]] {
                guard ContinuousClock.now - start < Sanitizer.time(.seconds(10)) else { break }
            }
            #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(1)))
        }
        let new = try await bodies(targets, purged, services)
        #expect(new.errors == [] && new.bodies.allSatisfy { $0.value != old.bodies[$0.key] })
        let kept = try await bodies(targets, all.filter { $0 % tags != 7 }, services)
        #expect(kept.errors == [] && kept.bodies.allSatisfy { $0.value == old.bodies[$0.key] })
        #expect(kept.bodies.count == results - purged.count)
        // The command reaches the services by the tier, without a connection to them.
        try route(10, offset: 30)
        let folder = try ScratchFolder()
        let run = try await onThread {
            try Tool.run(
                ["cache", "purge", "--tag", "--tier", tier[0], "tag-8", "none"],
                environment: ["WEBIMAGE_CACHE_DIR": folder.url.path])
        }
        #expect(run.code == 0 && run.output.contains("tag-8: purged"), "\(run.output) \(run.errors)")
        for service in services {
            try await wait(until: "the purge of the command arrives") {
                try await service.get(targets[8]).body != old.bodies[8]
            }
        }
        #expect(try await services[0].get(targets[9]).body == old.bodies[9])
    }

    /// The bodies of results by their number, and the answers that are no picture or differ between the services.
    private func bodies(
        _ targets: [String], _ numbers: [Int], _ services: [RunningService]
    ) async throws -> (bodies: [Int: Data], errors: [String]) {
        let addresses = try services.map { try $0.address }
        let clients = 8
        return try await withThrowingTaskGroup(of: ([Int: Data], [String]).self) { group in
            for client in 0..<clients {
                group.addTask {
                    try await onThread {
                        let connections = try addresses.map { try RawClient($0) }
                        var (bodies, errors) = ([Int: Data](), [String]())
                        for index in stride(from: client, to: numbers.count, by: clients) {
                            let number = numbers[index]
                            for connection in connections {
                                let answer = try connection.get(targets[number])
                                if answer.status != 200 { errors.append("\(number): \(answer.status) \(answer.text)") }
                                if let known = bodies[number], known != answer.body {
                                    errors.append("\(number) differs")
                                }
                                bodies[number] = answer.body
                            }
                        }
                        return (bodies, errors)
                    }
                }
            }
            return try await group.reduce(into: ([:], [])) { all, part in
                all.0.merge(part.0) { $1 }
                all.1 += part.1
            }
        }
    }

    @Test(.needsValkey) func tagOfTheOriginIsPurgedSoftlyWithOneFetchForAllMachines() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let headers = ["Cache-Control": "max-age=3600", "Surrogate-Key": "shop", "ETag": "\"1\""]
        try route(2, headers: headers)
        let tier = [server.address]
        let services = [
            try await service(tiers: tier, environment: purgeToken),
            try await service(tiers: tier, environment: purgeToken),
        ]
        defer { for service in services { service.stop() } }
        var old = Data()
        for service in services { old = try await service.get(target(0)).body }
        let fetched = origin.requests.count
        #expect(fetched == 1)
        try route(2, offset: 60, headers: headers)
        #expect(try await purge("tag=shop", isSoft: true, at: services[0]) == "purged\n")
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(30))
        var waiting = services
        while !waiting.isEmpty, ContinuousClock.now < deadline {
            var still: [RunningService] = []
            for service in waiting {
                let answer = try await service.get(target(0))
                #expect(answer.status == 200)
                if answer.body == old { still.append(service) }
            }
            waiting = still
        }
        #expect(waiting.isEmpty)
        #expect(origin.requests.count == fetched + 1)
    }

    /// A purge that no tier could receive is sent when the tier is back.
    @Test(.needsValkey) func tagPurgeWithoutATierArrivesWhenTheTierIsBack() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1, headers: ["Cache-Control": "max-age=3600", "Cache-Tag": "shop"])
        let tier = [server.address]
        let first = try await service(tiers: tier, environment: purgeToken)
        let second = try await service(tiers: tier, environment: purgeToken)
        defer { first.stop() }
        defer { second.stop() }
        let old = try await first.get(target(0)).body
        #expect(try await second.get(target(0)).body == old)
        server.kill()
        try route(1, offset: 60, headers: ["Cache-Control": "max-age=3600", "Cache-Tag": "shop"])
        #expect(try await purge("tag=shop", at: first) == "purged without valkey\n")
        #expect(try await first.get(target(0)).body != old)
        #expect(try await second.get(target(0)).body == old)
        try server.start()
        try await wait(until: "the purge arrives") { try await second.get(target(0)).body != old }
        // A service that starts later reads the log. It does not use the old picture of its disk, either.
        let third = try await service(tiers: tier)
        defer { third.stop() }
        #expect(try await third.get(target(0)).body != old)
    }

    /// A server that loses its memory also loses the numbers of purges. The services store them there again.
    @Test(.needsValkey) func purgeOutlivesTheTiersMemory() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1)
        let tier = [server.address]
        let first = try await service(tiers: tier, environment: purgeToken)
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

    @Test(.needsValkey) func failingTierCostsNoAnswerAndNoWrongPicture() async throws {
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

    @Test(.needsValkey) func machineThatHoldsALeaseAndHangsOrDiesCostsOthersOnlyTime() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = [server.address]
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

    @Test(.needsValkey) func rulesDecideWhatReachesTheTiersAndForHowLong() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(6)
        // The outcomes of a result on two services one after the other, then of another size on the second one, and the
        // number of fetches.
        func outcomes(_ number: Int, _ rules: String, options: String = "") async throws -> ([String], Int) {
            let further = ["--preset", "small=rs:fit:4:4", "--store-rule", rules]
            let fetched = origin.requests.count
            let first = try await service(tiers: [server.address], further: further)
            defer { first.stop() }
            let large = target(number).replacing("/rs:fit:4:4/f:png/", with: options.isEmpty ? "/rs:fit:4:4/" : options)
            #expect(try await first.get(large).status == 200)
            // Writes to the tiers run in the background; the end of a service waits for them.
            first.stop()
            let second = try await service(tiers: [server.address], further: further)
            defer { second.stop() }
            var seen: [String] = []
            for target in [large, large, large.replacing("/plain/", with: "/q:40/plain/")] {
                let before = try await [answers(second, "made"), answers(second, "tier"), answers(second, "memory")]
                #expect(try await second.get(target).status == 200)
                let after = try await [answers(second, "made"), answers(second, "tier"), answers(second, "memory")]
                for (index, name) in ["made", "tier", "memory"].enumerated() where after[index] > before[index] {
                    seen.append(name)
                }
            }
            return (seen, origin.requests.count - fetched)
        }
        func expect(_ found: ([String], Int), _ outcomes: [String], fetches: Int, _ name: String) {
            #expect(found.0 == outcomes && found.1 == fetches, "\(name): \(found)")
        }
        expect(try await outcomes(0, "results all"), ["tier", "memory", "made"], fetches: 1, "all")
        expect(try await outcomes(1, "results memory+disk"), ["made", "memory", "made"], fetches: 1, "no results")
        expect(
            try await outcomes(2, "results none; sources disk"), ["made", "made", "made"], fetches: 2,
            "only sources on disk")
        expect(try await outcomes(3, "sources none"), ["tier", "memory", "made"], fetches: 2, "no sources")
        let presets = "results preset:* all; results none; sources disk"
        expect(try await outcomes(4, presets), ["made", "made", "made"], fetches: 2, "no preset")
        expect(
            try await outcomes(5, presets, options: "/pr:small/"), ["tier", "memory", "made"], fetches: 2, "a preset")
    }

    /// A store with the bucket `pictures`.
    private func store() async throws -> (SeaweedServer, S3Client) {
        let server = try SeaweedServer()
        var configuration = try S3Configuration(bucket: "pictures", endpoint: server.endpoint)
        configuration.credentials = .fixed(S3Credentials(keyID: server.keyID, secret: server.secret))
        let client = S3Client(configuration)
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(40))
        while case .failure = await client.makeBucket(within: .seconds(2)), ContinuousClock.now < deadline {}
        // The first object of a bucket takes seconds.
        _ = await client.put(Data([1]), at: "first", within: .seconds(20))
        return (server, client)
    }

    @Test(
        .enabled(
            if: SeaweedServer.isAvailable && ValkeyServer.isAvailable, "no SeaweedFS or no Valkey (Scripts/setup tiers)"
        ))
    func objectsOfABucketAreSources() async throws {
        let (server, client) = try await store()
        defer { server.stop() }
        defer { client.shutDown() }
        let valkey = try ValkeyServer()
        defer { valkey.stop() }
        func put(_ name: String, green: UInt8) async throws {
            let image = try TestImages.solid(width: 32, height: 16, blue: 0, green: green, red: 0)
            let data = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            _ = try await client.put(data, at: name, within: .seconds(20)).get()
        }
        try await put("public/a b.png", green: 200)
        try await put("private/a.png", green: 200)
        let tier = [valkey.address]
        let bucket = ["--s3-source", "s3://pictures/public?endpoint=\(server.endpoint)"]
        let environment = [
            "WEBIMAGE_S3_KEY": "pictures:\(server.keyID):\(server.secret)", "WEBIMAGE_PURGE_TOKEN": "secret",
        ]
        let first = try await service(tiers: tier, environment: environment, further: bucket)
        defer { first.stop() }
        let second = try await service(tiers: tier, environment: environment, further: bucket)
        defer { second.stop() }
        let target = "/_/rs:fit:4:4/f:png/plain/s3://pictures/public/a%20b.png"
        let made = try await first.get(target)
        #expect(made.status == 200 && made.body.count > 60)
        #expect(try await second.get(target).body == made.body)
        #expect(try await answers(second, "tier") == 1)
        #expect(try await answers(second, "made") == 0)
        // The object itself is in no tier.
        #expect(try await second.get(target.replacing("rs:fit:4:4", with: "raw:1")).body.count > 60)

        for (source, status) in [
            ("s3://pictures/private/a.png", 403), ("s3://other-bucket/public/a.png", 403),
            ("s3://pictures/public/..%2Fprivate/a.png", 400), ("s3://pictures/public/none.png", 404),
            ("s3://pictures/public/a%20b.png%3Fendpoint=http:%2F%2F127.0.0.1:1", 400),
        ] {
            let answer = try await first.get("/_/rs:fit:4:4/f:png/plain/\(source)")
            #expect(answer.status == status, "\(source): \(answer.text)")
        }

        // A purge of the object reaches the other service.
        try await put("public/a b.png", green: 60)
        #expect(try await purge("source=s3://pictures/public/a%20b.png", at: first) == "purged\n")
        try await wait(until: "both services have the new object") {
            let bodies = [try await first.get(target).body, try await second.get(target).body]
            return bodies.allSatisfy { $0 != made.body }
        }

        // A service without the key answers, and shows neither the key nor the store.
        let wrong = try await service(
            tiers: [], environment: ["WEBIMAGE_S3_KEY": "pictures:\(server.keyID):wr0ng"], further: bucket)
        defer { wrong.stop() }
        let refused = try await wrong.get(target)
        #expect(refused.status == 502 && !refused.text.contains("wr0ng") && !refused.text.contains(server.endpoint))
    }

    @Test(.enabled(if: SeaweedServer.isAvailable, "SeaweedFS is not installed (Scripts/setup tiers)"))
    func bucketServesLaterServices() async throws {
        let (server, client) = try await store()
        defer { server.stop() }
        defer { client.shutDown() }
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

    @Test(.needsValkey) func commandLoadsFromATierAndSharesNothingPrivate() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let tier = ["--tier", server.address]
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

    @Test(.needsValkey) func commandReportsWhetherTiersWork() throws {
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
            ("valkey://host?budget=0", "budget"), ("valkey://host?private=1", "private"),
            ("valkey://host?x=1", "parameters"), ("nothing", "URL"),
        ] {
            let run = try Tool.run(["serve", "--check-config", "--tier", address])
            #expect(run.code == 1 && run.errors.contains(hint), "\(address): \(run.errors)")
            #expect(!run.errors.contains("word@"))
        }
        let twice = try Tool.run(["serve", "--check-config", "--tier", "valkey://host", "--tier", "valkey://host"])
        #expect(twice.code == 1 && twice.errors.contains("twice"), "\(twice.errors)")
    }
}
