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

    /// Shows that a build with the address sanitizer watches the code of workers, and that nothing hides what it finds.
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
        #expect(openDescriptors() == before)
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

    /// The timer that lets idle workers rest serves the whole program.
    @Test func workerThatReadsNothingDoesNotBlockItsRest() async throws {
        let worker = try SandboxWorker(.basic)
        kill(worker.processIdentifier, SIGSTOP)
        let time = ContinuousClock().measure { for _ in 0..<2000 { worker.rest() } }
        #expect(time < Sanitizer.time(.milliseconds(900)))
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
