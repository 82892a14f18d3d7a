import Foundation
import WebImage
import WebImageLoading
import WebImageS3

/// `webimage cache stats --tier` and `webimage cache verify --tier`: what tiers hold, and whether they work.
enum TierReport {
    static func invocation(_ arguments: Arguments, _ tiers: CacheTiers) throws(UsageError) -> Command.Invocation {
        let say = Console.reporter(isQuiet: arguments.has("quiet"))
        switch (arguments.operands.first, arguments.operands.count) {
        case ("stats", 1): return { await stats(tiers, say) }
        case ("verify", 1): return { await verify(tiers, say) }
        // Emptying a cache that other machines use is never one word on one of them.
        default: throw UsageError("--tier is for stats, verify and purge")
        }
    }

    private static let budget = Duration.seconds(10)

    private static func stats(_ tiers: CacheTiers, _ say: @Sendable (String) -> Void) async -> ExitCode {
        var code = ExitCode.ok
        let silent = await TierAddress.silent(tiers, within: .seconds(2))
        for level in tiers.levels {
            guard !silent.contains(level.name) else {
                Console.error("\(level.name): does not answer")
                code = .failed
                continue
            }
            guard let tier = level.tier as? S3Tier else {
                say("\(level.name): answers")
                continue
            }
            let found = await tier.countStored(within: budget)
            if let failure = found.failure {
                Console.error("\(level.name): \(failure)")
                code = .failed
            } else {
                say("\(level.name): \(found.count) entries, \(found.bytes) B")
            }
        }
        return code
    }

    /// Stores, reads and removes one entry in each tier, and tests what a store enforces.
    private static func verify(_ tiers: CacheTiers, _ say: @Sendable (String) -> Void) async -> ExitCode {
        var code = ExitCode.ok
        let silent = await TierAddress.silent(tiers, within: .seconds(2))
        for level in tiers.levels {
            guard !silent.contains(level.name) else {
                Console.error("\(level.name): does not answer, or refuses the user or the password")
                code = .failed
                continue
            }
            let key = CacheTierKey(namespace: "probe", cacheKey: "\(UInt64.random(in: .min ... .max))")
            let entry = CacheTierEntry(
                .value(data: Data("probe".utf8), metadata: nil, extended: nil), stored: Date().timeIntervalSince1970,
                lifetime: .seconds(60))
            let start = ContinuousClock.now
            let isStored = await level.tier.put(entry, for: key, within: budget)
            let isRead = await level.tier.entry(for: key, within: budget)?.content == entry.content
            let time = ContinuousClock.now - start
            let isRemoved = await level.tier.remove([key], within: budget)
            guard isStored, isRead, isRemoved else {
                let step = isStored ? isRead ? "removed" : "read" : "stored"
                Console.error("\(level.name): an entry could not be \(step)")
                code = .failed
                continue
            }
            say("\(level.name): works; storing and reading took \(Int(time / .milliseconds(1))) ms")
            guard let tier = level.tier as? S3Tier else { continue }
            switch await tier.testConditions(within: budget) {
            case .success(let conditions):
                say(
                    "\(level.name): If-None-Match is \(conditions.enforcesAbsence ? "" : "not ")enforced,"
                        + " If-Match is \(conditions.enforcesMatch ? "" : "not ")enforced")
            case .failure(let failure):
                Console.error("\(level.name): \(failure)")
                code = .failed
            }
        }
        return code
    }
}
