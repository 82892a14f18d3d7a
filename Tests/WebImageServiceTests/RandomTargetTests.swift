import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageSVG
import WebImageSandbox
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Sends random targets in both grammars to a service. Each answer must come in time, within the limit of memory, and be
/// the same at the second request.
///
/// The seed is printed. To repeat a failure, set `WEBIMAGE_SEED`; to send only the target with a number, set
/// `WEBIMAGE_TARGET` as well. `WEBIMAGE_TARGETS` sets the number of targets, `WEBIMAGE_FIRST_TARGET` the number of the first
/// one. `Scripts/audit targets` shares the targets among processes.
@Suite(
    .timeLimit(minutes: 600), .serialized,
    .notUnder(.thread, "it makes every decode many times slower, so that results miss the deadlines of the service"))
struct RandomTargetTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let isLong = environment["WEBIMAGE_LONG"] != nil

    /// The memory limit of the packaged unit (`MemoryMax`), in bytes.
    private static let memoryLimit = 2 << 30

    @Test func generatorKnowsEveryOptionAndFilter() throws {
        var targets = RandomTargets(seed: 1, sources: ["http://a/b"], limits: [100])
        for row in OptionTable.rows { #expect(targets.knownArguments(of: row.names[0]) != nil, "\(row.names[0])") }
        #expect(Set(RandomTargets.filters) == ThumborFilter.names)
        for name in RandomTargets.filters {
            let text = "/unsafe/filters:\(name)(\(targets.filterArguments(of: name)))/a.b/c"
            #expect(throws: Never.self, "\(text)") { try ThumborRouter().parse(text[...]) }
        }
    }

    /// Small limits make the targets of a normal run fast and the limits frequent.
    @Test func randomTargetsAreAnsweredInTimeAndAlike() async throws {
        let count = Self.isLong ? 2_000 : 400
        try await run(count: count, large: false, Self.setSmallLimits)
    }

    /// The first answer comes from decoder processes, the second one from this process.
    @Test func randomTargetsAreAnsweredAlikeByDecoderProcesses() async throws {
        WebImageSandbox.enableForTests()
        let before = try #require(WebImageSandbox.statistics)
        try await run(count: Self.isLong ? 2_000 : 150, large: false, isolated: true, Self.setSmallLimits)
        let after = try #require(WebImageSandbox.statistics)
        let pictures = after.pictures - before.pictures
        print("decoder processes: \(pictures) pictures, \(after.started - before.started) started")
        #expect(pictures > 0)
        for reason in ["crash", "violation"] { #expect(after.ended[reason] == before.ended[reason], "\(reason)") }
    }

    private static func setSmallLimits(_ configuration: inout ServiceConfiguration) {
        (configuration.maxResultDimension, configuration.maxResultMegapixels) = (1_024, 1)
        configuration.maxAnimationMegapixels = 1
    }

    /// The limits are the defaults, and the sources have up to 50 megapixels. A result at a limit costs some seconds, so
    /// fewer sides are at a limit than in the other runs: some hundreds of 20,000 targets.
    @Test(.enabled(if: isLong, "Scripts/test --long, Scripts/audit targets"))
    func randomTargetsWithLargeSourcesAreAnsweredInTimeAndAlike() async throws {
        try await run(count: 20_000, large: true) { _ in }
    }

    /// Prints how far a run is, at most every ten seconds.
    private struct Progress {
        private let (start, count): (ContinuousClock.Instant, Int)
        private var last: ContinuousClock.Instant

        init(of count: Int) {
            start = .now
            last = start
            self.count = count
        }

        mutating func report(_ done: Int, _ statuses: [Int: Int]) {
            guard .now - last >= .seconds(10) || done == count else { return }
            last = .now
            let seconds = (ContinuousClock.now - start).components.seconds
            let left = done == 0 ? 0 : Int(Double(seconds) * Double(count - done) / Double(done))
            let counts = statuses.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }.joined(separator: ", ")
            print("random targets: \(done) of \(count) in \(seconds) s, about \(left) s left; \(counts)")
            fflush(nil)
        }
    }

    private struct Answer: Equatable {
        var status: Int
        var etag: String?
        var size: PixelSize?
    }

    private func run(
        count: Int, large: Bool, isolated: Bool = false, test: String = #function,
        _ configure: (inout ServiceConfiguration) -> Void
    ) async throws {
        let seed = SeededRandom.printingSeed(of: test).seed
        let folder = try ScratchFolder()
        let mark = folder.url.appendingPathComponent("mark.png")
        try PictureFixtures.encoded(
            try Image.generated(width: 50, height: 20) { x, _ in
                x < 25 ? PictureFixtures.blue : PictureFixtures.clear
            }, .png, hasAlpha: true
        ).write(to: mark)
        let coders = ImageCodersManager(
            coders: ImageCodersManager.shared.coders + [ImageAVIFCoder.shared, ImageSVGCoder.shared])
        func makeBench(_ coders: ImageCodersManager) throws -> ServiceBench {
            try ServiceBench(coders: coders, time: SystemClock()) {
                ($0.thumborPrefix, $0.watermark) = ("/t", mark.path)
                // Nothing is stored, so that the second request makes the result again.
                ($0.resultMemoryBytes, $0.resultCacheBytes, $0.sourceCacheBytes, $0.negativeTTL) = (0, 0, 0, 0)
                ($0.offersAVIF, $0.avifBudget) = (true, 60_000)
                configure(&$0)
            }
        }
        let isolatedCoders = ImageCodersManager(coders: WebImageSandbox.isolated(coders.coders))
        #expect(WebImageSandbox.status(of: isolatedCoders).hostCoders.isEmpty)
        let bench = try makeBench(isolated ? isolatedCoders : coders)
        let second = isolated ? try makeBench(coders) : bench
        let configuration = bench.service.settings.configuration
        let sources = try RandomSources.register(at: bench.server, large: large)
        if isolated { _ = try RandomSources.register(at: second.server, large: large) }
        let limits = [
            configuration.maxResultDimension, Int(Double(configuration.maxResultMegapixels * 1_000_000).squareRoot()),
        ]
        let only = Self.environment["WEBIMAGE_TARGET"].flatMap { Int($0) }
        let number = Self.environment["WEBIMAGE_TARGETS"].flatMap { Int($0) } ?? count
        var statuses: [Int: Int] = [:]
        var slowest = (seconds: 0.0, target: "")
        var largest = (bytes: 0, target: "")
        let first = Self.environment["WEBIMAGE_FIRST_TARGET"].flatMap { Int($0) } ?? 0
        var progress = Progress(of: number)
        for index in only.map({ $0..<$0 + 1 }) ?? first..<(first + number) {
            defer { progress.report(index - first + 1, statuses) }
            var targets = RandomTargets(
                seed: seed &+ UInt64(index), sources: sources, limits: limits, limitShare: large ? 0.1 : 1)
            let request = targets.next()
            let name = "target \(index): \(request.target) \(request.headers["Accept"] ?? "")"
            if only != nil { print(name) }
            let answer: Answer, data: Data?
            // The service counts a body as long as it is held, and refuses a second one over the limit of all bodies.
            do {
                let canMeasure = ProcessMemory.isMeasurable && ProcessMemory.resetPeak()
                let start = Self.processorSeconds
                let response = await bench.service.respond(to: request)
                await bench.service.provider.background.finish()
                let seconds = Self.processorSeconds - start
                answer = Answer(
                    status: response.status, etag: response.headers["ETag"], size: response.logEntry.size)
                statuses[response.status, default: 0] += 1
                // Processor time, because the machine may be busy. A request has at least one processor.
                let bound = Sanitizer.seconds(Double(configuration.decodeTimeout) + 1)
                #expect(seconds < bound, "\(name): \(seconds) s")
                if seconds > slowest.seconds { slowest = (seconds, name) }
                if canMeasure, let bytes = ProcessMemory.peakBytes {
                    #expect(bytes < Self.memoryLimit, "\(name): \(bytes >> 20) MB")
                    if bytes > largest.bytes { largest = (bytes, name) }
                }
                #expect(
                    Self.allowed.contains(response.status), "\(name): \(response.status) \(response.text.prefix(200))")
                check(response, configuration, coders, name)
                data = isolated ? response.data : nil
            }
            let again = await second.service.respond(to: request)
            await second.service.provider.background.finish()
            let repeated = Answer(status: again.status, etag: again.headers["ETag"], size: again.logEntry.size)
            #expect(repeated == answer, "\(name)")
            // The decode of an ended job would change the pixels of the next request.
            #expect(bench.service.provider.decodes.count == 0, "\(name)")
            #expect(!isolated || again.data == data, "\(name)")
        }
        print("statuses: \(statuses.sorted { $0.key < $1.key })")
        print("slowest: \(slowest.seconds) s of \(slowest.target)")
        print("most memory: \(largest.bytes >> 20) MB at \(largest.target)")
        #expect(only != nil || Double(statuses[200] ?? 0) > 0.4 * Double(number))
        await bench.service.shutdown()
        if isolated { await second.service.shutdown() }
        withExtendedLifetime(folder) {}
    }

    private static let allowed: Set<Int> = [200, 400, 403, 404, 410, 413, 415]

    /// A picture can be decoded, has the recorded size and is within the limits.
    private func check(
        _ response: ServiceResponse, _ configuration: ServiceConfiguration, _ coders: ImageCodersManager, _ name: String
    ) {
        guard response.status == 200, let format = response.logEntry.format, let size = response.logEntry.size,
            response.headers["Content-Type"] != "application/json", !name.contains("raw:1"), !name.contains("/raw:t"),
            !name.contains("skp:"), !name.contains("skip_processing:"), format != .svg
        else { return }
        #expect(max(size.width, size.height) <= configuration.maxResultDimension, "\(name): \(size)")
        #expect(size.pixelCount <= configuration.maxResultMegapixels * 1_000_000, "\(name): \(size)")
        guard coders.coders.contains(where: { $0.canDecode(from: response.data) }) else { return }
        var limits = DecodingLimits.default
        (limits.maxPixels, limits.maxEncodedBytes) = (.max, .max)
        let info: ImageInfo
        do {
            info = try coders.imageInfo(of: response.data, limits: limits)
        } catch {
            let start = response.data.prefix(32).map { String($0, radix: 16) }.joined(separator: " ")
            Issue.record("\(name): the result of \(response.data.count) bytes (\(start) …) cannot be read: \(error)")
            return
        }
        // Without `auto_rotate`, the file declares an orientation.
        #expect(info.storedSize == size || info.pixelSize == size, "\(name)")
    }

    private static var processorSeconds: Double {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
