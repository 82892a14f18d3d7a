import Foundation
import WebImage
import WebImageCommandLine

/// `webimage cache`: shows, fills and purges the disk cache.
enum CacheCommand {
    static let text = CommandText(
        name: "cache", head: "cache stats|clear|verify|import|purge",
        summary: "show, empty or check the disk cache",
        usage: ["webimage cache (stats|clear|verify|import|purge) [OPTIONS] [FOLDER...|SOURCE...]"],
        parts: [
            .words([
                ("stats", "entries and bytes"),
                ("clear", "remove everything"),
                ("verify", "read every entry and remove damaged ones; exit code 2 if there were any"),
                ("import FOLDER...", "move the files of a folder of SDWebImage, named by MD5 digests, into the cache"),
                ("purge SOURCE...", "remove what 'webimage serve' stores of these URLs, in all sizes"),
            ]),
            .options([
                .value("cache", "DIR", "the folder of the disk cache (default: the user's cache folder)"),
                .value(
                    "admin", "ADDRESS",
                    """
                    purge: ask the service at its --admin address, with the token of WEBIMAGE_PURGE_TOKEN or
                    of the configuration (default: its caches' folder; a running service sees it in 5 s)
                    """),
                .flag(
                    "target",
                    """
                    purge: the operands are targets; exactly their results are removed, with tiers
                    all results of their sources
                    """),
                .flag(
                    "tag",
                    """
                    purge: the operands are tags of targets (cache-tag) or of sources (Cache-Tag,
                    Surrogate-Key)
                    """),
                .flag("prefix", "purge: the operands are the beginnings of sources, such as https://example.org/a/"),
                .flag("soft", "purge: with --tag or --prefix, results are used while they are made again"),
                .value(
                    "tier", "URL",
                    """
                    stats, verify: a cache of several machines, valkey://HOST or s3://BUCKET; repeatable.
                    purge: the tiers of the service
                    """),
                .value("config", "FILE", "purge: the configuration of the service"),
                .quiet,
            ]),
            .options(CommandOption.limits),
            .examples([
                "webimage cache stats",
                "webimage cache verify --cache pictures.cache",
                "webimage cache purge --config /etc/webimage/serve.conf https://example.org/a.jpg",
            ]),
        ])

    static let command = Command(text) { arguments throws(UsageError) in
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
