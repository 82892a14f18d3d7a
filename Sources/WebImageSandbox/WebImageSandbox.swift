import CWebImageSandbox
import Foundation
public import WebImageCore
import WebImagePages

/// Decoding in restricted processes.
///
/// ``enable(_:coders:)`` replaces the decoders of this package by decoders that run in worker processes. A worker can do
/// nothing but decode: it opens no file and no connection, starts no program and reads no other process. A file that
/// takes over its decoder gets no further than this process, and a file that crashes it or takes too long costs only
/// this one picture.
///
/// Web pages, which link previews read, are parsed in workers too, whatever formats ``Configuration/formats`` names.
///
/// Encoders, transformers and caches stay in this process, because they work on pixels that were checked. Coders that the
/// program adds itself stay in this process too; ``Status/hostCoders`` lists them.
public enum WebImageSandbox {
    /// What happens to pictures when no worker can start.
    public enum Unavailable: String, Sendable {
        /// The load fails with `.sandboxUnavailable`.
        case fail
        /// This process decodes the picture, without partial images. A hostile picture is then not isolated.
        case decodeHere
    }

    /// Where and how workers run.
    public struct Configuration: Sendable {
        /// The most workers at a time, idle ones included. At least 1. The default is the number of cores, at least 2,
        /// plus 4, so that workers for other formats and other cache scopes need not make room at once.
        public var maxWorkers: Int {
            // The cores are counted by reading files, for which `enable()` need not wait.
            get { chosenMaxWorkers ?? SandboxPool.Configuration().mostWorkers }
            set { chosenMaxWorkers = newValue }
        }
        private var chosenMaxWorkers: Int?
        /// The time after which a worker without work ends.
        public var idleLifetime: Duration = .seconds(30)
        /// The number of files after which a worker is replaced; 1 means a process for each file, and another one for
        /// reading its header before.
        public var picturesPerWorker = 1000
        /// The memory in bytes that a worker may add to its own at its start; 0 means no limit.
        public var memoryBytes = 2 << 30
        /// What happens to pictures when no worker can start.
        public var whenUnavailable = Unavailable.fail
        /// The formats that workers decode; nil means all formats that the coders of this package read. A program can so
        /// isolate only formats with large libraries, such as PDF and raw files, and decode JPEG without the cost of a
        /// worker.
        public var formats: Set<ImageFormat>?
        /// The path of a program that links this library, to be executed as worker. Nil means this program. A plug-in
        /// and a program in another language must name one.
        public var workerExecutable: String?

        /// Makes the default configuration.
        public init() {}
    }

    /// What is decoded where.
    public struct Status: Sendable, Equatable {
        /// Whether decoders run in workers.
        public var isEnabled = false
        /// The formats that workers decode.
        public var formats: [ImageFormat] = []
        /// The names of the registered coders that decode in this process.
        public var hostCoders: [String] = []
    }

    /// The restrictions of the workers of some formats.
    public struct Protection: Sendable, Equatable {
        /// The formats that these workers decode.
        public var formats: [ImageFormat]
        /// The name of the profile.
        public var profile: String
        /// Whether only the listed system calls are possible (seccomp). Always true: without it, no worker starts.
        public var allowsOnlyListedSystemCalls: Bool
        /// The version of the kernel's interface that limits files (Landlock); 0 if the kernel has none.
        public var landlockVersion: Int
        /// Whether the worker has namespaces of its own for users, files and network.
        public var hasNamespaces: Bool
        /// Whether the worker may read the folders of fonts.
        public var readsFonts: Bool
    }

    /// What workers have done since ``enable(_:coders:)``.
    public struct Statistics: Sendable, Equatable {
        /// The workers that exist now.
        public var workers = 0
        /// The workers that became ready.
        public var started = 0
        /// The pictures, frames and partial images that workers were asked for.
        public var pictures = 0
        /// How many workers ended, by reason: `crash`, `deadline`, `cancelled`, `violation`, `lost` (exited or killed by
        /// another process), `recycled` (after their number of pictures), `retired` (no work), `start` (not ready).
        public var ended: [String: Int] = [:]
        /// How many requests waited for a worker.
        public var waits = 0
        /// The time of requests that was not spent on decoding: copies, messages, and waiting for the kernel.
        public var transit: Duration = .zero
    }

    /// Decodes in workers from now on. Call it once, after the program has added its coders.
    ///
    /// The call starts no process and takes less than a millisecond. The first worker starts in the background with the
    /// first load that is not answered from memory, so that it is usually ready when the picture has arrived. Coders of
    /// this package that the program adds later decode in workers too; a coder that a request names is used itself.
    ///
    /// If the environment variable `WEBIMAGE_SANDBOX_MODE` is `off`, nothing changes; if it is `required`,
    /// ``Unavailable/decodeHere`` is ignored.
    ///
    /// - Parameters:
    ///   - configuration: where and how workers run.
    ///   - coders: the list whose coders are replaced.
    /// - Returns: what is decoded where.
    /// - Throws: `.sandboxUnavailable` if the program cannot be its own worker and names no other, and if this function
    ///   was called before.
    @discardableResult
    public static func enable(
        _ configuration: Configuration = Configuration(), coders: ImageCodersManager = .shared
    ) throws(WebImageError) -> Status {
        if configuration.formats == nil { DecoderIsolation.decide() }
        let mode = getenv("WEBIMAGE_SANDBOX_MODE").map { String(cString: $0) }
        if mode == "off" { return status(of: coders) }
        var configuration = configuration
        if mode == "required" { configuration.whenUnavailable = .fail }
        if configuration.whenUnavailable == .fail { try checkExecutable(configuration.workerExecutable) }
        let host = SandboxHost(configuration)
        let formats = configuration.formats
        // A second call returns after the coders were replaced, whichever call does it.
        guard SandboxHost.install(host, { coders.replaceCoders { isolatedCoder(for: $0, formats) } }) else {
            throw WebImageError(
                .sandboxUnavailable, stage: .decode, underlying: .message("the sandbox is already enabled"),
                hint: "Call enable() once, at the start of the program.")
        }
        PageReader.isolate { page, charset throws(WebImageError) in
            try SandboxPage(page, charset: charset).content(host)
        }
        if formats?.contains(.jpeg) ?? true { DecoderIsolation.prepare { host.pool.prepare(.basic) } }
        return status(of: coders)
    }

    /// Returns the coder that decodes in workers in place of a coder of this package for one of these formats, and any other
    /// coder itself.
    private static func isolatedCoder(for coder: any ImageCoder, _ formats: Set<ImageFormat>?) -> any ImageCoder {
        guard let type = SandboxProfile.coderType(of: coder), isIsolated(type, formats) else { return coder }
        return type.sandboxed
    }

    private static func isIsolated(_ type: any SandboxableCoder.Type, _ formats: Set<ImageFormat>?) -> Bool {
        formats.map { !$0.isDisjoint(with: type.formats) } ?? true
    }

    /// Returns the coders with those of this package replaced by coders that decode in workers.
    package static func isolated(_ coders: [any ImageCoder]) -> [any ImageCoder] {
        coders.map { isolatedCoder(for: $0, nil) }
    }

    /// Enables the default sandbox, unless one is enabled, and leaves all lists of coders as they are.
    package static func enableForTests() {
        var configuration = Configuration()
        // Tests count processes; none may end on its own meanwhile.
        configuration.idleLifetime = .seconds(3600)
        _ = SandboxHost.install(SandboxHost(configuration))
    }

    /// Returns what is decoded where now.
    public static func status(of coders: ImageCodersManager = .shared) -> Status {
        var status = Status()
        let formats = SandboxHost.installed?.formats
        for coder in coders.resolvedCoders {
            // A coder of this package is none of another process. A cast would search all types of the program: 8 million
            // instructions for the coders of the command, at each start.
            if let type = SandboxProfile.coderType(of: coder.registered) {
                // The coder that decodes in workers need not exist yet.
                if coder.isReplaced, isIsolated(type, formats) {
                    status.formats += type.formats
                } else {
                    status.hostCoders.append("\(type)")
                }
            } else if let isolated = coder.registered as? any IsolatedCoder {
                status.formats += isolated.isolatedFormats
            } else {
                status.hostCoders.append("\(type(of: coder.registered))")
            }
        }
        status.isEnabled = !status.formats.isEmpty
        return status
    }

    /// Starts a worker for each kind of format and returns its restrictions. Blocks the calling thread for up to a
    /// second; the call is meant for a program's start and for reports.
    ///
    /// - Parameter formats: the formats of interest.
    /// - Throws: `.sandboxUnavailable` with the cause if a worker cannot start. `.unsupportedFormat` for formats that no
    ///   worker decodes.
    public static func protections(
        of formats: [ImageFormat], _ configuration: Configuration = Configuration()
    ) throws(WebImageError) -> [Protection] {
        var result: [Protection] = []
        for format in formats {
            guard let profile = SandboxProfile(format) else {
                throw WebImageError(
                    .unsupportedFormat, stage: .decode, underlying: .message("no worker decodes \(format)"))
            }
            if let known = result.firstIndex(where: { $0.profile == profile.rawValue }) {
                result[known].formats.append(format)
                continue
            }
            let worker = try SandboxWorker(profile, configuration: configuration.pool.worker)
            result.append(
                Protection(
                    formats: [format], profile: profile.rawValue,
                    allowsOnlyListedSystemCalls: worker.protections.hasFilter,
                    landlockVersion: worker.protections.landlock,
                    hasNamespaces: worker.protections.hasNamespaces,
                    readsFonts: profile == .svg && worker.protections.landlock > 0))
        }
        return result
    }

    /// What workers have done; nil before ``enable(_:coders:)``.
    public static var statistics: Statistics? {
        guard let pool = SandboxHost.installed?.pool.statistics else { return nil }
        var result = Statistics()
        (result.workers, result.started, result.pictures) = (pool.workers, pool.started, pool.pictures)
        (result.waits, result.transit) = (pool.waits, pool.transit)
        for end in SandboxWorker.End.allCases { result.ended[end.rawValue] = pool.ended[end] ?? 0 }
        result.ended["recycled"] = pool.recycled
        result.ended["retired"] = pool.retired
        result.ended["start"] = pool.failedStarts
        return result
    }

    private static func checkExecutable(_ path: String?) throws(WebImageError) {
        if let path {
            guard access(path, X_OK) == 0 else {
                throw .noWorker("\(path): \(String(cString: strerror(errno)))")
            }
        } else {
            guard webimage_sandbox_is_in_executable() else {
                throw .noWorker("this program does not contain the worker")
            }
            guard !webimage_sandbox_is_privileged() else {
                throw .noWorker("this program has the rights of its file's owner (setuid or capabilities)")
            }
        }
    }
}

extension WebImageSandbox.Configuration {
    var pool: SandboxPool.Configuration {
        var pool = SandboxPool.Configuration()
        pool.mostWorkers = max(maxWorkers, 1)
        pool.picturesPerWorker = max(picturesPerWorker, 1)
        pool.idleLifetime = idleLifetime
        pool.worker.executable = workerExecutable
        pool.worker.memoryBytes = max(memoryBytes, 0)
        return pool
    }
}

/// The sandbox of this process. There is at most one, because coders for one picture are made from their type alone.
final class SandboxHost: Sendable {
    private static let shared = Locked<SandboxHost?>(nil)
    private static let hasWarned = Locked(false)

    let decodesHere: Bool
    /// The formats that workers decode; nil means all.
    var formats: Set<ImageFormat>? { configuration.formats }
    private let configuration: WebImageSandbox.Configuration
    private let madePool = Locked<SandboxPool?>(nil)

    init(_ configuration: WebImageSandbox.Configuration) {
        self.configuration = configuration
        decodesHere = configuration.whenUnavailable == .decodeHere
    }

    /// The decoder processes. Made at the first use: the types of its state take the runtime longer than all of `enable()`.
    var pool: SandboxPool {
        madePool.withLock { made in
            if let made { return made }
            let pool = SandboxPool(configuration.pool)
            made = pool
            return pool
        }
    }

    /// Calls `body` and returns true, or returns false if another one is installed.
    static func install(_ host: SandboxHost, _ body: () -> Void = {}) -> Bool {
        shared.withLock { shared in
            guard shared == nil else { return false }
            shared = host
            body()
            return true
        }
    }

    static var installed: SandboxHost? { shared.withLock { $0 } }

    static func current() throws(WebImageError) -> SandboxHost {
        guard let host = installed else { throw .noWorker("the sandbox is not enabled") }
        return host
    }

    static func warnOnce(_ error: WebImageError) {
        let isFirst = hasWarned.withLock { hasWarned in
            defer { hasWarned = true }
            return !hasWarned
        }
        guard isFirst else { return }
        WebImageLog.shared.log(.warning, "Pictures are decoded in this process: \(error)")
    }
}
