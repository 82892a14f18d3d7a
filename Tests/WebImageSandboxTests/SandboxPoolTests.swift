import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

@Suite struct SandboxBackOffTests {
    @Test func failedStartsDoubleThePauseUpToThirtySeconds() {
        var backOff = SandboxBackOff()
        var now = Duration.zero
        for pause in [100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
            backOff.failedToStart(at: now)
            #expect(backOff.isUnavailable)
            #expect(backOff.pause(at: now) == .milliseconds(pause))
            now += .milliseconds(pause)
            #expect(backOff.pause(at: now) == nil)
        }
        backOff.started(at: now)
        #expect(!backOff.isUnavailable && backOff.pause(at: now) == nil)
    }

    @Test func threeDeathsWithinTenSecondsLimitTheStarts() {
        var backOff = SandboxBackOff()
        backOff.started(at: .zero)
        for second in [1, 2] { backOff.died(at: .seconds(second)) }
        #expect(backOff.pause(at: .seconds(2)) == nil)
        backOff.died(at: .seconds(3))
        backOff.started(at: .seconds(3))
        #expect(backOff.pause(at: .seconds(3)) == .milliseconds(250))
        #expect(backOff.pause(at: .milliseconds(3250)) == nil)
        // Ten seconds after the first of them.
        backOff.started(at: .seconds(11))
        #expect(backOff.pause(at: .seconds(11)) == nil)
    }
}

@Suite(.serialized, .timeLimit(minutes: 2))
struct SandboxPoolTests {
    private func png() throws -> Data {
        try ImagePNGCoder.shared.encode(
            gradient(width: 60, height: 40), format: .png, options: EncodingOptions())
    }

    private func pool(
        clock: any DelayClock = SystemClock(), _ change: (inout SandboxPool.Configuration) -> Void = { _ in }
    ) -> SandboxPool {
        var configuration = SandboxPool.Configuration()
        change(&configuration)
        return SandboxPool(configuration, clock: clock)
    }

    @Test func workerServesManyPicturesAndIsReplacedAfterItsNumber() throws {
        let pool = pool { $0.picturesPerWorker = 5 }
        defer { pool.shutDown() }
        let data = try png()
        for _ in 0..<12 {
            #expect(try pool.decode(data, profile: .basic, options: DecodingOptions()).pixelSize.width == 60)
        }
        let statistics = pool.statistics
        #expect(statistics.started == 3 && statistics.recycled == 2 && statistics.pictures == 12)
        #expect(statistics.workers == 1)
    }

    @Test func successorIsReadyBeforeAWorkerIsReplaced() async throws {
        let pool = pool { $0.picturesPerWorker = 20 }
        defer { pool.shutDown() }
        let data = try png()
        for _ in 0..<17 { _ = try pool.decode(data) }
        #expect(pool.statistics.workers == 1)
        _ = try pool.decode(data)
        #expect(await eventually { pool.statistics.started == 2 && pool.idleCount == 2 })
        for _ in 0..<15 { _ = try pool.decode(data) }
        let statistics = pool.statistics
        #expect(statistics.recycled == 1 && statistics.started == 2 && statistics.workers == 1)
        // Only the first request waited for the start of a worker.
        #expect(statistics.waits == 1)
    }

    @Test func processForEachPictureServesNoOtherFile() throws {
        let pool = pool { $0.picturesPerWorker = 1 }
        defer { pool.shutDown() }
        let gif = try animation(.gif)
        let coder = try SandboxProfile.basic.workerCoder(of: gif)
        let opened = try SandboxAnimation.decode(gif, pool: pool, coder: coder, options: DecodingOptions()).animation
        let frames = try #require(opened)
        for index in 0..<3 { _ = try frames.frame(at: index) }
        // The animation keeps its worker, and no other file gets it.
        #expect(pool.statistics.started == 1 && pool.statistics.workers == 1)
        _ = try pool.decode(png())
        _ = try pool.decode(png())
        #expect(pool.statistics.started == 3 && pool.statistics.workers == 1)
    }

    @Test func templateMakesWorkersThatDecodeAlike() throws {
        let configuration = SandboxWorker.Configuration()
        let template = try SandboxTemplate(.basic, configuration)
        let data = try png()
        let expected = rows(try ImagePNGCoder.shared.decode(data, options: DecodingOptions()))
        for _ in 0..<3 {
            let worker = try SandboxWorker(.basic, configuration: configuration, from: template)
            #expect(try rows(worker.decode(data)) == expected)
            // A crash is reported as that of any other worker.
            #expect(worker.attempt(try Attempts.fault("crash")) == .ended(signal: SIGSEGV))
        }
        #expect(template.isUsable)
    }

    @Test func workersStartWithoutTheirTemplate() throws {
        let configuration = SandboxWorker.Configuration()
        let template = try SandboxTemplate(.basic, configuration)
        kill(template.processIdentifier, SIGKILL)
        let worker = try SandboxWorker(.basic, configuration: configuration, from: template)
        #expect(try worker.decode(png()).pixelSize.width == 60)
        #expect(!template.isUsable)
    }

    @Test func templateEndsAfterTheIdleTime() throws {
        let live = HandleLedger.live["decoder process"] ?? 0
        let clock = VirtualClock()
        let pool = pool(clock: clock) { ($0.picturesPerWorker, $0.idleLifetime) = (1, .seconds(30)) }
        defer { pool.shutDown() }
        _ = try pool.decode(png())
        #expect(pool.statistics.workers == 0 && HandleLedger.live["decoder process"] ?? 0 == live + 1)
        clock.advance(by: .seconds(20))
        _ = try pool.decode(png())
        clock.advance(by: .seconds(20))
        #expect(HandleLedger.live["decoder process"] ?? 0 == live + 1)
        clock.advance(by: .seconds(30))
        #expect(HandleLedger.live["decoder process"] ?? 0 <= live)
        #expect(try pool.decode(png()).pixelSize.width == 60)
    }

    @Test func noWorkerServesTwoOwners() throws {
        let pool = pool()
        defer { pool.shutDown() }
        let data = try png()
        for owner in [FileOwner.shared, .scoped("a"), .scoped("b"), .shared, .unknown, .unknown] {
            _ = try pool.decode(data, profile: .basic, owner: owner, options: DecodingOptions())
        }
        #expect(pool.statistics.started == 5 && pool.statistics.workers == 3)
    }

    @Test func concurrentPicturesUseAtMostTheAllowedWorkers() async throws {
        let pool = pool { $0.mostWorkers = 2 }
        defer { pool.shutDown() }
        let data = try png()
        let failures = Locked(0)
        let group = DispatchGroup()
        for _ in 0..<8 {
            group.enter()
            Thread {
                for _ in 0..<5 {
                    if (try? pool.decode(data, profile: .basic, options: DecodingOptions())) == nil {
                        failures.withLock { $0 += 1 }
                    }
                }
                group.leave()
            }.start()
        }
        #expect(await eventually { group.wait(timeout: .now()) == .success })
        #expect(failures.withLock { $0 } == 0)
        #expect(pool.statistics.pictures == 40 && pool.statistics.started <= 2 && pool.statistics.workers == 2)
    }

    @Test func deadlineFailsOnePictureAndTheNextOneWorks() throws {
        let pool = pool()
        defer { pool.shutDown() }
        var options = DecodingOptions()
        options.limits.maxDecodeTime = .zero
        let data = try png()
        let late = #expect(throws: WebImageError.self) {
            try pool.decode(data, profile: .basic, options: options)
        }
        #expect(late?.code == .limitExceeded)
        _ = try pool.decode(data, profile: .basic, options: DecodingOptions())
        #expect(pool.statistics.workers == 1)
    }

    @Test func idleWorkersEndAfterTheirTime() throws {
        let live = HandleLedger.live["decoder process"] ?? 0
        let clock = VirtualClock()
        let pool = pool(clock: clock) { $0.idleLifetime = .seconds(30) }
        defer { pool.shutDown() }
        let data = try png()
        _ = try pool.decode(data, profile: .basic, options: DecodingOptions())
        clock.advance(by: .seconds(29))
        #expect(pool.statistics.workers == 1)
        _ = try pool.decode(data, profile: .basic, options: DecodingOptions())
        // The timer of the first use finds a worker that was used since.
        clock.advance(by: .seconds(2))
        #expect(pool.statistics.workers == 1)
        clock.advance(by: .seconds(60))
        #expect(pool.statistics.workers == 0 && pool.statistics.retired == 1)
        #expect((HandleLedger.live["decoder process"] ?? 0) <= live)
    }

    /// The memory of a process that it shares with others, in kilobytes.
    private func sharedMemory(of process: Int32) -> Int {
        let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
        let line = status.split(separator: "\n").first { $0.hasPrefix("RssShmem:") }
        return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? .max
    }

    @Test func idleWorkerReturnsItsMemoryAndKeepsItsAnimations() async throws {
        let clock = VirtualClock()
        let pool = pool(clock: clock) { ($0.restTime, $0.idleLifetime) = (.seconds(2), .seconds(30)) }
        defer { pool.shutDown() }
        let kind = SandboxPool.Kind(profile: .basic, owner: .shared)
        let process = try pool.withWorker(kind) { $0.processIdentifier }
        // Each frame is stored as the part that differs from the one before.
        let pictures = try (0..<5).map { number in
            try Image.generated(width: 300, height: 200) { x, y in
                (UInt8(x / 2), UInt8(y), x < 10 && y < 10 ? UInt8(50 * number) : 0, 255)
            }
        }
        let gif = try ImageGIFCoder.shared.encode(
            frameCount: 5, loopCount: 0, format: .gif, options: EncodingOptions()
        ) { ImageFrame(image: pictures[$0], duration: 0.1) }
        let coder = try SandboxProfile.basic.workerCoder(of: gif)
        let opened = try SandboxAnimation.decode(gif, pool: pool, coder: coder, options: DecodingOptions()).animation
        let frames = try #require(opened)
        let here = try ImageGIFCoder(animation: gif, options: DecodingOptions())
        #expect(try rows(frames.frame(at: 1)) == rows(here.frame(at: 1)))
        let png = try ImagePNGCoder.shared.encode(
            gradient(width: 1000, height: 1000), format: .png, options: EncodingOptions())
        _ = try pool.decode(png)
        // Under the address sanitizer, coders write their pictures elsewhere.
        if Sanitizer.running != .address { #expect(sharedMemory(of: process) > 3_500) }
        clock.advance(by: .seconds(2))
        // The canvas of the animation stays.
        #expect(await eventually { sharedMemory(of: process) < 1_000 })
        #expect(pool.statistics.workers == 1)
        #expect(try rows(frames.frame(at: 2)) == rows(here.frame(at: 2)))
        #expect(try rows(pool.decode(png)) == rows(ImagePNGCoder.shared.decode(png, options: DecodingOptions())))
        #expect(try pool.withWorker(kind) { $0.processIdentifier } == process)
    }

    @Test func programWithoutAWorkerIsAnErrorAtOnceAndIsTriedAgainLater() throws {
        let clock = VirtualClock()
        let pool = pool(clock: clock) { $0.worker.executable = "/nonexistent-decoder" }
        let data = try png()
        for _ in 0..<3 {
            let error = #expect(throws: WebImageError.self) {
                try pool.decode(data, profile: .basic, options: DecodingOptions())
            }
            #expect(error?.code == .sandboxUnavailable && error?.hint != nil)
        }
        #expect(pool.statistics.workers == 0 && pool.statistics.failedStarts >= 1)
    }

    @Test func poolThatWasShutDownRefusesPictures() throws {
        let live = HandleLedger.live["decoder process"] ?? 0
        let pool = pool()
        let data = try png()
        _ = try pool.decode(data, profile: .basic, options: DecodingOptions())
        pool.shutDown()
        #expect(throws: WebImageError.self) { try pool.decode(data, profile: .basic, options: DecodingOptions()) }
        #expect(pool.statistics.workers == 0)
        #expect((HandleLedger.live["decoder process"] ?? 0) <= live)
    }
}
