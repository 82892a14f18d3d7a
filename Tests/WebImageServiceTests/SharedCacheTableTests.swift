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

/// The rules of RFC 9111 §3 to §5 for a cache that several users share, as a small model that knows nothing of the service,
/// and what the settings of a service add to them.
private struct SharedCacheModel {
    struct Settings: Equatable {
        var ttl = 86_400, least = 0, most = 31_536_000, staleIfError = 0
        /// The seconds of a rule for results; nil for none.
        var rule: Int?
        var allowsLoopback = true
        var maxBytes = 50 << 20
        var formats: [String] = []
    }

    let fields: [String: String]
    /// The time at which the response was received.
    let received: Int

    private func directive(_ name: String) -> Int?? {
        for part in (fields["Cache-Control"] ?? "").split(separator: ",") {
            let pair = part.split(separator: "=").map { $0.trimmingCharacters(in: .whitespaces) }
            if pair.first == name { return .some(pair.count > 1 ? Int(pair[1]) : nil) }
        }
        return nil
    }

    private func has(_ name: String) -> Bool { directive(name) != nil }

    private var mustAsk: Bool { has("no-cache") || fields["Cache-Control"] == nil && fields["Pragma"] == "no-cache" }

    var isStored: Bool { !has("no-store") && !has("private") && fields["Vary"] != "*" }

    /// The age at which the response arrived (§4.2.3).
    var age: Int {
        let named = (fields["Age"] ?? "").split(separator: ",").first.flatMap { Int($0) } ?? 0
        let date = HTTPDate.seconds(fields["Date"]).map { Int($0) } ?? received
        return max(named, received - date, 0)
    }

    private var stated: Int? {
        if mustAsk { return 0 }
        if let seconds = directive("s-maxage") ?? directive("max-age") { return seconds }
        guard let expires = fields["Expires"] else { return nil }
        let date = HTTPDate.seconds(fields["Date"]).map { Int($0) } ?? received
        return max(0, Int(HTTPDate.seconds(expires) ?? 0) - date)
    }

    /// The age at which the response becomes stale.
    func lifetime(_ settings: Settings, hasLeast: Bool = true) -> Int {
        var lifetime = stated ?? age + settings.ttl
        if hasLeast, settings.least > 0 { lifetime = max(lifetime, age + settings.least) }
        lifetime = min(lifetime, age + settings.most)
        return settings.rule.map { min(lifetime, age + $0) } ?? lifetime
    }

    private var isStrict: Bool {
        mustAsk || has("must-revalidate") || has("proxy-revalidate") || has("s-maxage")
    }

    /// Whether a stale result may be sent when the origin fails.
    func isUsableAfterError(age: Int, _ settings: Settings, hasResult: Bool) -> Bool {
        guard isStored, !isStrict else { return false }
        let window = directive("stale-if-error").flatMap { $0 }
        if hasResult { return age < lifetime(settings) + (window ?? settings.staleIfError) }
        // A source alone is used only if the origin says so.
        return window.map { age - (stated ?? 0) <= $0 && age < lifetime(settings) + $0 } ?? false
    }

    /// The seconds for which a tier holds the response; 0 if it must not leave the machine.
    func tierSeconds(_ writer: Settings) -> Int {
        guard isStored, fields["Set-Cookie"] == nil, ["", "Accept-Encoding"].contains(fields["Vary"] ?? "") else {
            return 0
        }
        // The rule is for results; the source is there for longer.
        var writer = writer
        writer.rule = nil
        return lifetime(writer, hasLeast: false) - age
    }
}

/// A service answers as the model says, wherever a response was stored and whoever has stored it.
@Suite(.timeLimit(minutes: 60)) struct SharedCacheTableTests {
    private typealias Settings = SharedCacheModel.Settings

    private enum Place: CaseIterable { case memory, disk, tier, reload }
    private enum Origin: CaseIterable { case new, same, failing }

    private struct Row {
        var fields: [String: String] = [:]
        var first = Settings()
        var second = Settings()
        var place = Place.memory
        var origin = Origin.new
        /// The seconds between the requests.
        var wait = 0
        /// Whether the second request is for another result of the source.
        var isOtherResult = false
    }

    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

    private final class State: Sendable {
        let version = Locked(0)
        let fields = Locked([String: String]())
        let origin = Locked(Origin.new)
    }

    private static func picture(_ version: Int) throws -> Data {
        try Fix.png(4, 4) { _, _ in (UInt8(100 + version * 100), 0, 0, 255) }
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
        try ImageService(
            configuration: configuration(settings, folder), loader: nil, clock: clock,
            tiers: CacheTiers([CacheTiers.Level("server", LinkedTier(server), budget: .seconds(5))], clock: clock))
    }

    /// Asks for a picture. Returns its version, or the status of a refusal.
    private static func ask(_ service: ImageService, _ target: String) async throws -> (status: Int, version: Int?) {
        let request = ServiceRequest(target: target)
        let answer: ServiceResponse
        if let known = service.respondFromMemory(to: request) {
            answer = known
        } else {
            answer = await service.respond(to: request)
        }
        guard answer.status == 200 else { return (answer.status, nil) }
        let image = try ImageCodersManager.shared.decode(answer.data, options: DecodingOptions())
        return (200, (Int(Look(image: image).pixel(0, 0)[0]) - 50) / 100)
    }

    /// Runs a row and returns what is wrong; nil for nothing.
    private static func fault(of row: Row) async throws -> String? {
        let (clock, origin, server, state) = (VirtualClock(), try FaultServer(), TierServer(), State())
        defer { origin.stop() }
        state.fields.withLock { $0 = row.fields }
        let pictures = try [picture(0), picture(1)]
        origin.route(
            "/a.png",
            .dynamic { request in
                let version = state.version.withLock { $0 }
                let fields = state.fields.withLock { $0 }
                if state.origin.withLock({ $0 }) == .failing { return .status(500) }
                if request.headers["if-none-match"] == "\"\(version)\"" {
                    let fields = fields.merging(["ETag": "\"\(version)\""]) { $1 }
                    return .respond(FaultResponse(.data(Data()), status: 304, headers: fields))
                }
                return .body(pictures[version], headers: fields.merging(["ETag": "\"\(version)\""]) { $1 })
            })
        let folders = try [ScratchFolder(), ScratchFolder()]
        let source = origin.url("/a.png").absoluteString
        let first = try service(row.first, folders[0], server, clock)
        let begun = try await ask(first, "/_/w:2/f:png/plain/\(source)")
        guard begun.status == 200, begun.version == 0 else { return "the first answer is \(begun)" }
        // A second request puts the result into the table of targets that are answered from memory.
        if row.place == .memory { for _ in 0..<2 { _ = try await ask(first, "/_/w:2/f:png/plain/\(source)") } }
        await first.provider.store.tiers?.tiers.flush(within: .seconds(30))
        await first.provider.store.flush()
        await first.provider.fetcher.flush()
        let second: ImageService
        switch row.place {
        case .memory: second = first
        case .reload:
            second = first
            try second.reload(configuration(row.second, folders[0]))
        case .disk:
            await first.shutdown()
            // The tier is another place.
            server.state.withLock { $0 = TierServer.State() }
            second = try service(row.second, folders[0], TierServer(), clock)
        case .tier: second = try service(row.second, folders[1], server, clock)
        }
        let settings = row.place == .memory ? row.first : row.second
        let received = Int(clock.date)
        clock.advance(by: .seconds(row.wait))
        if row.origin != .same { state.version.withLock { $0 = 1 } }
        state.origin.withLock { $0 = row.origin }
        let before = origin.requestCount("/a.png")
        let found = try await ask(second, "/_/w:\(row.isOtherResult ? 3 : 2)/f:png/plain/\(source)")
        let asks = origin.requestCount("/a.png") - before
        await second.shutdown()
        if row.place == .tier { await first.shutdown() }

        // Only what the service asks for at the first request is in the model; the second may find it stale already.
        let model = SharedCacheModel(fields: row.fields, received: received)
        if !settings.allowsLoopback {
            return found.status == 403 && asks == 0 ? nil : "\(found), \(asks) fetches, not 403"
        }
        // A source that fails is not looked at.
        let refused: Int? = settings.maxBytes < pictures[0].count ? 413 : settings.formats.isEmpty ? nil : 415
        if let refused {
            let isRight = row.origin == .failing ? found.version == nil : found.status == refused
            return isRight ? nil : "\(found), not \(refused)"
        }
        let isHere =
            row.place == .tier ? row.wait < min(model.tierSeconds(row.first), 30 * 86_400) : model.isStored
        let age = model.age + row.wait
        if isHere, age < model.lifetime(settings) {
            return asks == 0 && found.version == 0 ? nil : "\(found), \(asks) fetches, not version 0 from the cache"
        }
        guard asks > 0 else { return "\(found) without a fetch" }
        switch row.origin {
        case .new: return found.version == 1 ? nil : "\(found), not version 1"
        case .same: return found.version == 0 ? nil : "\(found), not version 0"
        case .failing:
            let isStale =
                row.place != .tier && isHere
                && model.isUsableAfterError(age: age, settings, hasResult: !row.isOtherResult)
            return isStale == (found.version == 0) && (isStale || found.status >= 500)
                ? nil : "\(found), \(isStale ? "" : "not ")stale version 0"
        }
    }

    private static func row(_ random: inout SeededRandom, _ start: Int) -> Row {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let times = [0, 1, 5, 30, 60, 600, 31_536_000]
        func settings() -> Settings {
            var settings = Settings()
            settings.ttl = pick([5, 60, 86_400])
            settings.least = pick([0, 0, 0, 60])
            settings.most = pick([31_536_000, 31_536_000, 60])
            settings.staleIfError = pick([0, 86_400])
            settings.rule = pick([nil, nil, nil, 5])
            return settings
        }
        var row = Row()
        var control: [String] = []
        for name in ["max-age", "s-maxage"] where Bool.random(using: &random) {
            control.append("\(name)=\(pick(times))")
        }
        for name in ["no-cache", "no-store", "private", "must-revalidate", "proxy-revalidate", "public"]
        where Int.random(in: 0..<8, using: &random) == 0 { control.append(name) }
        if Int.random(in: 0..<4, using: &random) == 0 { control.append("stale-if-error=\(pick(times))") }
        if !control.isEmpty { row.fields["Cache-Control"] = control.shuffled(using: &random).joined(separator: ", ") }
        row.fields["Age"] = pick([nil, nil, "0", "5", "100", "10, 400", "x"])
        row.fields["Date"] = pick([nil, 0, -5, 5]).map { HTTPDateText.text(TimeInterval(start + $0)) }
        row.fields["Expires"] = pick([nil, nil, 0, 30, 600]).map { HTTPDateText.text(TimeInterval(start + $0)) }
        row.fields["Vary"] = pick([nil, nil, nil, "Accept-Encoding", "*"])
        row.fields["Pragma"] = pick([nil, nil, nil, "no-cache"])
        row.fields["Set-Cookie"] = pick([nil, nil, nil, nil, "a=b"])
        (row.first, row.second) = (settings(), settings())
        switch Int.random(in: 0..<10, using: &random) {
        case 0: row.second.allowsLoopback = false
        case 1: row.second.maxBytes = 20
        case 2: row.second.formats = ["jpeg"]
        default: break
        }
        row.place = pick(Place.allCases)
        // A disk with tiers holds no source that sets a cookie, and results of it stay here; the model has no such state.
        if row.fields["Set-Cookie"] != nil, row.place != .tier { row.fields["Set-Cookie"] = nil }
        row.origin = pick(Origin.allCases)
        row.wait = pick([0, 1, 4, 5, 6, 29, 31, 59, 61, 601, 90_000])
        row.isOtherResult = Bool.random(using: &random)
        return row
    }

    @Test func answersFollowTheModel() async throws {
        var random = SeededRandom.printingSeed()
        let start = Int(VirtualClock().date)
        let count = Self.isLong ? 20_000 : 200
        let faults = try await withThrowingTaskGroup(of: String?.self) { group in
            var faults: [String] = []
            for number in 0..<count {
                let row = Self.row(&random, start)
                // A row waits most of its time for the disk.
                if number >= 8, let fault = try await group.next() ?? nil { faults.append(fault) }
                group.addTask { try await Self.fault(of: row).map { "row \(number): \($0) \(row)" } }
            }
            for try await fault in group { if let fault { faults.append(fault) } }
            return faults
        }
        #expect(faults.isEmpty, "\(faults.count) of \(count) rows: \(faults.prefix(10).joined(separator: "\n"))")
    }

    /// The rows that were wrong once.
    @Test func rowsThatWereWrongOnce() async throws {
        var rows: [Row] = []
        func add(_ fields: [String: String], wait: Int, _ change: (inout Row) -> Void = { _ in }) {
            for place in Place.allCases {
                for isOther in [false, true] {
                    var row = Row(fields: fields, place: place, wait: wait, isOtherResult: isOther)
                    change(&row)
                    rows.append(row)
                }
            }
        }
        let stale: (inout Row) -> Void = {
            ($0.origin, $0.first.staleIfError, $0.second.staleIfError) = (.failing, 86_400, 86_400)
        }
        add(["Cache-Control": "max-age=31536000, s-maxage=2"], wait: 3)
        add(["Cache-Control": "max-age=0, s-maxage=60"], wait: 30)
        add(["Cache-Control": "s-maxage=2"], wait: 3, stale)
        add(["Cache-Control": "max-age=2, proxy-revalidate"], wait: 3, stale)
        add(["Cache-Control": "max-age=31536000"], wait: 61) { ($0.first.most, $0.second.most) = (60, 60) }
        add(["Cache-Control": "max-age=31536000"], wait: 6) { ($0.first.rule, $0.second.rule) = (5, 5) }
        add(["Cache-Control": "max-age=3600", "Age": "600"], wait: 30) { ($0.first.most, $0.second.most) = (60, 60) }
        add(["Cache-Control": "max-age=60", "Age": "50, 0"], wait: 11)
        add(["Cache-Control": "max-age=60", "Age": "0, 55"], wait: 30)
        add(["Cache-Control": "max-age=600", "Vary": "*"], wait: 1)
        add(["Cache-Control": "private, max-age=600"], wait: 1)
        add(["Cache-Control": "no-cache"], wait: 1) { $0.first.least = 60 }
        for change: (inout Row) -> Void in [
            { $0.second.allowsLoopback = false }, { $0.second.maxBytes = 20 }, { $0.second.formats = ["jpeg"] },
        ] {
            add(["Cache-Control": "max-age=600"], wait: 1) { row in
                guard row.place != .memory else { return }
                change(&row)
            }
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, row) in rows.enumerated() {
                // A row waits most of its time for the disk.
                if number >= 8 { try await group.next() }
                group.addTask {
                    let fault = try await Self.fault(of: row)
                    #expect(fault == nil, "\(row)")
                }
            }
            try await group.waitForAll()
        }
    }
}
