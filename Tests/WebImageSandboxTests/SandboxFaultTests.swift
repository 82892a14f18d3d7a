import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// Broken and malicious workers: each costs one picture.
@Suite(.serialized, .timeLimit(minutes: 20))
struct SandboxFaultTests {
    /// A clock on which every look takes a second, so that the back-off never waits.
    private final class HurryingClock: DelayClock {
        private let looks = Locked(0)
        var date: TimeInterval { 0 }
        var now: Duration {
            looks.withLock { looks in
                looks += 1
                return .seconds(looks)
            }
        }
        func schedule(after delay: Duration, _ work: @escaping @Sendable () -> Void) -> any WebImageOperation {
            ScheduledWork(work)
        }
    }

    /// The faults that fail the picture in which they happen. "answer twice" fails the next one of its worker.
    private static let faults = [
        "crash", "trap", "loop for ever", "end quietly", "answer with noise", "write out of bounds", "jump to zero",
        "close its descriptors", "claim a huge picture", "claim more pixels than it sends", "claim another request",
        "claim a long payload", "claim pixels behind the window", "flood standard error", "answer twice",
        "claim another format", "send a descriptor", "send two descriptors", "send eight descriptors",
    ]

    @Test func faultsCostOnePictureEach() async throws {
        let rounds = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] == nil ? 45 : 1000
        var configuration = SandboxPool.Configuration()
        configuration.mostWorkers = 4
        let live = HandleLedger.live["decoder process"] ?? 0
        let pool = SandboxPool(configuration, clock: HurryingClock())
        let png = try ImagePNGCoder.shared.encode(
            gradient(width: 60, height: 40), format: .png, options: EncodingOptions())
        let expected = rows(try ImagePNGCoder.shared.decode(png, options: DecodingOptions()))
        _ = try pool.decode(png)
        let before = openDescriptors()

        // Other loads use the same pool, with workers of their own scope.
        let stop = Locked(false)
        let others = Locked((pictures: 0, failures: 0))
        let group = DispatchGroup()
        group.enter()
        Thread {
            while !stop.withLock({ $0 }) {
                let image = try? pool.decode(png, owner: .scoped("other"))
                others.withLock { others in
                    others.pictures += 1
                    if image.map(rows) != expected { others.failures += 1 }
                }
            }
            group.leave()
        }.start()

        var ends: [SandboxWorker.End: Int] = [:]
        for round in 0..<rounds {
            let fault = Self.faults[round % Self.faults.count]
            var request = SandboxRequest(.attempt)
            (request.number, request.session) = (try Attempts.fault(fault), UInt64(getpid()))
            request.options.limits.maxDecodeTime = .milliseconds(fault == "loop for ever" ? 20 : 5_000)
            let sent = request
            let error = #expect(throws: WebImageError.self) {
                try pool.withWorker(SandboxPool.Kind(profile: .basic, owner: .shared)) { worker throws(WebImageError) in
                    do throws(WebImageError) {
                        _ = try worker.image(sent)
                    } catch {
                        if let end = worker.end { ends[end, default: 0] += 1 }
                        throw error
                    }
                }
            }
            let code: WebImageError.Code = fault == "loop for ever" ? .limitExceeded : .decoderFailed
            #expect(error?.code == code, "\(fault): \(String(describing: error))")
            #expect(rows(try pool.decode(png)) == expected, "after \(fault)")
        }
        stop.withLock { $0 = true }
        #expect(await eventually { group.wait(timeout: .now()) == .success })
        #expect(others.withLock { $0.failures } == 0 && others.withLock { $0.pictures } > 0)
        #expect(ends[.crash] ?? 0 > 0 && ends[.deadline] ?? 0 > 0 && ends[.violation] ?? 0 > 0 && ends[.lost] ?? 0 > 0)
        pool.shutDown()
        // A worker that is returning its memory at this moment ends afterwards.
        #expect(await eventually { pool.statistics.workers == 0 })
        // Each of the two workers that were ready at the first count had three descriptors.
        #expect(await eventually { openDescriptors() <= before })
        #expect(waitpid(-1, nil, WNOHANG) <= 0)
        #expect(await eventually { (HandleLedger.live["decoder process"] ?? 0) == live })
    }

    private func request(_ fault: String) throws -> SandboxRequest {
        var request = SandboxRequest(.attempt)
        (request.number, request.session) = (try Attempts.fault(fault), UInt64(getpid()))
        return request
    }

    /// Shows that the address sanitizer watches the code of workers, and that its reports reach the host.
    @Test(
        .enabled(if: Sanitizer.running == .address, "only the address sanitizer finds damage and goes on to report it"),
        arguments: SandboxProfile.allCases)
    func damageInAWorkerIsReportedAndFailsItsPicture(profile: SandboxProfile) throws {
        // The worker gets the standard error of this moment.
        let folder = try ScratchFolder()
        let path = folder.url.appendingPathComponent("report").path
        let (own, file) = (dup(2), open(path, O_WRONLY | O_CREAT, 0o600))
        dup2(file, 2)
        let start = Result { try SandboxWorker(profile) }
        dup2(own, 2)
        for descriptor in [own, file] { close(descriptor) }
        let worker = try start.get()
        let error = #expect(throws: WebImageError.self) { try worker.image(request("damage the heap")) }
        #expect(error?.underlying == .codec(library: "decoder process", message: "crashed (SIGABRT)"))
        let report = try String(contentsOfFile: path, encoding: .utf8)
        #expect(report.contains("ERROR: AddressSanitizer: attempting free"), "\(report)")
        #expect(report.contains("SUMMARY: AddressSanitizer"), "\(report)")
    }

    /// Shows that the claims of the other faults are refused for what they claim.
    @Test func pictureOfTheRightNumbersIsAccepted() throws {
        let worker = try SandboxWorker(.basic)
        let image = try worker.image(request("claim a picture")).image
        #expect(image.pixelSize == PixelSize(width: 8, height: 8) && image.imageFormat == .ico)
    }

    @Test(arguments: ["send a descriptor", "send two descriptors", "send eight descriptors"])
    func descriptorsOfAWorkerAreNotKept(fault: String) throws {
        _ = try SandboxWorker(.basic)
        let before = openDescriptors()
        for _ in 0..<3 {
            let worker = try SandboxWorker(.basic)
            let error = #expect(throws: WebImageError.self) { try worker.image(try request(fault)) }
            #expect(error?.code == .decoderFailed && worker.end == .violation)
        }
        // Another suite's idle worker may have ended meanwhile.
        #expect(openDescriptors() <= before)
    }

    /// Each of its answers is true, but nothing takes the requests out of the socket.
    @Test func workerThatAnswersWithoutReadingDoesNotBlockItsHost() async throws {
        let worker = try SandboxWorker(.basic)
        let first = try request("answer without reading")
        let ended = Locked<(count: Int, error: WebImageError?)?>(nil)
        Thread {
            var request = first
            for count in 0..<100_000 {
                do throws(WebImageError) {
                    _ = try worker.image(request)
                } catch {
                    return ended.withLock { $0 = (count, error) }
                }
                request = SandboxRequest(.decode)
            }
            ended.withLock { $0 = (100_000, nil) }
        }.start()
        #expect(await eventually { ended.withLock { $0 } != nil })
        let result = ended.withLock { $0 }
        #expect(result?.error?.code == .decoderFailed && worker.end == .violation, "\(String(describing: result))")
        #expect((10..<100_000).contains(result?.count ?? 0))
    }

    // MARK: Played workers

    /// Calls `body` with a worker whose answers are these, whatever it is asked for.
    private func playing<Value>(_ answers: [SandboxAnswer], _ body: (SandboxWorker) throws -> Value) throws -> Value {
        var sockets: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &sockets) == 0)
        defer { close(sockets[1]) }
        for answer in answers {
            answer.encoded().withUnsafeBytes { _ = send(sockets[1], $0.baseAddress, $0.count, Int32(MSG_DONTWAIT)) }
        }
        shutdown(sockets[1], Int32(SHUT_WR))
        return try body(SandboxWorker(try #require(SandboxProcess(playing: sockets[0])), .basic))
    }

    /// A picture of the first coder, in the window or in parts.
    private func picture(side: Int, isInArena: Bool = true) throws -> SandboxPicture {
        var picture = SandboxPicture(try gradient(width: side, height: side))
        picture.format = try #require(SandboxProfile.basic.types.first).formats[0]
        picture.pixelFormat = DecodingOptions().pixelFormat
        picture.arenaOffset = isInArena ? 0 : nil
        return picture
    }

    private func expectViolation(_ worker: SandboxWorker, _ body: () throws -> Void) {
        let error = #expect(throws: WebImageError.self, performing: body)
        #expect(error?.code == .decoderFailed && worker.end == .violation, "\(String(describing: error))")
    }

    @Test func answerToAnotherRequestIsRefused() throws {
        let small = try picture(side: 8)
        try playing([.image(id: 1, small), .image(id: 2, small)]) { worker in
            for _ in 0..<2 { try #expect(worker.image(SandboxRequest(.decode)).image.pixelSize.width == 8) }
        }
        let failure = SandboxFailure(.badData("a", "b"))
        for answer in [.image(id: 2, small), .failed(id: 2, failure), .attempted(id: 1, errno: 0)] as [SandboxAnswer] {
            try playing([answer]) { worker in
                expectViolation(worker) { _ = try worker.image(SandboxRequest(.decode)) }
            }
        }
        let error = try playing([.failed(id: 1, failure)]) { worker in
            #expect(throws: WebImageError.self) { try worker.image(SandboxRequest(.decode)) }
        }
        #expect(error?.code == .badImageData)
    }

    @Test func secondAnswerToARequestFailsTheNextOne() throws {
        let small = try picture(side: 8)
        for second in [.image(id: 1, small), .nextPart(id: 1)] as [SandboxAnswer] {
            try playing([.image(id: 1, small), second]) { worker in
                _ = try worker.image(SandboxRequest(.decode))
                expectViolation(worker) { _ = try worker.image(SandboxRequest(.decode)) }
            }
        }
    }

    @Test func partOfAnotherResultIsRefused() throws {
        let large = try picture(side: 1000, isInArena: false)
        let parts = SandboxWindow.partCount(4_000_000) - 2
        #expect(parts > 0)
        for id in [1, 2] as [UInt64] {
            try playing([.image(id: 1, large)] + (0..<parts).map { _ in .nextPart(id: id) }) { worker in
                if id == 1 {
                    try #expect(worker.image(SandboxRequest(.decode)).image.pixelSize.width == 1000)
                } else {
                    expectViolation(worker) { _ = try worker.image(SandboxRequest(.decode)) }
                }
            }
        }
    }

    @Test func payloadOfAnotherRequestOrLengthIsRefused() throws {
        let bytes = Data("abc".utf8)
        try playing([.payload(id: 1, byteCount: 3, bytes)]) { worker in
            try #expect(worker.payload(SandboxRequest(.info), mostBytes: 3) == bytes)
        }
        for answer in [.payload(id: 2, byteCount: 3, bytes), .payload(id: 1, byteCount: 1 << 40, Data())]
            as [SandboxAnswer]
        {
            try playing([answer]) { worker in
                expectViolation(worker) { _ = try worker.payload(SandboxRequest(.info), mostBytes: 1 << 20) }
            }
        }
    }

    /// The timer that lets idle workers rest serves the whole program.
    @Test func workerThatReadsNothingDoesNotBlockItsRest() async throws {
        let worker = try SandboxWorker(.basic)
        kill(worker.processIdentifier, SIGSTOP)
        let end = ContinuousClock.now + Sanitizer.time(.seconds(20))
        var rests = 0
        while rests < 2000, .now < end {
            worker.rest()
            rests += 1
        }
        #expect(rests == 2000)
        kill(worker.processIdentifier, SIGCONT)
    }

    /// What a malicious worker may send for a picture that was asked for, mutated. The host never traps, and accepts only
    /// what the options allow.
    @Test func mutatedRequestsAndAnswersNeverTrap() throws {
        var random = SeededRandom.printingSeed()
        let seeds = try SandboxFuzzing.seeds()
        for seed in seeds { SandboxFuzzing.read(seed) }
        for _ in 0..<2_000 {
            var bytes = try #require(seeds.randomElement(using: &random))
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            SandboxFuzzing.read(bytes)
        }
        var request = SandboxRequest(.decode)
        request.options.thumbnailPixelSize = PixelSize(width: 9, height: 9)
        for _ in 0..<5_000 {
            var bytes = request.encoded
            for _ in 0..<3 {
                bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: .min ... .max, using: &random)
            }
            _ = SandboxRequest(bytes)
            _ = SandboxRequest(bytes.prefix(Int.random(in: 0...bytes.count, using: &random)))
        }
    }
}
