import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Purges on several processes of `webimage serve` with common tiers.
@Suite(.serialized, .timeLimit(minutes: isLongRun ? 60 : 5)) struct TierPurgeTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

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
            let longest = try await waitForNewBody(of: target(0), at: other) { $0 == new }
            // A second, and the time of one request.
            #expect(
                ContinuousClock.now - start < Sanitizer.time(.milliseconds(1500)) + longest, "purge \(number)")
        }
        #expect(try await second.get(target(1)).body == kept)
    }

    /// Asks a service again and again until its answer is new, for at most ten seconds. Returns the longest time of a request:
    /// a busy machine can take a second for one.
    private func waitForNewBody(
        of target: String, at service: RunningService, isNew: (Data) -> Bool
    ) async throws -> Duration {
        let start = ContinuousClock.now
        var longest = Duration.zero
        while ContinuousClock.now - start < Sanitizer.time(.seconds(10)) {
            let sent = ContinuousClock.now
            let body = try await service.get(target).body
            longest = max(longest, ContinuousClock.now - sent)
            if isNew(body) { break }
        }
        return longest
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
        var longest = Duration.zero
        for service in services {
            let time = try await waitForNewBody(of: targets[purged[0]], at: service) { $0 != old.bodies[purged[0]] }
            longest = max(longest, time)
            #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(1)) + longest)
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
        // The old picture is used while the new one is fetched.
        #expect(try await services[0].get(target(0)).body == old)
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

    /// A purge that no tier could receive is sent when the tier is back. A tier without its log receives all purges that a
    /// service knows; one that has kept its log receives those that it has not confirmed.
    @Test(.needsValkey, arguments: [false, true])
    func tagPurgeWithoutATierArrivesWhenTheTierIsBack(keepsLog: Bool) async throws {
        let server = try ValkeyServer(arguments: keepsLog ? ValkeyServer.storingArguments : [])
        defer { server.stop() }
        try route(1, headers: ["Cache-Control": "max-age=3600", "Cache-Tag": "shop"])
        let tier = [server.address]
        let first = try await service(tiers: tier, environment: purgeToken)
        let second = try await service(tiers: tier, environment: purgeToken)
        defer { first.stop() }
        defer { second.stop() }
        // A purge reads the log first. So the service knows afterwards that it has read this log.
        for _ in 0..<2 { #expect(try await purge("tag=none", at: first) == "purged\n") }
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
}
