import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageHTTP
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

private typealias Fix = PictureFixtures

/// The origin as one machine sees it: the times of responses are those of the machine's clock, as of its downloader.
private struct MachineOrigin: ImageLoader {
    let origin: SourceServer
    let clock: ShiftedClock

    func loadData(
        for load: ImageDataLoad, progress: ImageLoaderProgressBlock?
    ) async throws(WebImageError) -> ImageDataResult {
        let sent = clock.date
        var result = try await origin.loadData(for: load, progress: progress)
        result.metadata =
            StoredResponse(
                result.response, to: WebImageRequest(url: load.url), requestTime: sent, responseTime: clock.date
            ).serialized
        return result
    }

    func shouldBlock(_ load: ImageDataLoad, after error: WebImageError) -> Bool { false }
}

/// Random histories of several services with different settings over one tier with faults. Each answer must be the wanted
/// picture, in a version that no purge known to the service and no setting of the service has excluded.
@Suite(.serialized, .timeLimit(minutes: 5)) struct TierModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil
    private static let pictures = 4

    private struct Machine: Sendable {
        var service: ImageService
        let folder: ScratchFolder
        let tier: CutTier
        /// The clocks of the machines differ by hours.
        let clock: ShiftedClock
        /// The oldest version of each picture that the machine may send because of purges.
        var floor = [Int](repeating: 0, count: TierModelTests.pictures)
        /// Whether the machine may remember that the origin had no picture.
        var mayFail = [Bool](repeating: false, count: TierModelTests.pictures)
        let settings: Settings
    }

    /// What the settings of a machine promise.
    private struct Settings: Sendable {
        /// The longest time in seconds for which a version is sent after a newer one was published.
        var seconds = 3600
        var maxSourceBytes = 50 << 20
        var rule: String?

        /// Other machines use what the first one stores, which has no limits.
        static let all = [
            Settings(), Settings(seconds: 60, maxSourceBytes: 1000), Settings(seconds: 20, rule: "results all 20"),
        ]
    }

    private static func url(_ picture: Int) -> String { "http://example.com/\(picture % 2)/\(picture).png" }

    /// A spelling of clients, which every service replaces.
    private static let replaced = "shop://"

    /// A picture whose colour is its number and its version. The last one is larger than a machine accepts.
    private static func bytes(_ picture: Int, _ version: Int) throws -> Data {
        try Fix.png(8, 8) { _, _ in (UInt8(picture * 20), UInt8(version * 4), 0, 255) }
            + Data(count: picture == pictures - 1 ? 2000 : 0)
    }

    @Test(arguments: [2, 3]) func answersOfSeveralMachinesFollowTheModel(machines count: Int) async throws {
        var random = SeededRandom.printingSeed()
        for history in 0..<(Self.isLong ? 300 : 12) {
            try await run(history, machines: count, seed: random.next())
        }
    }

    /// Asks a machine for a picture and returns what is wrong with the answer; nil for nothing.
    private static func fault(
        of machine: Machine, _ picture: Int, size: Int, newest: Int, current: Int
    ) async throws -> String? {
        // A third of the clients use the other spelling.
        let source = size == 2 ? "\(replaced)\(picture % 2)/\(picture).png" : url(picture)
        let target = "/_/rs:fit:\(size)/f:png/plain/\(source)"
        let request = ServiceRequest(target: target)
        let answer: ServiceResponse
        if let known = machine.service.respondFromMemory(to: request) {
            answer = known
        } else {
            answer = await machine.service.respond(to: request)
        }
        if answer.status == 404, machine.mayFail[picture] { return nil }
        if picture == pictures - 1, machine.settings.maxSourceBytes < 2000 {
            return answer.status == 413 ? nil : "\(answer.status) for a source that is too large"
        }
        guard answer.status == 200 else { return "\(answer.status) \(answer.text)" }
        let image = try ImageCodersManager.shared.decode(answer.data, options: DecodingOptions())
        let pixel = Look(image: image).pixel(0, 0)
        let (found, version) = ((Int(pixel[0]) + 10) / 20, (Int(pixel[1]) + 2) / 4)
        guard found == picture else { return "picture \(found) instead of \(picture)" }
        let floor = max(machine.floor[picture], current)
        return (floor...newest).contains(version) ? nil : "version \(version) of \(picture), not \(floor)...\(newest)"
    }

    private func run(_ history: Int, machines count: Int, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        let (tier, origin) = (FaultyTier(seed: random.next()), SourceServer())
        var versions = [Int](repeating: 0, count: Self.pictures)
        // The time is that of a clock without a shift.
        var (time, published) = (0, [[Int]](repeating: [], count: Self.pictures))
        // An origin may have many tags.
        let tags = history % 3 == 0 ? (0..<100).map { "other-\($0), " }.joined() : ""
        func publish(_ picture: Int) throws {
            published[picture].append(time)
            origin.answer(
                Self.url(picture), try Self.bytes(picture, versions[picture]),
                ["Cache-Control": "s-maxage=3600, max-age=31536000", "Cache-Tag": "\(tags)picture-\(picture), all"])
        }
        // The oldest version that is so new that a machine may still send it. Two seconds are for the time of the test.
        func current(_ picture: Int, _ settings: Settings) -> Int {
            published[picture].lastIndex { $0 <= time - settings.seconds - 2 } ?? 0
        }
        for picture in 0..<Self.pictures { try publish(picture) }
        var machines: [Machine] = []
        func service(
            _ folder: ScratchFolder, _ tier: CutTier, _ clock: ShiftedClock, _ settings: Settings
        ) throws -> ImageService {
            let configuration = ServiceConfiguration.with {
                ($0.cacheFolder, $0.purgeTokens, $0.offersAVIF, $0.queueWait) = (folder.url.path, ["token"], false, 0)
                ($0.staleWhileRevalidate, $0.staleIfError, $0.negativeTTL) = (0, 0, 3600)
                ($0.maxTTL, $0.maxSourceBytes) = (
                    settings.rule == nil ? settings.seconds : 3600, settings.maxSourceBytes
                )
                $0.storeRules = settings.rule.map { [$0] } ?? []
                $0.urlReplacements = ["\(Self.replaced)=http://example.com/"]
            }
            let tiers = CacheTiers([CacheTiers.Level("faulty", tier, budget: .seconds(5))], clock: clock)
            return try ImageService(
                configuration: configuration, loader: MachineOrigin(origin: origin, clock: clock), clock: clock,
                tiers: tiers)
        }
        for number in 0..<count {
            let (folder, tier) = (try ScratchFolder(), CutTier(tier))
            let clock = ShiftedClock(shift: history % 2 == 0 ? 0 : [0, 3600, -3600][number % 3])
            let settings = Settings.all[number % 3]
            machines.append(
                Machine(
                    service: try service(folder, tier, clock, settings), folder: folder, tier: tier, clock: clock,
                    settings: settings))
        }
        let gone = WebImageError(.invalidDownloadStatusCode, stage: .download, underlying: .http(status: 404))
        var isGone = [Bool](repeating: false, count: Self.pictures)
        // Whether a machine may still remember that a picture was missing when all have learned all purges.
        var mayFailAtEnd = isGone
        for step in 0..<40 {
            let (machine, picture) = (
                Int.random(in: 0..<count, using: &random), Int.random(in: 0..<Self.pictures, using: &random)
            )
            // In some histories, machines that are cut off purge the same subjects; in others, most pictures are missing at
            // some time, or a tier that loses much is used for purges by source.
            let kinds =
                switch history % 4 {
                case 1: [0, 0, 1, 1, 1, 1, 4, 4, 11, 11]
                case 2: [0, 0, 1, 1, 1, 4, 4, 11, 13, 13]
                case 3: [0, 0, 1, 1, 4, 4, 4, 10, 10, 11]
                default: Array(0..<14)
                }
            switch kinds.randomElement(using: &random) ?? 0 {
            case 12 where history % 2 == 0:
                // The tier of this model does not know the age of its entries, so the clocks must be equal.
                let seconds = [15, 30, 100].randomElement(using: &random) ?? 0
                time += seconds
                for machine in machines { machine.clock.advance(by: TimeInterval(seconds)) }
            case 12, 13:
                (isGone[picture], mayFailAtEnd[picture]) = (true, true)
                origin.fail(Self.url(picture), gone)
                for index in machines.indices {
                    machines[index].mayFail[picture] = true
                    // The machine has the picture, or remembers the failure.
                    for size in 2...4 {
                        let fault = try await Self.fault(
                            of: machines[index], picture, size: size, newest: versions[picture],
                            current: current(picture, machines[index].settings))
                        #expect(fault == nil, "step \(step) of history \(history), seed \(seed)")
                    }
                }
            case 10: tier.lose(all: Int.random(in: 0..<3, using: &random) == 0)
            case 11 where Bool.random(using: &random): machines[machine].tier.isCut.toggle()
            case 11:
                await machines[machine].service.shutdown()
                machines[machine].service = try service(
                    machines[machine].folder, machines[machine].tier, machines[machine].clock,
                    machines[machine].settings)
            case 0:
                versions[picture] += 1
                isGone[picture] = false
                try publish(picture)
            case 1:
                let subjects =
                    [
                        ("tag=picture-\(picture)", [picture]), ("tag=all", Array(0..<Self.pictures)),
                        ("prefix=http://example.com/\(picture % 2)/", [picture % 2, picture % 2 + 2]),
                        ("prefix=\(Self.replaced)\(picture % 2)/", [picture % 2, picture % 2 + 2]),
                        ("source=\(Self.url(picture))", [picture]),
                    ]
                let (query, purged) = subjects[history % 4 == 3 ? 4 : Int.random(in: 0..<5, using: &random)]
                let isKilled = Int.random(in: 0..<4, using: &random) == 0
                if isKilled {
                    await machines[machine].service.provider.store.flush()
                    await machines[machine].service.provider.fetcher.flush()
                }
                let answer = await machines[machine].service.respondToOperator(
                    ServiceRequest(
                        method: "POST", target: "/purge?\(query)", headers: ["Authorization": "Bearer token"]))
                #expect(answer.status == 200, "\(answer.text)")
                for picture in purged {
                    machines[machine].floor[picture] = versions[picture]
                    // The tags of a source that was never there are not known.
                    if !isGone[picture], !query.hasPrefix("tag") {
                        (machines[machine].mayFail[picture], mayFailAtEnd[picture]) = (false, false)
                    }
                }
                guard isKilled else { continue }
                // The process ends right after its answer and stores nothing more.
                machines[machine].service = try service(
                    machines[machine].folder, machines[machine].tier, machines[machine].clock,
                    machines[machine].settings)
                for picture in purged {
                    let fault = try await Self.fault(
                        of: machines[machine], picture, size: 3, newest: versions[picture],
                        current: current(picture, machines[machine].settings))
                    #expect(fault == nil, "after the purge of step \(step) of history \(history), seed \(seed)")
                }
            default:
                let asked = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                    (Int.random(in: 0..<count, using: &random), Int.random(in: 2...4, using: &random))
                }
                let (snapshot, newest) = (machines, versions[picture])
                let oldest = machines.map { current(picture, $0.settings) }
                let faults = try await withThrowingTaskGroup(of: String?.self) { group in
                    for (machine, size) in asked {
                        group.addTask {
                            try await Self.fault(
                                of: snapshot[machine], picture, size: size, newest: newest, current: oldest[machine])
                        }
                    }
                    return try await group.reduce(into: [String]()) { if let fault = $1 { $0.append(fault) } }
                }
                #expect(faults == [], "step \(step) of history \(history), seed \(seed)")
            }
        }
        // Without faults every machine learns every purge.
        tier.endFaults()
        for machine in machines { machine.tier.isCut = false }
        for picture in 0..<Self.pictures where isGone[picture] { try publish(picture) }
        let snapshot = machines
        // Equal stamps are not enough: two machines that were cut off from each other can have given out the same one.
        let isEven = await eventually { Set(snapshot.map { Set($0.service.provider.store.purges.all) }).count == 1 }
        #expect(isEven, "history \(history), seed \(seed)")
        for picture in 0..<Self.pictures {
            let floor = machines.map { $0.floor[picture] }.max() ?? 0
            for var machine in machines {
                machine.floor[picture] = floor
                machine.mayFail[picture] = mayFailAtEnd[picture]
                let fault = try await Self.fault(
                    of: machine, picture, size: 3, newest: versions[picture],
                    current: current(picture, machine.settings))
                #expect(fault == nil, "at the end of history \(history), seed \(seed)")
            }
        }
        for machine in machines { await machine.service.shutdown() }
    }
}
