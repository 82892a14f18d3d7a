import Foundation
import WebImageCore
import WebImageLoading
import WebImageS3
import WebImageService
import WebImageValkey

/// Reads the addresses of cache tiers and opens them.
///
/// `valkey://`, `valkeys://`, `redis://`, `rediss://` and `unix:///` are servers, `s3://` is a bucket. Parameters for
/// each: `budget` in milliseconds, the longest time that a read may add to a request, `private=yes` for a tier that may
/// hold pictures of single users, and for servers `cluster=yes`.
enum TierAddress {
    /// An address that was read.
    private struct Reading {
        enum Kind {
            case bucket(S3Configuration)
            case server(ValkeyConnection.Configuration, isCluster: Bool)
        }

        var kind: Kind
        var budget: Duration?
        var isPrivate: Bool
    }

    /// The tiers of a service; nil if none is configured.
    static func tiers(
        _ configuration: ServiceConfiguration, clock: any DelayClock = SystemClock()
    ) throws(ConfigurationError) -> CacheTiers? {
        levels(try readings(configuration), clock)
    }

    /// The tiers of a command line; nil if it names none. The password is in `WEBIMAGE_TIER_PASSWORD`.
    static func tiers(_ arguments: Arguments) throws(UsageError) -> CacheTiers? {
        let password = ProcessInfo.processInfo.environment["WEBIMAGE_TIER_PASSWORD"]
        return try tiers(arguments.strings("tier"), passwords: password.map { [$0] } ?? [])
    }

    /// Throws the error with which opening the tiers of a configuration would fail. Makes no connection.
    static func check(_ configuration: ServiceConfiguration) throws(ConfigurationError) {
        _ = try readings(configuration)
    }

    private static func readings(_ configuration: ServiceConfiguration) throws(ConfigurationError) -> [Reading] {
        var readings: [Reading] = []
        for (index, address) in configuration.tiers.enumerated() {
            do throws(UsageError) {
                try checkOnce(index, configuration.tiers)
                let read = try reading(address, password: password(index, of: configuration.tierPasswords))
                guard !read.isPrivate else {
                    throw UsageError("a service sends no user's fields to a source: private=yes is for 'webimage load'")
                }
                readings.append(read)
            } catch {
                throw ConfigurationError("tier", error.message, index: index)
            }
        }
        return readings
    }

    /// With a tier twice in a list, each read and each purge would be done twice.
    private static func checkOnce(_ index: Int, _ addresses: [String]) throws(UsageError) {
        // The text may contain a password.
        guard !addresses[..<index].contains(addresses[index]) else {
            throw UsageError("the tier \(index + 1) is listed twice")
        }
    }

    /// The last password is used for all further tiers.
    private static func password(_ index: Int, of passwords: [String]) -> String? {
        index < passwords.count ? passwords[index] : passwords.last
    }

    /// Opens tiers. Returns at once: connections are made in the background. Nil for an empty list.
    static func tiers(_ addresses: [String], passwords: [String] = []) throws(UsageError) -> CacheTiers? {
        var readings: [Reading] = []
        for (index, address) in addresses.enumerated() {
            try checkOnce(index, addresses)
            readings.append(try reading(address, password: password(index, of: passwords)))
        }
        return levels(readings, SystemClock())
    }

    private static func levels(_ readings: [Reading], _ clock: any DelayClock) -> CacheTiers? {
        guard !readings.isEmpty else { return nil }
        var levels: [CacheTiers.Level] = []
        for reading in readings {
            var level = open(reading, clock)
            let same = levels.count { $0.name.prefix { $0 != " " } == level.name }
            if same > 0 { level.rules.name += " \(same + 1)" }
            levels.append(level)
        }
        return CacheTiers(levels, clock: clock)
    }

    private static func open(_ reading: Reading, _ clock: any DelayClock) -> CacheTiers.Level {
        switch reading.kind {
        case .bucket(let configuration):
            let tier = S3Tier(S3Client(configuration), isPrivate: reading.isPrivate, clock: clock) {
                Console.error("tier s3: \($0.hint)")
            }
            return CacheTiers.Level(tier, budget: reading.budget)
        case .server(var configuration, let isCluster):
            let reports = ValkeyReports()
            configuration.trackedPrefix = ValkeyReports.prefix
            let server: any ValkeySending =
                isCluster
                ? ValkeyCluster(configuration, onEvent: reports.receive)
                : ValkeyConnection(configuration, onEvent: reports.receive)
            return CacheTiers.Level(
                ValkeyTier(server, isPrivate: reading.isPrivate, reports: reports, clock: clock), budget: reading.budget
            )
        }
    }

    private static func reading(_ text: String, password: String?) throws(UsageError) -> Reading {
        guard var parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            // The text may contain a password.
            throw UsageError("a tier is a URL such as valkey://host or s3://bucket")
        }
        // Every process of the machine can read flags, and the configuration can be printed.
        guard parts.password == nil else {
            throw UsageError("the password of a tier belongs in tier-password or the variable WEBIMAGE_TIER_PASSWORD")
        }
        let budget = try number(take("budget", from: &parts), "budget")
        let privacy = take("private", from: &parts)
        guard [nil, "yes", "no"].contains(privacy) else { throw UsageError("private of a tier is yes or no") }
        let isPrivate = privacy == "yes"
        if scheme == "s3" {
            return Reading(kind: .bucket(try bucket(parts.string ?? text)), budget: budget, isPrivate: isPrivate)
        }
        guard ["valkey", "valkeys", "redis", "rediss", "unix"].contains(scheme) else {
            throw UsageError("the scheme of a tier must be valkey, valkeys, redis, rediss, unix or s3, not '\(scheme)'")
        }
        do throws(WebImageError) {
            let isCluster = take("cluster", from: &parts) == "yes"
            if parts.query == nil {
                if scheme != "unix" { parts.password = password }
                let configuration = try ValkeyConnection.Configuration(url: parts.string ?? text)
                return Reading(
                    kind: .server(configuration, isCluster: isCluster), budget: budget, isPrivate: isPrivate)
            }
        } catch {
            throw UsageError("'\(text)' is no address of a tier. \(error.hint ?? "")")
        }
        throw UsageError("'\(text)': the parameters of a server are budget, cluster and private")
    }

    private static func bucket(_ text: String) throws(UsageError) -> S3Configuration {
        let configuration: S3Configuration
        do throws(WebImageError) {
            configuration = try S3Configuration(url: text)
        } catch {
            throw UsageError("'\(text)' is no address of a tier. \(error.hint ?? "")")
        }
        if let problem = configuration.missingName { throw UsageError(problem) }
        return configuration
    }

    /// Waits until every tier has answered, for at most `budget`. Returns the names of the tiers that have not.
    static func silent(_ tiers: CacheTiers, within budget: Duration) async -> [String] {
        let deadline = ContinuousClock.now + budget
        var silent = tiers.levels
        while true {
            var waiting: [CacheTiers.Level] = []
            for level in silent {
                let isUp = await answers(level)
                if !isUp { waiting.append(level) }
            }
            silent = waiting
            guard !silent.isEmpty, ContinuousClock.now < deadline else { return silent.map(\.name) }
            try? await Task.sleep(for: .milliseconds(60))
        }
    }

    private static func answers(_ level: CacheTiers.Level) async -> Bool {
        let failures = level.statistics.failures
        let key = CacheTierKey(namespace: "probe", cacheKey: "probe")
        _ = await level.tier.entry(for: key, within: max(level.rules.budget, .milliseconds(200)))
        return level.statistics.failures == failures && !level.statistics.isOpen
    }

    /// Removes a parameter and returns its value.
    private static func take(_ name: String, from parts: inout URLComponents) -> String? {
        guard let value = parts.queryItems?.first(where: { $0.name == name })?.value else { return nil }
        parts.queryItems = parts.queryItems.flatMap { items in
            let others = items.filter { $0.name != name }
            return others.isEmpty ? nil : others
        }
        return value
    }

    private static func number(_ text: String?, _ name: String) throws(UsageError) -> Duration? {
        guard let text else { return nil }
        guard let number = Int(text), (1...60_000).contains(number) else {
            throw UsageError("the \(name) of a tier is a number from 1 to 60000")
        }
        return .milliseconds(number)
    }
}

extension S3Failure {
    /// What an operator must repair.
    fileprivate var hint: String {
        switch self {
        case .forbidden(let code): "the store refuses the access key (\(code))"
        case .otherRegion(let region): "the bucket is in another region\(region.map { ": \($0)" } ?? "")"
        case .unconfigured(let text): text
        case .refused(let status, let code): "the store answers \(status) \(code)"
        default: "\(self)"
        }
    }
}
