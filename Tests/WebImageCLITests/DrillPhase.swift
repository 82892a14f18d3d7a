import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageServerTesting
import WebImageTesting

/// What the clients of one phase of a drill have seen.
struct DrillPhase: Sendable {
    var name: String
    var errors: [String] = []
    /// The times of the answers of the services with a tier and of the one without, in seconds.
    var times: [Double] = []
    var plain: [Double] = []

    /// Whether `Scripts/measure tiers` runs the drills: with more requests and the usual budget of a tier.
    static let isMeasured = ProcessInfo.processInfo.environment["WEBIMAGE_MEASURE"] != nil
    /// The budget of one call of a tier, in seconds. A debug build on a busy machine needs a longer one.
    static let budget = isMeasured ? 0.005 : 0.05
    static let pictures = 40
    static let clients = 4
    static let requests = isMeasured ? 1_000 : 20
    /// How often a drill is tried whose answers are late.
    static let attempts = isMeasured ? 1 : 3
    /// A request asks the tier for its purges, its result twice, a lease and its source.
    static let calls = 6.0

    private static func percentile(_ times: [Double]) -> Double {
        times.isEmpty ? 0 : times.sorted()[min(times.count * 99 / 100, times.count - 1)]
    }

    /// Whether answers are later than those without a tier by the budgets at most.
    ///
    /// - Parameter lease: The time in seconds of a lease that a machine holds without knowing it.
    private func isInTime(lease: Double) -> Bool {
        let budgets = Self.calls * Self.budget + lease
        // The factor is for the noise of a machine that runs six processes.
        return Self.isMeasured
            || Self.percentile(times) <= 3 * Self.percentile(plain) + Sanitizer.seconds(budgets)
    }

    /// Runs a drill, and again if its answers are late: a busy machine makes answers late by chance, a fault of the service
    /// each time. Expects that no answer is wrong, and in the last attempt that answers are in time.
    static func check(_ drill: String, lease: Double = 0, _ run: () async throws -> [DrillPhase]) async throws {
        for attempt in 1...attempts {
            let phases = try await run()
            for phase in phases { phase.check(drill, lease: lease, isLast: attempt == attempts) }
            if phases.allSatisfy({ $0.isInTime(lease: lease) }) { return }
        }
    }

    private func check(_ drill: String, lease: Double, isLast: Bool) {
        let (with, without) = (Self.percentile(times), Self.percentile(plain))
        let budgets = Self.calls * Self.budget + lease
        #expect(errors == [], "\(drill) \(name)")
        guard !Self.isMeasured else {
            let numbers = [without, with, 1.5 * without + budgets].map { String(plainFormat: "%.1f", $0 * 1000) }
            return print("drill \(drill) \(name) \(numbers.joined(separator: " "))")
        }
        print("\(drill) \(name): p99 \(Int(with * 1000)) ms, without a tier \(Int(without * 1000)) ms")
        #expect(!isLast || isInTime(lease: lease), "\(drill) \(name)")
    }
}

extension TierBench {
    /// The target of a result that does not exist yet.
    func fresh(_ next: Locked<Int>) -> (number: Int, picture: Int, target: String) {
        let number = next.withLock { next in
            next += 1
            return next
        }
        let picture = number % DrillPhase.pictures
        return (number, picture, target(picture).replacing("/f:png/", with: "/f:png/cb:\(number)/"))
    }

    /// Sends requests for results that do not exist yet: each to two services with a tier and to one without.
    func load(
        _ services: [RunningService], _ name: String, forms: Locked<[Int: Data]>, next: Locked<Int>
    ) async throws -> DrillPhase {
        let addresses = try services.map { try $0.address }
        return try await withThrowingTaskGroup(of: DrillPhase.self) { group in
            for _ in 0..<DrillPhase.clients {
                group.addTask {
                    try await onThread {
                        let connections = try addresses.map { try RawClient($0) }
                        var phase = DrillPhase(name: name)
                        for _ in 0..<DrillPhase.requests {
                            let (number, picture, target) = fresh(next)
                            for (index, connection) in connections.enumerated() {
                                let start = ContinuousClock.now
                                let answer = try connection.get(target)
                                let time = (ContinuousClock.now - start) / .seconds(1)
                                if index < 2 { phase.times.append(time) } else { phase.plain.append(time) }
                                let form = forms.withLock { forms -> Data in
                                    if forms[picture] == nil, answer.status == 200 { forms[picture] = answer.body }
                                    return forms[picture] ?? Data()
                                }
                                guard answer.status != 200 || answer.body != form || form.isEmpty else { continue }
                                phase.errors.append(
                                    "\(number): \(answer.status), \(answer.body.count) B, not \(form.count)")
                            }
                        }
                        return phase
                    }
                }
            }
            return try await group.reduce(into: DrillPhase(name: name)) { all, part in
                all.errors += part.errors
                all.times += part.times
                all.plain += part.plain
            }
        }
    }

    /// Waits until the second service receives what the first one has made.
    func sharesAgain(_ services: [RunningService], _ next: Locked<Int>) async throws {
        try await wait(until: "the services share results") {
            try await sharedResults(services, next, of: 1) == 1
        }
    }

    /// The number of fresh results that the second service receives from the tier after the first one has made them.
    func sharedResults(_ services: [RunningService], _ next: Locked<Int>, of count: Int) async throws -> Int {
        let before = try await answers(services[1], "tier")
        for _ in 0..<count {
            let target = fresh(next).target
            for service in services.prefix(2) { #expect(try await service.get(target).status == 200) }
        }
        return try await answers(services[1], "tier") - before
    }
}
