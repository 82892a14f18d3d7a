import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageServerTesting
import WebImageTestSupport
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

    /// While one service fetches a source, the other one waits for it, whatever size it needs.
    @Test(.needsValkey, arguments: ["rs:fit:4:4", "rs:fit:2:2"])
    func serviceWaitsForTheFetchOfTheOther(options: String) async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        try route(1)
        let picture = try ImageCodersManager.shared.encode(
            TestImages.solid(width: 9, height: 9), format: .png, options: EncodingOptions())
        let gate = FaultGate()
        origin.route("/0.png", .gated(gate, .body(picture, headers: ["Cache-Control": "max-age=3600"])))
        // The second service waits for half of this time.
        let further = ["--decode-timeout", "60"]
        let first = try await service(tiers: [server.address], further: further)
        let second = try await service(tiers: [server.address], further: further)
        defer { first.stop() }
        defer { second.stop() }
        let target = target(0), other = target.replacing("rs:fit:4:4", with: options)
        let fetching = Task { try await first.get(target).status }
        try await wait(until: "the first service fetches") { origin.requestCount("/0.png") == 1 }
        let waiting = Task { try await second.get(other).status }
        // It looks for the picture again and again.
        try await wait(until: "the second service waits") {
            let line = try await metrics(second).split(separator: "\n").first {
                $0.hasPrefix("webimage_tier_reads_total{")
            }
            let reads = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
            return reads > 8 || origin.requestCount("/0.png") > 1
        }
        gate.open()
        #expect(try await fetching.value == 200)
        #expect(try await waiting.value == 200)
        #expect(origin.requestCount("/0.png") == 1)
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
        let first = try await service(tiers: tier, further: ["--decode-timeout", "10"])
        let second = try await service(tiers: tier, further: ["--decode-timeout", "10"])
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
        #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(13)))
        #expect(await hanging.value == 504)
        let dying = try await hold(1)
        try route(2)
        first.stop(SIGKILL)
        let death = ContinuousClock.now
        #expect(try await second.get(target(1)).status == 200)
        // The lease ends after a second. Without a look at it, the request would wait for five.
        #expect(ContinuousClock.now - death < Sanitizer.time(.seconds(4)))
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
}
