import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

private typealias Fix = PictureFixtures

/// A service answers as the model says, wherever a response was stored and whoever has stored it.
@Suite(.timeLimit(minutes: 60)) struct SharedCacheTableTests {
    private typealias Settings = SharedCacheModel.Settings
    private typealias Fields = SharedCacheModel.Fields

    private enum Place: CaseIterable { case memory, disk, tier, reload }

    /// What the origin does at the second request. Its 304 can have no tag, or that of another picture.
    private enum Origin: CaseIterable { case new, same, sameWithoutTag, foreign, failing, gone, forbidden }

    private struct Row {
        var fields = Fields()
        var origin = Origin.new
        /// The seconds between the requests.
        var wait = 0
        /// Whether the second request is for another result of the source.
        var isOtherResult = false
        var request = ClientRequest.plain
    }

    /// What rows have in common that use the same services: each row has its own source.
    private struct Services {
        var first = Settings()
        var second = Settings()
        var place = Place.memory
        /// The seconds by which the clock of the first service is ahead of the other one.
        var ahead = 0
    }

    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

    private static let pictures = Result {
        try (0...1).map { version in try Fix.png(4, 4) { _, _ in (UInt8(100 + version * 100), 0, 0, 255) } }
    }

    private static func configuration(_ settings: Settings, _ folder: ScratchFolder) -> ServiceConfiguration {
        .with {
            ($0.cacheFolder, $0.offersAVIF, $0.queueWait, $0.negativeTTL) = (folder.url.path, false, 0, 0)
            ($0.ttl, $0.minTTL, $0.maxTTL) = (settings.ttl, settings.least, settings.most)
            ($0.staleIfError, $0.staleWhileRevalidate) = (settings.staleIfError, 0)
            $0.storeRules = settings.rule.map { ["results all \($0)"] } ?? []
            $0.allowedAddresses = settings.allowsLoopback ? ["127.0.0.0/8"] : []
            ($0.maxSourceBytes, $0.sourceFormats) = (settings.maxBytes, settings.formats)
        }
    }

    private static func service(
        _ settings: Settings, _ folder: ScratchFolder, _ server: TierServer, _ clock: VirtualClock
    ) throws -> ImageService {
        // No row purges. A log would be read for each half second of the virtual time.
        let level = CacheTiers.Level("server", LinkedTier(server, hasLog: false), budget: .seconds(5))
        return try ImageService(
            configuration: configuration(settings, folder), loader: nil, clock: clock,
            tiers: CacheTiers([level], clock: clock))
    }

    /// The sources of rows, each at its own URL.
    private final class Sources: Sendable {
        struct State {
            var version = 0
            var origin = Origin.new
            var fields: [String: String]
            var fetches = 0
            /// Whether a request had fields of a client.
            var hasClientFields = false
        }

        private let states: Locked<[State]>
        let server: FaultServer

        init(_ rows: [Row]) throws {
            (states, server) = (Locked(rows.map { State(fields: $0.fields.sent) }), try FaultServer())
            let pictures = try SharedCacheTableTests.pictures.get()
            server.routeOthers(
                .dynamic { [states] request in
                    let number = Int(request.path.split(separator: "/").last ?? "") ?? 0
                    let state = states.withLock { states in
                        states[number].fetches += 1
                        if request.headers["authorization"] ?? request.headers["cookie"] != nil {
                            states[number].hasClientFields = true
                        }
                        return states[number]
                    }
                    let tagged = state.fields.merging(["ETag": "\"\(state.version)\""]) { $1 }
                    func unchanged(_ fields: [String: String]) -> FaultBehaviour {
                        .respond(FaultResponse(.data(Data()), status: 304, headers: fields))
                    }
                    let known = request.headers["if-none-match"]
                    switch state.origin {
                    case .failing: return .status(500)
                    case .gone: return .status(404)
                    case .forbidden: return .status(403)
                    case .foreign where known != nil: return unchanged(tagged)
                    case .sameWithoutTag where known != nil: return unchanged(state.fields)
                    case _ where known == "\"\(state.version)\"": return unchanged(tagged)
                    default: return .body(pictures[state.version], headers: tagged)
                    }
                })
        }

        func url(_ row: Int) -> String { server.url("/\(row)").absoluteString }
        func update(_ row: Int, _ body: (inout State) -> Void) { states.withLock { body(&$0[row]) } }
        func state(_ row: Int) -> State { states.withLock { $0[row] } }
    }

    private struct Answer {
        let status: Int
        let tag: String?
        /// The version of the picture of a whole answer.
        var version: Int?
    }

    private static func ask(
        _ service: ImageService, _ target: String, _ headers: ServiceHeaders = [:]
    ) async throws -> Answer {
        let request = ServiceRequest(target: target, headers: headers)
        let answer: ServiceResponse
        if let known = service.respondFromMemory(to: request) {
            answer = known
        } else {
            answer = await service.respond(to: request)
        }
        guard answer.status == 200 else { return Answer(status: answer.status, tag: answer.headers["ETag"]) }
        let image = try ImageCodersManager.shared.decode(answer.data, options: DecodingOptions())
        let version = (Int(Look(image: image).pixel(0, 0)[0]) - 50) / 100
        return Answer(status: 200, tag: answer.headers["ETag"], version: version)
    }

    /// Runs rows with the same services and returns what is wrong.
    private static func faults(of rows: [Row], _ services: Services) async throws -> [String] {
        let (server, sources) = (TierServer(), try Sources(rows))
        defer { sources.server.stop() }
        let clock = VirtualClock()
        let start = Int(clock.date)
        let ahead = services.ahead == 0 ? clock : VirtualClock(start: TimeInterval(start + services.ahead))
        let folders = try [ScratchFolder(), ScratchFolder()]
        let first = try service(services.first, folders[0], server, ahead)
        var tags: [String] = []
        for row in rows.indices {
            let target = "/_/w:2/f:png/plain/\(sources.url(row))"
            let begun = try await ask(first, target)
            guard begun.status == 200, begun.version == 0, let tag = begun.tag else {
                return ["the first answer is \(begun): \(rows[row])"]
            }
            tags.append(tag)
            // A second request puts the result into the table of targets that are answered from memory.
            if services.place == .memory { for _ in 0..<2 { _ = try await ask(first, target) } }
        }
        await first.provider.store.tiers?.tiers.flush(within: .seconds(30))
        await first.provider.store.flush()
        await first.provider.fetcher.flush()
        let second: ImageService
        switch services.place {
        case .memory: second = first
        case .reload:
            second = first
            try second.reload(configuration(services.second, folders[0]))
        case .disk:
            await first.shutdown()
            // The tier is another place.
            server.state.withLock { $0 = TierServer.State() }
            second = try service(services.second, folders[0], TierServer(), clock)
        case .tier: second = try service(services.second, folders[1], server, clock)
        }
        // A service learns by its first use how far the clock of another one is ahead.
        if services.ahead > 0 {
            for row in rows.indices { _ = try await ask(second, "/_/w:2/f:png/plain/\(sources.url(row))") }
            server.state.withLock { $0.entries = [:] }
        }
        var faults: [String] = []
        for row in rows.indices.sorted(by: { rows[$0].wait < rows[$1].wait }) {
            clock.advance(by: .seconds(start + rows[row].wait - Int(clock.date)))
            let before = sources.state(row).fetches
            sources.update(row) { state in
                if ![.same, .sameWithoutTag].contains(rows[row].origin) { state.version = 1 }
                state.origin = rows[row].origin
            }
            let (size, fields) = (rows[row].isOtherResult ? 3 : 2, rows[row].request.fields(tags[row]))
            let found = try await ask(second, "/_/w:\(size)/f:png/plain/\(sources.url(row))", fields)
            let asks = sources.state(row).fetches - before
            let fault = fault(in: found, asks: asks, tag: tags[row], of: rows[row], services, received: start)
            if let fault { faults.append("\(fault): \(rows[row]) \(services)") }
            if sources.state(row).hasClientFields { faults.append("the origin received the fields: \(rows[row])") }
        }
        await second.shutdown()
        if services.place == .tier { await first.shutdown() }
        return faults
    }

    /// What is wrong with an answer; nil for nothing.
    private static func fault(
        in found: Answer, asks: Int, tag: String, of row: Row, _ services: Services, received: Int
    ) -> String? {
        let settings = services.place == .memory ? services.first : services.second
        // Only what the service asks for at the first request is in the model; the second may find it stale already.
        let model = SharedCacheModel(fields: row.fields, received: received)
        /// What is wrong if the answer must have a version of the picture.
        func wrong(_ version: Int) -> String? {
            let isSame = version == 0 && !row.isOtherResult
            let status = row.request.status(isSame)
            let hasTag = status != 412 && status != 416
            guard found.status == status, found.version ?? version == version, !hasTag || (found.tag == tag) == isSame
            else { return "\(found), not \(status) with version \(version)" }
            return nil
        }
        if !settings.allowsLoopback {
            return found.status == 403 && asks == 0 ? nil : "\(found), \(asks) fetches, not 403"
        }
        let isHere =
            services.place == .tier && services.ahead == 0
            ? row.wait < min(model.tierSeconds(services.first), 30 * 86_400) : model.isStored
        let age = model.age + row.wait
        let fails = [.failing, .gone, .forbidden].contains(row.origin)
        let size = (try? pictures.get())?.first?.count ?? 0
        // A source that fails is not looked at.
        let refused: Int? = settings.maxBytes < size ? 413 : settings.formats.isEmpty ? nil : 415
        if let refused {
            let isRight = fails ? found.version == nil : found.status == refused
            return isRight ? nil : "\(found), not \(refused)"
        }
        if isHere, age < model.lifetime(settings) { return asks == 0 ? wrong(0) : "\(asks) fetches of a fresh picture" }
        let hasResult = !row.isOtherResult && (services.place != .tier || services.ahead > 0)
        if isHere, hasResult, model.isUsableMeanwhile(age: age, settings) { return wrong(0) }
        guard asks > 0 else { return "\(found) without a fetch" }
        // Without its bytes, a source is fetched without a condition.
        let isOnDisk = isHere && (services.place != .tier || services.ahead > 0)
        switch row.origin {
        case .new, .foreign: return wrong(1)
        case .sameWithoutTag, .same: return wrong(0)
        case .gone: return found.status == 404 ? nil : "\(found), not 404"
        // Not an error in the sense of RFC 5861 §4.
        case .forbidden: return found.status == 502 ? nil : "\(found), not 502"
        case .failing:
            if isOnDisk, model.isUsableAfterError(age: age, settings, hasResult: !row.isOtherResult) { return wrong(0) }
            return found.status >= 500 ? nil : "\(found), not a failure"
        }
    }

    // MARK: Rows

    private static func services(_ random: inout SeededRandom) -> Services {
        func settings() -> Settings {
            var settings = Settings()
            settings.ttl = random.pick([5, 60, 86_400])
            settings.least = random.pick([0, 0, 0, 60])
            settings.most = random.pick([31_536_000, 31_536_000, 60])
            settings.staleIfError = random.pick([0, 86_400])
            settings.rule = random.pick([nil, nil, nil, 5])
            return settings
        }
        var services = Services(first: settings(), second: settings(), place: random.pick(Place.allCases))
        switch Int.random(in: 0..<10, using: &random) {
        case 0: services.second.allowsLoopback = false
        case 1: services.second.maxBytes = 20
        case 2: services.second.formats = ["jpeg"]
        default: break
        }
        if services.place == .tier, Int.random(in: 0..<3, using: &random) == 0 {
            (services.second, services.ahead) = (services.first, random.pick([30, 3600]))
        }
        return services
    }

    private static func row(_ random: inout SeededRandom, _ start: Int, _ services: Services) -> Row {
        var row = Row()
        row.fields = Fields(&random, start)
        // A disk with tiers holds no source that sets a cookie, and results of it stay here; the model has no such state.
        if services.place != .tier { row.fields.cookie = nil }
        // A date of the origin would tell the clocks apart.
        if services.ahead > 0 { (row.fields.date, row.fields.expires, row.fields.cookie) = (nil, nil, nil) }
        row.origin = random.pick(Origin.allCases)
        row.wait = random.pick([0, 1, 4, 5, 6, 29, 31, 59, 61, 601, 90_000])
        // The clock of the tier, which ends the lifetime of its entries, is not in the model.
        row.isOtherResult = services.ahead == 0 && Bool.random(using: &random)
        row.request = random.pick(ClientRequest.all)
        return row
    }

    @Test func answersFollowTheModel() async throws {
        var random = SeededRandom.printingSeed()
        let start = Int(VirtualClock().date)
        let (count, rowsOfOne) = (Self.isLong ? 20_000 : 600, Self.isLong ? 50 : 15)
        let faults = try await withThrowingTaskGroup(of: [String].self) { group in
            var faults: [String] = []
            for number in 0..<(count / rowsOfOne) {
                let services = Self.services(&random)
                let rows = (0..<rowsOfOne).map { _ in Self.row(&random, start, services) }
                if number >= 4, let found = try await group.next() { faults += found }
                group.addTask { try await Self.faults(of: rows, services) }
            }
            for try await found in group { faults += found }
            return faults
        }
        #expect(faults.isEmpty, "\(faults.count) of \(count) rows: \(faults.prefix(10).joined(separator: "\n"))")
    }

    /// The rows that were wrong once.
    @Test func rowsThatWereWrongOnce() async throws {
        typealias Change = (inout Row, inout Services) -> Void
        var cases: [(fields: Fields, wait: Int, change: Change)] = []
        func add(_ control: String?, wait: Int, _ change: @escaping Change = { _, _ in }) {
            cases.append((Fields(control: control.map { [$0] } ?? []), wait, change))
        }
        let stale: Change = {
            ($0.origin, $1.first.staleIfError, $1.second.staleIfError) = (.failing, 86_400, 86_400)
        }
        add("max-age=31536000, s-maxage=2", wait: 3)
        add("max-age=0, s-maxage=60", wait: 30)
        add("s-maxage=2", wait: 3, stale)
        add("max-age=2, proxy-revalidate", wait: 3, stale)
        add("max-age=31536000", wait: 61) { ($1.first.most, $1.second.most) = (60, 60) }
        add("max-age=31536000", wait: 6) { ($1.first.rule, $1.second.rule) = (5, 5) }
        add("max-age=3600", wait: 30) { ($0.fields.age, $1.first.most, $1.second.most) = (["600"], 60, 60) }
        add("max-age=60", wait: 11) { row, _ in row.fields.age = ["50, 0"] }
        add("max-age=60", wait: 11) { row, _ in row.fields.age = ["50", "0"] }
        add("max-age=60", wait: 30) { row, _ in row.fields.age = ["0, 55"] }
        add("max-age=600", wait: 1) { row, _ in row.fields.vary = ["*"] }
        add("max-age=1", wait: 2) { row, _ in row.origin = .foreign }
        add("private, max-age=600", wait: 1)
        add("no-cache", wait: 1) { $1.first.least = 60 }
        for change: (inout Settings) -> Void in [
            { $0.allowsLoopback = false }, { $0.maxBytes = 20 }, { $0.formats = ["jpeg"] },
        ] {
            add("max-age=600", wait: 1) { if $1.place != .memory { change(&$1.second) } }
        }
        for place in Place.allCases {
            for one in cases {
                var (row, services) = (Row(fields: one.fields, wait: one.wait), Services(place: place))
                one.change(&row, &services)
                var other = row
                other.isOtherResult = true
                #expect(try await Self.faults(of: [row, other], services) == [])
            }
        }
        // A clock that is ahead, and an origin that sends no date.
        for ahead in [30, 3600] {
            let row = Row(fields: Fields(control: ["max-age=5"]), wait: 6)
            #expect(try await Self.faults(of: [row], Services(place: .tier, ahead: ahead)) == [])
        }
    }
}
