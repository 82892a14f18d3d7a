import Foundation
import Testing
import WebImage
import WebImageServerTesting
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// `webimage serve` within small limits of the process: it says what it needs, or works with less.
@Suite(.timeLimit(minutes: 4), .serialized) struct ServeLimitsTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    private func shell(_ limits: String) -> [String] { ["/bin/bash", "-c", "\(limits) && exec \"$@\"", "bash"] }

    @Test(arguments: [
        ("ulimit -n 24", "the limit of open files is 24, and the service needs at least "),
        ("ulimit -n 60", "the limit of open files is 60, and the service needs at least "),
        ("ulimit -v 2000000", "the limit of the address space is 1953 MB, and the service needs "),
    ])
    func limitThatIsTooSmallIsRefusedWithItsNumbers(limits: String, message: String) throws {
        let outcome = try Tool.run(
            ["serve", "--listen", "127.0.0.1:0", "--cache-dir", scratch.url.path],
            // A service that is not refused would run until the test is ended.
            through: ["/usr/bin/timeout", "20"] + shell(limits))
        #expect(outcome.code != 0 && outcome.errors.contains(message), "\(outcome.errors)")
    }

    @Test func fewDescriptorsServeFewConnections() async throws {
        let origin = try FaultServer()
        defer { origin.stop() }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 8, height: 8), format: .png, options: EncodingOptions())
        origin.routeOthers(.body(picture, headers: ["Cache-Control": "max-age=600"]))
        let service = try await RunningService(in: scratch, through: shell("ulimit -n 150"))
        defer { service.stop() }
        #expect(service.errors.contains("max-connections: "), "\(service.errors)")
        let address = try service.address
        // More clients than connections. Each is answered, with a picture or with 503 or 429.
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<200 {
                group.addTask {
                    try await onThread {
                        try RawClient(address).get("/_/w:4/plain/\(origin.url("/\(number).png").absoluteString)").status
                    }
                }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 503, 429]) && statuses[200, default: 0] > 0, "\(statuses)")
        #expect(try await onThread { service.stop() } == 0)
    }

    private static let canChangeUser =
        getuid() == 0 && FileManager.default.isExecutableFile(atPath: "/usr/bin/setpriv")

    /// The kernel limits the threads of a user, but not those of root.
    @Test(.enabled(if: canChangeUser)) func limitOfThreadsIsCheckedOrEnough() async throws {
        chmod(scratch.url.path, 0o777)
        // A user of this run alone: the kernel counts the threads of all processes of a user, also those that another run
        // has left.
        let number = 100_000 + getpid()
        let user = ["/usr/bin/setpriv", "--reuid=\(number)", "--regid=\(number)", "--clear-groups"]
        let few = try Tool.run(
            ["serve", "--listen", "127.0.0.1:0", "--cache-dir", scratch.url.path],
            through: user + ["/usr/bin/timeout", "20"] + shell("ulimit -u 12"))
        #expect(few.code != 0 && few.errors.contains("the limit of processes and threads of this user is 12"))
        // "… of them exist, and the service needs NUMBER more"
        let needed = few.errors.split(separator: " ").compactMap { Int($0) }.last ?? 0
        let origin = try FaultServer()
        defer { origin.stop() }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.solid(width: 8, height: 8), format: .png, options: EncodingOptions())
        origin.routeOthers(.body(picture, headers: ["Cache-Control": "max-age=600"]))
        // About the smallest number that is accepted: each request is answered, and the service ends when it is told to.
        let service = try await RunningService(in: scratch, through: user + shell("ulimit -u \(needed + 2)"))
        defer { service.stop() }
        let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<40 {
                group.addTask {
                    try await service.get("/_/w:4/plain/\(origin.url("/\(number).png").absoluteString)").status
                }
            }
            return try await group.reduce(into: [Int: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(Set(statuses.keys).isSubset(of: [200, 503, 429]) && statuses[200, default: 0] > 0, "\(statuses)")
        #expect(try await onThread { service.stop() } == 0)
    }

    /// While decoder processes are killed and few of them may start, cached results need none.
    @Test func cachedResultsAreServedWhileDecodersAreKilled() async throws {
        let origin = try FaultServer()
        defer { origin.stop() }
        let picture = try ImageCodersManager.shared.encode(
            try TestImages.noise(width: 200, height: 200), format: .png, options: EncodingOptions())
        origin.routeOthers(.body(picture, headers: ["Cache-Control": "max-age=600"]))
        func target(_ number: Int) -> String { "/_/w:\(number + 4)/plain/\(origin.url("/a.png").absoluteString)" }
        let first = try await RunningService(in: scratch)
        for number in 0..<8 { #expect(try await first.get(target(number)).status == 200) }
        #expect(try await onThread { first.stop() } == 0)

        let service = try await RunningService(["--access-log", "json"], in: scratch)
        defer { service.stop() }
        let isOver = Locked(false)
        let killer = Thread {
            while !isOver.withLock({ $0 }) {
                for child in Self.children(of: service.identifier) { kill(child, SIGKILL) }
                // Often, but not without a pause, which would leave no processor to the service.
                usleep(500)
            }
        }
        killer.start()
        defer { isOver.withLock { $0 = true } }
        // These need a decoder, so few of them are answered with a picture now.
        let others = Task {
            try await withThrowingTaskGroup(of: (status: Int, retry: String?).self) { group in
                for number in 100..<140 {
                    group.addTask {
                        let answer = try await service.get(target(number))
                        return (answer.status, answer.fields["retry-after"])
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }
        // From the disk, then from memory.
        for _ in 0..<30 {
            for number in 0..<8 { #expect(try await service.get(target(number)).status == 200) }
        }
        for answer in try await others.value where answer.status != 200 {
            // A picture whose decoder was killed is refused as damaging it; one that has waited in vain, for now.
            #expect([413, 415, 422, 500, 503].contains(answer.status), "\(answer)")
            #expect(answer.status != 503 || answer.retry != nil)
        }
        isOver.withLock { $0 = true }
        // A line is written after its answer.
        #expect(try await onThread { service.stop() } == 0)
        let cached = service.entries.filter { ["memory", "disk"].contains($0["outcome"] as? String ?? "") }
        #expect(cached.count >= 240, "\(service.entries.map { $0["outcome"] ?? "-" })")
    }

    private static func children(of parent: Int32) -> [Int32] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.compactMap(Int32.init).filter { process in
            guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8),
                let end = text.lastIndex(of: ")")
            else { return false }
            return text[end...].split(separator: " ").dropFirst(2).first.flatMap { Int32($0) } == parent
        }
    }

    /// One line when a tier goes, and one when it is back.
    @Test(.needsValkey) func tierThatGoesAndComesBackIsInTheLog() async throws {
        let server = try ValkeyServer()
        defer { server.stop() }
        let service = try await RunningService(["--tier", server.address], in: scratch)
        defer { service.stop() }
        func count(_ text: String) -> Int { service.errors.components(separatedBy: "tier valkey: \(text)").count - 1 }
        // On a busy machine the first connection may come late.
        #expect(await eventually { count("does not answer") == count("answers again") })
        let before = count("does not answer")
        server.kill()
        #expect(await eventually { count("does not answer") == before + 1 })
        try server.start()
        #expect(await eventually { count("answers again") == before + 1 })
        #expect(count("does not answer") == before + 1)
    }
}
