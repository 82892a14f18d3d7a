import Foundation
import Testing
import WebImageTesting

@testable import WebImageCore

@Suite struct ProcessorsTests {
    /// A machine with 64 processors whose control groups, version 2, have these files.
    private func count(
        _ files: [String: String], membership: String = "0::/a/b\n", allowed: Int = 64
    ) throws -> Int {
        let scratch = try ScratchFolder()
        for (name, content) in files {
            let file = scratch.url.appendingPathComponent(name)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        return Processors.count(allowed: allowed, membership: membership, root: scratch.url.path)
    }

    static let quotas: [(String, Int)] = [
        ("max 100000\n", 64), ("100000 100000\n", 1), ("150000 100000\n", 2), ("20000 100000\n", 1),
        ("400000 100000", 4), ("9999999 100000\n", 64), ("", 64), ("-1 100000", 64), ("100000 0", 64), ("x y", 64),
        ("100000", 64), ("nan inf", 64),
    ]

    @Test(arguments: quotas) func quotaIsRoundedUp(_ quota: String, _ expected: Int) throws {
        #expect(try count(["a/b/cpu.max": quota]) == expected)
        // The limit of a group applies to all groups in it.
        #expect(try count(["cpu.max": quota, "a/b/cpu.max": "max 100000"]) == expected)
        // In a container the path can be one of the host.
        #expect(try count(["cpu.max": quota], membership: "0::/system.slice/docker-1.scope\n") == expected)
    }

    static let lists: [(String, Int)] = [
        ("0\n", 1), ("0-3\n", 4), ("0-1,8,10-11\n", 5), ("", 64), ("\n", 64), ("3-1", 64), ("a", 64),
        ("0-99999999", 64), ("0-1-2", 64),
    ]

    @Test(arguments: lists) func processorsOfTheGroupAreCounted(_ list: String, _ expected: Int) throws {
        #expect(try count(["a/b/cpuset.cpus.effective": list]) == expected)
    }

    @Test func lowestLimitCounts() throws {
        let files = ["cpu.max": "700000 100000", "a/cpu.max": "500000 100000", "a/b/cpuset.cpus.effective": "0-5"]
        #expect(try count(files) == 5)
        #expect(try count(files, allowed: 3) == 3)
        // A program outside of the group, and one with control groups of version 1.
        #expect(try count(files, membership: "0::/\n") == 7)
        #expect(try count(files, membership: "4:memory:/a\n1:cpu:/a\n") == 7)
        #expect(try count(files, membership: "0::/../a/b\n") == 7)
    }

    /// `taskset` limits the processors on which a program may run.
    @Test func programThatIsBoundToOneProcessorHasOne() async throws {
        let child = Process()
        child.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        child.arguments = ["taskset", "-c", "0", "sleep", "600"]
        try child.run()
        defer { child.terminate() }
        #expect(await eventually { Processors.allowedCount(of: child.processIdentifier) == 1 })
        #expect(Processors.allowedCount(of: -1) == nil)
        #expect(Processors.count >= 1 && Processors.count <= ProcessInfo.processInfo.activeProcessorCount)
    }

    /// Threads inherit the nice value of the thread that starts them, and libdispatch sets that of its own threads.
    @Test(.enabled(if: geteuid() == 0, "only root may lower the nice value again"))
    func threadsKeepTheNiceValueOfTheProgram() async throws {
        let main = id_t(getpid())
        let own = getpriority(.init(PRIO_PROCESS.rawValue), main)
        setpriority(.init(PRIO_PROCESS.rawValue), main, own + 3)
        defer { setpriority(.init(PRIO_PROCESS.rawValue), main, own) }
        for quality in [DispatchQoS.QoSClass.userInitiated, .default, .utility] {
            // A pool of its own for each, because a thread of a pool is used again.
            let pool = DecodePool(width: 1, byteBudget: .max / 2, nice: { 0 })
            let threads = WorkerThreads(name: "nice", most: 1)
            let nice = await withCheckedContinuation { (continuation: CheckedContinuation<[Int32], Never>) in
                let values = Locked<[Int32]>([])
                let note: @Sendable () -> Void = {
                    let all = values.withLock { values in
                        values.append(getpriority(.init(PRIO_PROCESS.rawValue), 0))
                        return values
                    }
                    if all.count == 2 { continuation.resume(returning: all) }
                }
                DispatchQueue.global(qos: quality).async {
                    pool.submit(priority: .normal) { note() }
                    let work = Locked<(@Sendable () -> Void)?>(note)
                    threads.wake { work.withLock { $0.take() } }
                }
            }
            #expect(nice.allSatisfy { $0 >= own + 3 }, "\(quality): \(nice)")
        }
    }
}
