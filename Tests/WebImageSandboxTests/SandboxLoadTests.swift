import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageSandbox

/// Loads that share work, are cancelled and belong to several scopes, with decoders in processes.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxLoadTests {
    private let folder: ScratchFolder
    private let manager: WebImageManager
    private let data: Data

    init() throws {
        folder = try ScratchFolder()
        var configuration = WebImageConfiguration(name: "sandbox")
        configuration.folder = folder.url
        configuration.coders = TestSandbox.coders
        manager = WebImageManager(configuration)
        data = try ImagePNGCoder.shared.encode(
            gradient(width: 300, height: 200), format: .png, options: EncodingOptions())
    }

    private func file(_ name: String) throws -> URL {
        let url = folder.url.appendingPathComponent(name)
        try data.write(to: url)
        return url
    }

    private func cancelledWorkers() -> Int { TestSandbox.pool.statistics.ended[.cancelled] ?? 0 }

    /// Stops the only worker that loads of no scope use, so that a request waits in it. Returns its process.
    private func stopWorker() throws -> Int32 {
        let pool = TestSandbox.pool
        let process = try pool.withWorker(pool.kind(.basic)) { $0.processIdentifier }
        kill(process, SIGSTOP)
        return process
    }

    /// Waits until two loads of one picture wait for the answer of the stopped worker.
    private func waitForTheStoppedWorker(_ url: URL) async throws {
        #expect(await eventually { manager.subscriberCount(of: url) == 2 && TestSandbox.pool.busyCount == 1 })
        // For the way from the pool to the worker.
        try await Task.sleep(for: .milliseconds(300))
    }

    private func load(_ url: URL) -> Task<PixelSize?, any Error> {
        Task { [manager] in try await manager.image(for: url).pixelSize }
    }

    @Test func secondSubscriberKeepsTheWorkerOfACancelledFirstOne() async throws {
        let url = try file("a.png")
        let before = cancelledWorkers()
        let process = try stopWorker()
        let (first, second) = (load(url), load(url))
        try await waitForTheStoppedWorker(url)
        first.cancel()
        await #expect(throws: (any Error).self) { try await first.value }
        try await Task.sleep(for: .milliseconds(100))
        #expect(cancelledWorkers() == before)
        kill(process, SIGCONT)
        #expect(try await second.value == PixelSize(width: 300, height: 200))
        #expect(cancelledWorkers() == before)
    }

    @Test func lastSubscriberThatLeavesEndsTheWorkerAndTheNextLoadWorks() async throws {
        let url = try file("b.png")
        let before = cancelledWorkers()
        let process = try stopWorker()
        let loads = [load(url), load(url)]
        try await waitForTheStoppedWorker(url)
        for load in loads { load.cancel() }
        for load in loads { await #expect(throws: (any Error).self) { try await load.value } }
        #expect(await eventually { cancelledWorkers() == before + 1 })
        #expect(await eventually { kill(process, 0) != 0 })
        #expect(try await load(url).value == PixelSize(width: 300, height: 200))
    }

    /// Jobs of several scopes are cancelled at random moments, while workers are replaced after three files.
    @Test func cancelStormLeavesNothing() async throws {
        var random = SeededRandom.printingSeed()
        var configuration = SandboxPool.Configuration()
        (configuration.mostWorkers, configuration.picturesPerWorker) = (3, 3)
        // Templates make the workers; ends in the middle of a fork are part of the storm.
        let live = HandleLedger.live["decoder process"] ?? 0
        let pool = SandboxPool(configuration)
        let expected = rows(try ImagePNGCoder.shared.decode(data, options: DecodingOptions()))
        _ = try pool.decode(data)
        let before = openDescriptors()
        let outcomes = Locked((whole: 0, cancelled: 0, others: [String]()))
        let owners: [FileOwner] = [.shared, .shared, .scoped("a"), .scoped("b"), .unknown]
        let jobs = (0..<120).map { _ in
            (owners.randomElement(using: &random)!, UInt32.random(in: 0...40_000, using: &random))
        }
        let next = Locked(0)
        let group = DispatchGroup()
        for _ in 0..<4 {
            group.enter()
            Thread { [data] in
                while let (owner, delay) = next.withLock({ next -> (FileOwner, UInt32)? in
                    defer { next += 1 }
                    return next < jobs.count ? jobs[next] : nil
                }) {
                    let budget = WorkBudget(time: nil)
                    Thread.detachNewThread {
                        usleep(delay)
                        budget.cancel()
                    }
                    do throws(WebImageError) {
                        let image = try budget.run { () throws(WebImageError) in
                            try owner.run { () throws(WebImageError) in
                                try SandboxAnimation.decode(
                                    data, pool: pool, coder: ImagePNGCoder.workerCoder, options: DecodingOptions()
                                ).image
                            }
                        }
                        outcomes.withLock { outcomes in
                            if rows(image) == expected { outcomes.whole += 1 } else { outcomes.others.append("pixels") }
                        }
                    } catch {
                        outcomes.withLock { outcomes in
                            if error.code == .cancelled {
                                outcomes.cancelled += 1
                            } else {
                                outcomes.others.append("\(error)")
                            }
                        }
                    }
                }
                group.leave()
            }.start()
        }
        #expect(await eventually { group.wait(timeout: .now()) == .success })
        let result = outcomes.withLock { $0 }
        #expect(result.others.isEmpty && result.whole > 0 && result.cancelled > 0, "\(result)")
        #expect(pool.statistics.workers <= 3)
        #expect(rows(try pool.decode(data)) == expected)
        pool.shutDown()
        #expect(await eventually { pool.statistics.workers == 0 && openDescriptors() <= before })
        #expect(await eventually { (HandleLedger.live["decoder process"] ?? 0) == live })
    }

    /// More scopes than workers, in turn and at the same time.
    @Test func manyScopesInTurnShareFewWorkers() async throws {
        var configuration = SandboxPool.Configuration()
        configuration.mostWorkers = 2
        let pool = SandboxPool(configuration)
        defer { pool.shutDown() }
        let seen = Locked<[Int32: Set<String>]>([:])
        let failures = Locked(0)
        let group = DispatchGroup()
        for thread in 0..<3 {
            group.enter()
            Thread { [data] in
                for round in 0..<12 {
                    let scope = "\((thread + round) % 5)"
                    let result: Int32? = try? FileOwner.scoped(scope).run { () throws(WebImageError) in
                        try pool.withWorker(pool.kind(.basic)) { worker throws(WebImageError) in
                            var request = SandboxRequest(.decode)
                            request.coder = ImagePNGCoder.workerCoder.index
                            _ = try worker.image(request, .data(data))
                            return worker.processIdentifier
                        }
                    }
                    guard let result else {
                        failures.withLock { $0 += 1 }
                        continue
                    }
                    seen.withLock { _ = $0[result, default: []].insert(scope) }
                }
                group.leave()
            }.start()
        }
        #expect(await eventually { group.wait(timeout: .now()) == .success })
        #expect(failures.withLock { $0 } == 0 && pool.statistics.workers <= 2)
        #expect(seen.withLock { $0.values.allSatisfy { $0.count == 1 } })
    }
}
