import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

private typealias Fix = PictureFixtures

/// Machines that purge while they do not reach each other. The second clock is an hour ahead.
///
/// After both reach the tier again, neither uses an entry that was fetched before any of the purges, whichever of them
/// reaches the tier first and whatever the clocks show.
@Suite(.timeLimit(minutes: 1)) struct SeparatedMachinesTests {
    private struct Machine {
        let service: ImageService
        let tier: LinkedTier
        let clock: ShiftedClock
        let folder: ScratchFolder
    }

    private static let url = "http://example.com/a.png"
    private static let target = "/_/f:png/plain/\(url)"

    private let origin = SourceServer()
    private let server = TierServer()

    /// - Parameter former: An earlier process of the machine, whose caches this one has. It is cut off.
    /// - Parameter silent: A second tier.
    private func machine(
        _ shift: TimeInterval, after former: Machine? = nil, silent: LinkedTier? = nil, negativeTTL: Int = 10
    ) throws -> Machine {
        let folder = try former?.folder ?? ScratchFolder()
        let configuration = ServiceConfiguration.with {
            ($0.cacheFolder, $0.purgeTokens, $0.offersAVIF, $0.queueWait) = (folder.url.path, ["token"], false, 0)
            $0.negativeTTL = negativeTTL
        }
        let tier = LinkedTier(server, isCut: former != nil)
        let clock = ShiftedClock(shift: shift)
        let levels = [("server", tier)] + (silent.map { [("silent", $0)] } ?? [])
        let service = try ImageService(
            configuration: configuration, loader: origin, clock: clock,
            tiers: CacheTiers(levels.map { CacheTiers.Level($0, $1, budget: .seconds(5)) }))
        return Machine(service: service, tier: tier, clock: clock, folder: folder)
    }

    private func publish(_ version: Int) throws {
        let bytes = try Fix.png(8, 8) { _, _ in (UInt8(version * 20), 0, 0, 255) }
        origin.answer(Self.url, bytes, ["Cache-Control": "max-age=86400", "Cache-Tag": "shop, front"])
    }

    /// The version of the picture that a machine sends.
    private func version(_ machine: Machine) async throws -> Int {
        let request = ServiceRequest(target: Self.target)
        let known = machine.service.respondFromMemory(to: request)
        let answer: ServiceResponse
        if let known { answer = known } else { answer = await machine.service.respond(to: request) }
        #expect(answer.status == 200, "\(answer.text)")
        let image = try ImageCodersManager.shared.decode(answer.data, options: DecodingOptions())
        return (Int(Look(image: image).pixel(0, 0)[0]) + 10) / 20
    }

    private func purge(_ query: String, _ machine: Machine) async -> String {
        await machine.service.respondToOperator(
            ServiceRequest(method: "POST", target: "/purge?\(query)", headers: ["Authorization": "Bearer token"])
        ).text
    }

    private func connect(_ order: [Int], _ machines: [Machine]) async throws {
        for index in order {
            let before = server.state.withLock { $0.log.count }
            machines[index].tier.isCut = false
            // Its purges arrive before the other machine is connected.
            #expect(await eventually { server.state.withLock { $0.log.count } > before })
        }
    }

    private func expectNewest(_ machines: [Machine], _ newest: Int) async throws {
        for (index, machine) in machines.enumerated() {
            let isNew = try await becomesTrue { try await version(machine) == newest }
            #expect(isNew, "machine \(index)")
        }
        // Nothing old comes back by the entries that the machines store for each other.
        for _ in 0..<3 {
            for (index, machine) in machines.enumerated() {
                await machine.service.provider.store.tiers?.tiers.flush(within: .seconds(5))
                #expect(try await version(machine) == newest, "machine \(index), later")
            }
        }
    }

    private func becomesTrue(_ condition: () async throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(10))
        while ContinuousClock.now < deadline {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(10))
        }
        return false
    }

    /// The earlier purge, its machine fetches again, and then the purge of the other machine, which is the later one. One of
    /// the machines may be started again before it is connected.
    @Test(
        arguments: ["tag=shop", "tag=front", "prefix=http://example.com/", "source=\(url)"], [[0, 1], [1, 0]])
    func laterPurgeHoldsWhicheverMachineIsConnectedFirst(later: String, order: [Int]) async throws {
        for (first, restarted) in [(0, nil), (1, nil), (0, 0), (0, 1), (1, 0), (1, 1)] as [(Int, Int?)] {
            var pair = try [machine(0), machine(3600)]
            server.state.withLock { $0 = TierServer.State() }
            try publish(1)
            for machine in pair { #expect(try await version(machine) == 1) }
            for machine in pair { machine.tier.isCut = true }
            try publish(2)
            let earlier = later.hasPrefix("source") ? later : "tag=shop"
            #expect(await purge(earlier, pair[first]) == "purged without server\n")
            #expect(try await version(pair[first]) == 2)
            try publish(3)
            #expect(await purge(later, pair[1 - first]) == "purged without server\n")
            #expect(try await version(pair[1 - first]) == 3)
            if let restarted {
                let before = try await version(pair[restarted])
                await pair[restarted].service.shutdown()
                pair[restarted] = try machine(restarted == 0 ? 0 : 3600, after: pair[restarted])
                #expect(try await version(pair[restarted]) == before)
            }
            try await connect(order, pair)
            try await expectNewest(pair, 3)
            for machine in pair { await machine.service.shutdown() }
        }
    }

    /// The stamps of two machines are equal if both know one that is ahead of their clocks. One of them is cut off.
    @Test func purgesWithTheSameStampAreTwo() async throws {
        let machines = try [machine(0), machine(0), machine(3600)]
        try publish(1)
        #expect(try await version(machines[0]) == 1)
        #expect(await purge("tag=other", machines[2]) == "purged\n")
        let ahead = server.state.withLock { $0.log.last?.stamp ?? 0 }
        for machine in machines.prefix(2) {
            #expect(await eventually { machine.service.provider.store.purges.stamp >= ahead })
        }
        machines[1].tier.isCut = true
        #expect(await purge("tag=unused", machines[1]) == "purged without server\n")
        try publish(2)
        #expect(try await version(machines[1]) == 2)
        try publish(3)
        #expect(await purge("tag=shop", machines[0]) == "purged\n")
        machines[1].tier.isCut = false
        try await expectNewest(Array(machines.prefix(2)), 3)
        for machine in machines { await machine.service.shutdown() }
    }

    /// A source that does not decode leaves the tier at once. Its machine asks the origin again when the failure is forgotten.
    @Test func sourceThatDoesNotDecodeIsFetchedAgain() async throws {
        let machines = try [machine(0, negativeTTL: 600), machine(0, negativeTTL: 3600)]
        origin.describeResponses()
        func status(_ machine: Machine, _ width: Int) async -> Int {
            await machine.service.respond(to: ServiceRequest(target: "/_/f:png/w:\(width)/plain/\(Self.url)")).status
        }
        origin.answer(Self.url, try Fix.quadrants().prefix(40), ["Cache-Control": "max-age=86400"])
        for (index, machine) in machines.enumerated() {
            // Two results of the source need one fetch.
            for width in 1...2 {
                #expect(await status(machine, width) == 415)
                await machine.service.provider.store.flush()
            }
            await machine.service.provider.store.tiers?.tiers.flush(within: .seconds(5))
            #expect(await eventually { server.state.withLock { $0.entries.isEmpty && $0.removals == index + 1 } })
            #expect(origin.wholeFetchCount == index + 1)
        }
        try publish(4)
        for machine in machines { machine.clock.advance(by: 601) }
        #expect(await status(machines[0], 3) == 200)
        #expect(origin.wholeFetchCount == 3)
        // The other machine remembers failures for an hour. Until then, it uses the bytes on its disk.
        _ = await status(machines[1], 3)
        #expect(origin.wholeFetchCount == 3)
        for machine in machines { await machine.service.shutdown() }
    }

    /// A purge of a source is in the log, so that the tier may evict everything else.
    @Test func sourceIsPurgedInTheLog() async throws {
        let silent = LinkedTier(TierServer(), isCut: true, hasLog: false)
        let machine = try machine(0, silent: silent)
        try publish(1)
        #expect(try await version(machine) == 1)
        #expect(await purge("source=\(Self.url)", machine) == "purged without silent\n")
        let subject = CachePurge.Subject.source(PurgeTable.name(of: Self.url))
        #expect(server.state.withLock { $0.log.map(\.subject) } == [subject])
        // The log does not contain the URL.
        #expect(server.state.withLock { !$0.log.contains { $0.text.contains("example") } })
        machine.tier.isCut = true
        #expect(await purge("source=\(Self.url)", machine) == "purged without server, silent\n")
        machine.tier.isCut = false
        #expect(await eventually { server.state.withLock { $0.log.map(\.subject) } == [subject, subject] })
        await machine.service.shutdown()
    }

    /// Ordinary traffic evicts the number of purges of a source. The purge holds on the other machine, also after its restart.
    @Test(arguments: [false, true]) func purgeOfASourceHoldsWhenTheTierForgets(losesLog: Bool) async throws {
        var pair = try [machine(0), machine(3600)]
        try publish(1)
        for machine in pair { #expect(try await version(machine) == 1) }
        try publish(2)
        #expect(await purge("source=\(Self.url)", pair[0]) == "purged\n")
        server.state.withLock { state in
            state.entries = [:]
            if losesLog { (state.log, state.start) = ([], 0) }
        }
        try await expectNewest(pair, 2)
        await pair[1].service.shutdown()
        pair[1] = try machine(3600, after: pair[1])
        server.state.withLock { $0.entries = [:] }
        pair[1].tier.isCut = false
        try await expectNewest(pair, 2)
        for machine in pair { await machine.service.shutdown() }
    }

    /// One machine was cut off, purged, fetched and sends its purge again; in between the other machine has purged the same tag.
    /// The line of the first machine is the last one of the log, but its entry is older than the line before it.
    @Test(arguments: [false, true]) func ownPurgeDoesNotHideThatOfAnotherMachine(restarts: Bool) async throws {
        var pair = try [machine(0), machine(3600)]
        try publish(1)
        for machine in pair { #expect(try await version(machine) == 1) }
        pair[1].tier.isCut = true
        #expect(await purge("tag=shop", pair[1]) == "purged without server\n")
        try publish(2)
        #expect(try await version(pair[1]) == 2)
        try publish(3)
        #expect(await purge("tag=shop", pair[0]) == "purged\n")
        // The purge of the second machine arrives at the log, but its answer and the lines before it do not arrive here.
        let own = try #require(pair[1].service.provider.store.purges.all.first { $0.subject == .tag("shop") })
        server.state.withLock { $0.log.append(own) }
        if restarts {
            await pair[1].service.shutdown()
            pair[1] = try machine(3600, after: pair[1])
        }
        pair[1].tier.isCut = false
        try await expectNewest(pair, 3)
        for machine in pair { await machine.service.shutdown() }
    }

    /// A result of a machine whose clock is ahead, from an origin that sends no `Date`, is not fresh for longer elsewhere.
    @Test func clockThatIsAheadLengthensNoLifetimeElsewhere() async throws {
        for shift in [3600.0, 30, 2] {
            server.state.withLock { $0 = TierServer.State() }
            let machines = try [machine(shift), machine(0)]
            let bytes = try Fix.png(8, 8) { _, _ in (20, 0, 0, 255) }
            origin.answer(Self.url, bytes, ["Cache-Control": "max-age=5, must-revalidate"])
            // Also what the second machine stores instead of the entry that it refuses: this tier holds an expired entry
            // until it is replaced.
            for machine in machines {
                #expect(try await version(machine) == 1)
                await machine.service.provider.store.tiers?.tiers.flush(within: .seconds(5))
            }
            try publish(2)
            for machine in machines { machine.clock.advance(by: 6) }
            #expect(try await version(machines[1]) == 2, "ahead by \(shift) s")
            for machine in machines { await machine.service.shutdown() }
        }
    }

    /// A purge of connected machines is one line in the log, whichever machine reads it first.
    @Test func purgeOfConnectedMachinesIsSentOnce() async throws {
        let pair = try [machine(0), machine(3600)]
        try publish(1)
        for machine in pair { #expect(try await version(machine) == 1) }
        for number in 0..<6 {
            try publish(number + 2)
            #expect(await purge("tag=shop", pair[number % 2]) == "purged\n")
            try await expectNewest(pair, number + 2)
        }
        for machine in pair { #expect(await machine.tier.wasReadAgain()) }
        #expect(server.state.withLock { $0.log.count } == 6)
        for machine in pair { await machine.service.shutdown() }
    }
}
