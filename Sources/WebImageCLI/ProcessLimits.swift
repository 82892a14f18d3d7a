import Foundation
import WebImageCore
import WebImageService

/// The limits of the process (`ulimit`), compared with what the settings of a service need.
///
/// A process that meets a limit while it runs can neither accept a connection nor start a thread, so a service that cannot
/// work is refused at its start, with the numbers.
enum ProcessLimits {
    /// What a service uses while it has no client: its caches, reactors, engine and log. Idle, 35 descriptors and 12 threads
    /// were seen.
    private static let idle = (descriptors: 64, threads: 24)
    /// The connections to clients, and those to sources, with which a service is of use.
    private static let least = (clients: 16, sources: 16)
    /// The address space of the process with its libraries and the stacks of its threads, without pictures: 1.0 GB was seen.
    private static let addressSpace: UInt64 = 5 << 28

    /// Checks the limits, after ``raiseDescriptors()``.
    static func check(_ configuration: ServiceConfiguration) throws(UsageError) {
        let width = DecodePool.shared.width
        let descriptors = UInt64(reserved(width) + least.sources + least.clients)
        if let limit = limit(RLIMIT_NOFILE), limit < descriptors {
            throw UsageError(
                "the limit of open files is \(limit), and the service needs at least \(descriptors); raise it with"
                    + " 'ulimit -n' or LimitNOFILE=")
        }
        let space =
            addressSpace + UInt64(max(configuration.maxResultMemory, 0))
            + UInt64(max(configuration.resultMemoryBytes, 0))
        if let limit = limit(RLIMIT_AS), limit < space {
            throw UsageError(
                "the limit of the address space is \(limit >> 20) MB, and the service needs \(space >> 20) MB with these"
                    + " settings; raise it with 'ulimit -v' or LimitAS=, or lower max-result-memory")
        }
        // The kernel does not apply this limit to root.
        let threads = UInt64(idle.threads + 4 * width)
        if geteuid() != 0, let limit = limit(__RLIMIT_NPROC), limit < 4_096 {
            let used = UInt64(threadsOfThisUser())
            guard used + threads > limit else { return }
            throw UsageError(
                "the limit of processes and threads of this user is \(limit), \(used) of them exist, and the service needs"
                    + " \(threads) more; raise it with 'ulimit -u' or TasksMax= and LimitNPROC=")
        }
    }

    /// The most connections to clients for which descriptors are left.
    static func mostConnections(_ configuration: ServiceConfiguration) -> Int {
        guard let limit = limit(RLIMIT_NOFILE) else { return .max }
        let width = DecodePool.shared.width
        let sources = max(least.sources, min(configuration.queuePerHost, 8 * width))
        return max(Int(clamping: limit) - reserved(width) - sources, least.clients)
    }

    /// Raises the soft limit of open descriptors to the hard limit, because every connection needs a descriptor.
    static func raiseDescriptors() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }

    /// A decoder process has a socket and a handle; one that starts has two more of each.
    private static func reserved(_ width: Int) -> Int { idle.descriptors + 4 * width }

    /// The soft limit; nil for none.
    private static func limit(_ resource: __rlimit_resource) -> UInt64? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(resource.rawValue), &limit) == 0, limit.rlim_cur != rlim_t.max else {
            return nil
        }
        return UInt64(limit.rlim_cur)
    }

    private static func threadsOfThisUser() -> Int {
        let user = getuid()
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.reduce(0) { count, name in
            var status = stat()
            guard Int(name) != nil, stat("/proc/\(name)", &status) == 0, status.st_uid == user else { return count }
            return count + ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(name)/task"))?.count ?? 1)
        }
    }
}
