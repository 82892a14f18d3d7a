import Foundation
import WebImage

/// `webimage cache`: shows, fills and purges the disk cache.
enum CacheCommand {
    private static let options: [Option] = [
        .value("cache"), .value("admin"), .value("config"), .flag("target"), .flag("tag"), .flag("prefix"),
        .flag("soft"),
        .value("tier"), .quiet,
    ]

    static let command = Command(options: options + Option.limits) { arguments throws(UsageError) in
        if arguments.operands.first == "purge" { return try CachePurge.invocation(arguments) }
        if let tiers = try TierAddress.tiers(arguments) { return try TierReport.invocation(arguments, tiers) }
        if arguments.operands.first == "import" { return try importing(arguments) }
        let actions: [String: @Sendable (ImageCache, @Sendable (String) -> Void) async -> ExitCode] = [
            "stats": stats, "clear": clear, "verify": verify,
        ]
        guard arguments.operands.count == 1, let action = actions[arguments.operands[0]] else {
            throw UsageError("cache requires one of stats, clear, verify, import, purge")
        }
        let folder = arguments.string("cache")
        guard folder != "none" else { throw UsageError("--cache requires a folder for this command") }
        let say = Console.reporter(isQuiet: arguments.has("quiet"))
        return {
            // Opening the cache would make the folder.
            if let folder, !PathCalls.isFolder(folder) {
                Console.error("\(RawText.shown(folder)): no such folder")
                return .failed
            }
            return await action(CommandCache.cache(folder), say)
        }
    }

    /// Moves the files of a folder of SDWebImage into the cache, under the keys by which SDWebImage named them.
    private static func importing(_ arguments: Arguments) throws(UsageError) -> Command.Invocation {
        let folders = arguments.operands.dropFirst()
        guard !folders.isEmpty else { throw UsageError("cache import requires a folder") }
        let target = arguments.string("cache")
        guard target != "none" else { throw UsageError("--cache requires a folder for this command") }
        let say = Console.reporter(isQuiet: arguments.has("quiet"))
        return {
            let cache = CommandCache.cache(target)
            var code = ExitCode.ok
            for folder in folders {
                let count = await cache.importImages(fromDirectory: URL(fileURLWithPath: folder).path)
                if count > 0 {
                    say("\(RawText.shown(folder)): \(count) files imported")
                } else {
                    Console.error("\(RawText.shown(folder)): no file with a name of SDWebImage could be imported")
                    code = .failed
                }
            }
            await cache.flush()
            return code
        }
    }

    private static func stats(_ cache: ImageCache, _ say: @Sendable (String) -> Void) async -> ExitCode {
        let (count, size) = await cache.diskUsage()
        say("\(cache.diskCachePath): \(count) entries, \(size) B")
        return .ok
    }

    private static func clear(_ cache: ImageCache, _ say: @Sendable (String) -> Void) async -> ExitCode {
        await cache.clearDisk()
        await cache.flush()
        say("\(cache.diskCachePath): empty")
        return .ok
    }

    private static func verify(_ cache: ImageCache, _ say: @Sendable (String) -> Void) async -> ExitCode {
        guard let (checked, removed) = await cache.verifyDisk() else {
            Console.error("\(cache.diskCachePath): cannot be opened")
            return .failed
        }
        say("\(cache.diskCachePath): \(checked) entries read, \(removed) damaged and removed")
        return removed == 0 ? .ok : .failed
    }
}
