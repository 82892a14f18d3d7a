import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageValkey

/// Services whose link to the tier is cut: packets disappear, and connections stay open on both sides. Each service has a
/// link of its own.
@Suite(
    .serialized, .needsValkey,
    .enabled(if: NetworkNamespace.refusal == nil, Comment(rawValue: NetworkNamespace.refusal ?? "")),
    .timeLimit(minutes: 10))
struct TierPartitionTests: TierBench {
    let origin: FaultServer
    let folders = Locked([ScratchFolder]())

    init() throws { origin = try FaultServer() }

    @Test(arguments: [NetworkNamespace.Cut.both, .answers])
    func partitionCostsOnlyTimeAndDoubleFetches(cut: NetworkNamespace.Cut) async throws {
        // If only answers are lost, the server has granted leases that no machine uses; the other machine waits for their end.
        let lease = cut == .answers ? 1.0 : 0
        try await DrillPhase.check("partition-\(cut)", lease: lease) { try await partition(cut) }
    }

    private func partition(_ cut: NetworkNamespace.Cut) async throws -> [DrillPhase] {
        let network = try NetworkNamespace(links: 2)
        defer { network.stop() }
        let server = try ValkeyServer(namespace: network)
        defer { server.stop() }
        let headers = ["Cache-Control": "max-age=3600", "Cache-Tag": "shop"]
        try route(DrillPhase.pictures, headers: headers)
        let further = ["--isolation", "none"]
        var services: [RunningService] = []
        for link in 0..<2 {
            let address =
                "valkey://\(network.address(link: link)):\(server.port)?budget=\(Int(DrillPhase.budget * 1000))"
            services.append(try await service(tiers: [address], environment: purgeToken, further: further))
        }
        services.append(try await service(tiers: [], further: further))
        defer { for service in services { service.stop() } }
        func readiness() async throws -> [String] {
            var texts: [String] = []
            for service in services.prefix(2) { texts.append(try await service.get("/readyz").text) }
            return texts
        }
        let (forms, next) = (Locked([Int: Data]()), Locked(0))
        try await sharesAgain(services, next)
        var phases = [try await load(services, "before", forms: forms, next: next)]
        let known = target(0).replacing("/f:png/", with: "/f:png/cb:known/")
        let old = try await services[0].get(known).body
        let tagged = "/_/rs:fit:4:4/f:png/ct:cut/plain/\(origin.url("/cut.png").absoluteString)"
        func routeTagged(red: UInt8) throws {
            let image = try TestImages.solid(width: 8, height: 8, blue: 0, green: 0, red: red)
            let data = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
            origin.route("/cut.png", .body(data, headers: ["Cache-Control": "max-age=3600"]))
        }
        try routeTagged(red: 10)
        let oldTagged = try await services[0].get(tagged).body
        #expect(try await services[1].get(tagged).body == oldTagged)
        // A purge reads the log first, so the service knows afterwards that it has read this log. It will not send all that it
        // knows when the link is joined, only what the server has not confirmed.
        for _ in 0..<2 { #expect(try await purge("tag=none", at: services[0]) == "purged\n") }

        try network.set(cut, link: 0)
        phases.append(try await load(services, "during", forms: forms, next: next))
        // Only the service behind the cut link does without the tier, and says so.
        try await wait(until: "the cut link is noticed") {
            _ = try await services[0].get(fresh(next).target)
            return try await readiness() == ["ready without valkey\n", "ready\n"]
        }
        // A purge at the other service reaches the cut one when the link is joined.
        try route(1, offset: 30, headers: headers)
        #expect(try await purge("tag=shop", at: services[1]) == "purged\n")
        #expect(try await services[1].get(known).body != old)
        #expect(try await services[0].get(known).body == old)
        // If only answers are lost, the server still receives commands over an open connection. Close the connections, so
        // that no purge arrives: a new connection cannot be opened.
        if cut == .answers { try await closeConnections(at: server, in: network) }
        // A purge at the cut one is sent when the link is joined. The server still has its log.
        try routeTagged(red: 200)
        #expect(try await purge("tag=cut", at: services[0]) == "purged without valkey\n")
        #expect(try await services[0].get(tagged).body != oldTagged)
        #expect(try await services[1].get(tagged).body == oldTagged)

        try network.set(.none, link: 0)
        try await wait(until: "the purge arrives") { try await services[0].get(known).body != old }
        try await wait(until: "the purge of the cut one arrives") {
            try await services[1].get(tagged).body != oldTagged
        }
        try await wait(until: "both use the tier") { try await readiness() == ["ready\n", "ready\n"] }
        for pair in [services, [services[1], services[0]]] { try await sharesAgain(pair, next) }
        try route(DrillPhase.pictures, headers: headers)
        #expect(try await purge("tag=shop", at: services[0]) == "purged\n")
        try await wait(until: "the second purge arrives") { try await services[1].get(known).body == old }
        phases.append(try await load(services, "after", forms: forms, next: next))
        return phases
    }

    /// Closes the server's connections over the first link.
    private func closeConnections(at server: ValkeyServer, in network: NetworkNamespace) async throws {
        let connection = ValkeyConnection(.init(.init(.host(network.address(link: 1), port: server.port))))
        defer { connection.shutDown() }
        try await wait(until: "the connections over the cut link have ended") {
            let answer = await connection.send(RESPCommand(["CLIENT", "LIST"]), within: .seconds(1))
            guard let list = try? answer.get().string else { return false }
            let addresses = list.split(whereSeparator: { $0 == " " || $0 == "\n" }).filter {
                $0.hasPrefix("addr=\(network.clientAddress()):")
            }
            for address in addresses {
                let words: [RESPCommand.Word] = ["CLIENT", "KILL", "ADDR", .init(String(address.dropFirst(5)))]
                _ = await connection.send(RESPCommand(words), within: .seconds(1))
            }
            return addresses.isEmpty
        }
    }

    /// The machine that is cut off purges a tag; its clock is an hour behind that of the other one. The other one has stored an
    /// entry with this tag under a purge of its own, whose stamp is an hour ahead. The log gives the late purge a larger one.
    @Test func purgeOfAMachineThatIsCutOffAndBehindHolds() async throws {
        let network = try NetworkNamespace(links: 2)
        defer { network.stop() }
        let server = try ValkeyServer(namespace: network)
        defer { server.stop() }
        let headers = ["Cache-Control": "max-age=86400", "Cache-Tag": "shop"]
        try route(1, headers: headers)
        var services: [RunningService] = []
        for link in 0..<2 {
            let address = "valkey://\(network.address(link: link)):\(server.port)?budget=500"
            let clock = link == 1 ? FakeClock.anHourAhead : [:]
            services.append(
                try await service(
                    tiers: [address], environment: purgeToken.merging(clock) { $1 }, further: ["--isolation", "none"]))
        }
        defer { for service in services { service.stop() } }
        let (behind, ahead) = (services[0], services[1])
        for service in services {
            try await wait(until: "the tier is used") { try await service.get("/readyz").text == "ready\n" }
        }
        try network.set(.both, link: 0)
        try await wait(until: "the cut link is noticed") {
            _ = try await behind.get(target(0) + "?\(UInt32.random(in: .min ... .max))")
            return try await behind.get("/readyz").text == "ready without valkey\n"
        }
        #expect(try await purge("tag=other", at: ahead) == "purged\n")
        let old = try await ahead.get(target(0)).body
        try route(1, offset: 30, headers: headers)
        #expect(try await purge("tag=shop", at: behind) == "purged without valkey\n")
        #expect(try await ahead.get(target(0)).body == old)
        try network.set(.none, link: 0)
        try await wait(until: "the purge arrives") { try await ahead.get(target(0)).body != old }
        #expect(try await behind.get(target(0)).body != old)
    }

    /// A lease whose holder is cut off ends, and the other machine makes the picture.
    @Test func machineThatIsCutOffWithALeaseCostsOthersTheLease() async throws {
        let network = try NetworkNamespace(links: 2)
        defer { network.stop() }
        let server = try ValkeyServer(namespace: network)
        defer { server.stop() }
        try route(1)
        let gate = FaultGate()
        let picture = try ImageCodersManager.shared.encode(
            TestImages.solid(width: 9, height: 9), format: .png, options: EncodingOptions())
        let first = Locked(true)
        // The first fetch hangs.
        origin.route(
            "/0.png",
            .dynamic { _ in
                let isFirst = first.withLock { first in
                    defer { first = false }
                    return first
                }
                let body = FaultBehaviour.body(picture, headers: ["Cache-Control": "max-age=3600"])
                return isFirst ? .gated(gate, body) : body
            })
        var services: [RunningService] = []
        for link in 0..<2 {
            let address = "valkey://\(network.address(link: link)):\(server.port)?budget=500"
            services.append(try await service(tiers: [address], further: ["--isolation", "none"]))
        }
        defer { for service in services { service.stop() } }
        for service in services {
            try await wait(until: "the tier is used") { try await service.get("/readyz").text == "ready\n" }
        }
        let (holder, other) = (services[0], services[1])
        let target = target(0)
        let held = Task { try await holder.get(target) }
        try await wait(until: "the holder fetches") { origin.requestCount("/0.png") == 1 }
        try network.set(.both, link: 0)
        let start = ContinuousClock.now
        let answer = try await other.get(target)
        #expect(answer.status == 200 && origin.requestCount("/0.png") == 2)
        #expect(ContinuousClock.now - start < Sanitizer.time(.seconds(4)))
        gate.open()
        // The holder's own answer is the same picture.
        #expect(try await held.value.body == answer.body)
    }
}
