import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// No worker stays: neither as a zombie of its host, nor after the end of its host.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxLifeTests {
    private func png() throws -> Data {
        try ImagePNGCoder.shared.encode(gradient(width: 60, height: 40), format: .png, options: EncodingOptions())
    }

    @Test func idleWorkerThatDiesIsForgottenAndLeavesNoZombie() async throws {
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let data = try png()
        var before = 0
        for round in 1...3 {
            _ = try pool.decode(data)
            // The first round opens the descriptors of the test's own waits.
            if round == 2 { before = openDescriptors() }
            let kind = SandboxPool.Kind(profile: .basic, owner: .shared)
            let process = try pool.withWorker(kind) { $0.processIdentifier }
            kill(process, SIGKILL)
            #expect(await eventually { pool.statistics.workers == 0 })
            #expect(!exists(process))
            #expect(pool.statistics.ended[.lost] == round)
        }
        // The next picture gets another worker at once, and counts once.
        #expect(try pool.decode(data).pixelSize.width == 60)
        #expect(pool.statistics.workers == 1 && pool.statistics.pictures == 4)
        // The descriptors are closed after the worker is forgotten.
        #expect(await eventually { openDescriptors() <= before })
    }

    /// A program may wait for any of its children; swift-testing does for exit tests.
    @Test func workerOfNoPoolThatDiesLeavesNoZombie() async throws {
        let worker = try SandboxWorker(.basic)
        kill(worker.processIdentifier, SIGKILL)
        #expect(await eventually { !exists(worker.processIdentifier) })
        let error = #expect(throws: WebImageError.self) { try worker.decode(try png()) }
        #expect(error?.code == .decoderFailed && worker.end == .lost)
    }

    /// A server may fork after it has decoded. Parent and fork would receive each other's pictures.
    @Test(.needsRealDecoderProcesses) func forkOfTheHostUsesWorkersOfItsOwn() async {
        await #expect(processExitsWith: .success) {
            let pool = SandboxPool()
            let own = try ForkedDecodes(pool, phase: 0)
            let forked = try ForkedDecodes(pool, phase: 90)
            let before = openDescriptors()
            // Without the three of the parent's worker and the list of workers.
            forked.mostDescriptors.withLock { $0 = before - 4 }
            let child = webimage_fork(
                { Unmanaged<ForkedDecodes>.fromOpaque($0!).takeUnretainedValue().runInAFork() },
                Unmanaged.passUnretained(forked).toOpaque())
            #expect(child > 0 && own.run())
            var status: Int32 = -1
            #expect(waitpid(child, &status, 0) == child && status == 0)
            #expect(own.run() && pool.statistics.started == 1 && openDescriptors() == before)
            pool.shutDown()
            #expect(await eventually { children().isEmpty })
        }
    }

    /// How the host of a worker ends.
    enum HostEnd: String, CaseIterable, Codable {
        case killed, exited, crashed
    }

    /// What the worker does meanwhile.
    enum WorkerState: String, CaseIterable, Codable {
        case idle, decoding, starting, forked, hostile
    }

    @Test(arguments: HostEnd.allCases, WorkerState.allCases)
    func workersEndWithTheirHost(host: HostEnd, worker: WorkerState) async throws {
        let folder = try ScratchFolder()
        let file = folder.url.appendingPathComponent("worker").path
        let status: ExitTest.Condition =
            switch host {
            case .killed: .signal(SIGKILL)
            case .exited: .exitCode(0)
            case .crashed: .signal(SIGABRT)
            }
        await #expect(processExitsWith: status) {
            [file = file as String, host = host as HostEnd, worker = worker as WorkerState] in
            try hostThatEnds(host, while: worker, file)
        }
        let workers = try String(contentsOfFile: file, encoding: .utf8).split(separator: " ").compactMap { Int32($0) }
        #expect(!workers.isEmpty)
        for worker in workers { #expect(await eventually { !exists(worker) }, "\(worker) runs") }
    }
}

/// Pictures and frames that a process decodes with a pool. All of a phase are the same.
private final class ForkedDecodes: Sendable {
    private let pool: SandboxPool
    private let data: Data
    private let pixels: Data
    private let frames: SandboxAnimation
    private let frame: Data

    init(_ pool: SandboxPool, phase: Int) throws {
        let picture = try gradient(width: 60, height: 40, phase: phase)
        let gif = try animation(.gif, frameCount: phase == 0 ? 3 : 4)
        let coder = try SandboxProfile.basic.workerCoder(of: gif)
        (self.pool, pixels) = (pool, rows(picture))
        data = try ImagePNGCoder.shared.encode(picture, format: .png, options: EncodingOptions())
        frames = try #require(
            SandboxAnimation.decode(gif, pool: pool, coder: coder, options: DecodingOptions()).animation)
        frame = try rows(ImageGIFCoder(animation: gif, options: DecodingOptions()).frame(at: 2))
    }

    /// The most descriptors that a fork may have open before it decodes. A worker of the parent would otherwise go on after
    /// the parent's end, and the fork could receive its pictures.
    let mostDescriptors = Locked(0)

    /// The exit status of a fork: 0 if it has none of the parent's descriptors and decodes.
    func runInAFork() -> Int32 {
        guard openDescriptors() <= mostDescriptors.withLock({ $0 }) else { return 2 }
        return run() ? 0 : 1
    }

    /// Whether all decodes give what they should.
    func run() -> Bool {
        (0..<60).allSatisfy { _ in
            (try? rows(pool.decode(data))) == pixels && (try? rows(frames.frame(at: 2))) == frame
        }
    }
}

/// Whether a process runs, or has ended and its status was not collected by this process.
private func exists(_ process: Int32) -> Bool {
    guard let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8) else { return false }
    let fields = text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).split(separator: " ")
    // Another process collects the status of an orphan.
    return fields.count < 3 || fields[1] != "Z" || fields[2] == "\(getpid())"
}

/// Starts a worker, writes its process to a file, and ends this process.
private func hostThatEnds(_ end: SandboxLifeTests.HostEnd, while state: SandboxLifeTests.WorkerState, _ file: String)
    throws
{
    let started = Locked<SandboxWorker?>(nil)
    let thread = Thread {
        let template = state == .forked ? try? SandboxTemplate(.basic, SandboxWorker.Configuration()) : nil
        let profile: SandboxProfile = state == .starting ? .svg : .basic
        let worker = try? SandboxWorker(profile, configuration: SandboxWorker.Configuration(), from: template)
        started.withLock { $0 = worker }
        let fault = state == .hostile ? "close its pipe and loop" : "loop for ever"
        if [.decoding, .forked, .hostile].contains(state), let fault = try? Attempts.fault(fault) {
            _ = worker?.attempt(fault, within: .seconds(600))
        }
    }
    thread.start()
    var workers = children()
    while workers.isEmpty || state != .starting && started.withLock({ $0 == nil }) {
        usleep(500)
        workers = children()
    }
    if let worker = started.withLock({ $0 })?.processIdentifier, state != .idle {
        // The loop uses processor time.
        let before = ticks(of: worker)
        while ticks(of: worker) < before + 3 { usleep(500) }
    }
    try workers.map { "\($0)" }.joined(separator: " ").write(toFile: file, atomically: true, encoding: .utf8)
    switch end {
    case .killed: kill(getpid(), SIGKILL)
    case .exited: exit(0)
    case .crashed: abort()
    }
}

private func children() -> [Int32] {
    let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
    return tasks.flatMap { task in
        let text = (try? String(contentsOfFile: "/proc/self/task/\(task)/children", encoding: .utf8)) ?? ""
        return text.split(separator: " ").compactMap { Int32($0) }
    }
}

/// The processor time of a process in the kernel's ticks.
private func ticks(of process: Int32) -> Int {
    let text = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
    let fields = text.suffix(from: text.lastIndex(of: ")") ?? text.startIndex).split(separator: " ")
    return fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
}
