import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestSupport
import WebImageTesting

/// Several processes of `webimage serve` with caches of their own, and an origin.
protocol TierBench: Sendable {
    var origin: FaultServer { get }
    /// The cache folders of the services.
    var folders: Locked<[ScratchFolder]> { get }
}

/// Whether tests may take an hour.
let isLongRun = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil

extension Trait where Self == ConditionTrait {
    static var needsValkey: Self { .enabled(if: ValkeyServer.isAvailable, "no Valkey or Redis server is installed") }
}

extension ValkeyServer {
    /// The address of this server as a tier, with a budget that a busy machine does not exceed.
    var address: String { "valkey://127.0.0.1:\(port)?budget=5000" }
}

/// A clock that differs from that of the machine. Only debug builds read the variable.
enum FakeClock {
    static let anHourAhead = ["SWIFT_WEB_IMAGE_CLOCK_SHIFT": "3600"]
}

extension TierBench {
    /// The environment of a service that accepts purges of ``purge(_:isSoft:at:)``.
    var purgeToken: [String: String] { ["WEBIMAGE_PURGE_TOKEN": "secret"] }

    /// Serves different pictures under `/0.png`, `/1.png` …
    func route(_ count: Int, offset: Int = 0, headers: [String: String] = ["Cache-Control": "max-age=3600"])
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

    func target(_ number: Int) -> String {
        "/_/rs:fit:4:4/f:png/plain/\(origin.url("/\(number).png").absoluteString)"
    }

    func service(
        tiers: [String], environment: [String: String] = [:], further: [String] = [], through: [String] = []
    ) async throws -> RunningService {
        // On a busy machine, a debug build would refuse work that waits for a processor. That is no fault of a tier.
        var arguments = ["--access-log", "none", "--admin", "127.0.0.1:0", "--queue-wait", "0"] + further
        for tier in tiers { arguments += ["--tier", tier] }
        let folder = try ScratchFolder()
        folders.withLock { $0.append(folder) }
        return try await RunningService(arguments, in: folder, environment: environment, through: through)
    }

    func metrics(_ service: RunningService) async throws -> String {
        let admin = try service.admin
        return try await onThread { try RawClient(admin).get("/metrics").text }
    }

    /// The number of pictures that a service has answered with an origin such as `made`.
    func answers(_ service: RunningService, _ outcome: String) async throws -> Int {
        try await metrics(service).split(separator: "\n").filter {
            $0.hasPrefix("webimage_requests_total{route=\"imgproxy\",outcome=\"\(outcome)\"")
        }.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// Sends requests from several clients to all services, and checks that each picture has one form everywhere.
    ///
    /// - Returns: The answers that are not the picture.
    func load(
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
                            // All clients ask for the same picture at the same time, half of them on each service, and
                            // then on the next one.
                            let picture = request / addresses.count % pictures
                            let answer = try connections[(request + client) % addresses.count].get(targets[picture])
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

    /// Sends a purge such as `source=URL`.
    func purge(_ query: String, isSoft: Bool = false, at service: RunningService) async throws -> String {
        let parts = query.split(separator: "=", maxSplits: 1)
        let value = try #require(parts[1].addingPercentEncoding(withAllowedCharacters: .alphanumerics))
        let admin = try service.admin
        return try await onThread {
            try RawClient(admin).get(
                "/purge?\(parts[0])=\(value)" + (isSoft ? "&soft=yes" : ""), method: "POST",
                further: "Authorization: Bearer secret\r\n"
            ).text
        }
    }

    /// Waits until a condition holds, for at most 30 seconds.
    func wait(until name: String, _ condition: () async throws -> Bool) async throws {
        let deadline = ContinuousClock.now + Sanitizer.time(.seconds(30))
        while !(try await condition()) {
            guard ContinuousClock.now < deadline else { throw RawClient.Failure(description: "did not hold: \(name)") }
            try await Task.sleep(for: .milliseconds(2))
        }
    }
}
