import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageLoading
import WebImageSVG
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// The sandbox of the test program. It is enabled once, for lists of coders of its own.
enum TestSandbox {
    static let coders: ImageCodersManager = {
        WebImageSandbox.enableForTests()
        return ImageCodersManager(coders: WebImageSandbox.isolated(here.coders))
    }()
    static let here = ImageCodersManager(coders: SandboxProfile.allCases.reversed().flatMap(\.coders))
    static var pool: SandboxPool { SandboxHost.installed!.pool }
}

@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxedCoderTests {
    private let coders = TestSandbox.coders
    private let here = TestSandbox.here

    @Test func everyCoderHasTheAbilitiesOfItsOriginal() {
        for profile in SandboxProfile.allCases {
            for (index, type) in profile.types.enumerated() {
                #expect(type.workerCoder.profile == profile && type.workerCoder.index == index)
                let (own, isolated) = (type.shared as any ImageCoder, type.sandboxed)
                #expect((own is any StreamingImageCoder) == (isolated is any StreamingImageCoder))
                #expect((own is any AnimatedImageCoder) == (isolated is any AnimatedImageCoder))
                #expect((own.animated == nil) == (isolated.animated == nil))
                #expect((own.progressive == nil) == (isolated.progressive == nil))
                for format in type.formats {
                    #expect(own.canEncodeFrames(to: format) == isolated.canEncodeFrames(to: format))
                }
            }
        }
    }

    @Test func secondEnableIsAnErrorAndChangesNothing() {
        _ = coders
        let list = ImageCodersManager(coders: SandboxProfile.basic.coders)
        let error = #expect(throws: WebImageError.self) { try WebImageSandbox.enable(coders: list) }
        #expect(error?.code == .sandboxUnavailable)
        #expect(!WebImageSandbox.status(of: list).isEnabled)
    }

    /// A coder of the program.
    private final class OwnCoder: ImageCoder {
        func canDecode(from data: Data) -> Bool { false }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            throw .badData("fake", "no image")
        }
    }

    @Test func codersOfTheProgramAreListed() {
        let list = ImageCodersManager(coders: coders.coders + [OwnCoder()])
        let status = WebImageSandbox.status(of: list)
        #expect(status.isEnabled && status.hostCoders == ["OwnCoder"])
        #expect(status.formats.count == 18 && Set(status.formats).count == 18)
    }

    // MARK: Reports

    private final class Reports: WebImageManagerListener {
        private let state = Locked<[WebImageStageReport]>([])
        var all: [WebImageStageReport] { state.withLock { $0 } }
        func imageManager(_ imageManager: WebImageManager, didBegin span: WebImageStageSpan) {}
        func imageManager(_ imageManager: WebImageManager, didEnd report: WebImageStageReport) {
            state.withLock { $0.append(report) }
        }
    }

    @Test func reportOfADecodeNamesTheTimesOfItsWorker() async throws {
        let folder = try ScratchFolder()
        let file = folder.url.appendingPathComponent("a.png")
        try here.encode(gradient(width: 300, height: 200), format: .png, options: EncodingOptions()).write(to: file)
        for (isolated, list) in [(true, coders), (false, here)] {
            let reports = Reports()
            var configuration = WebImageConfiguration(name: isolated ? "isolated" : "here")
            configuration.folder = folder.url
            configuration.coders = list
            configuration.listeners = [reports]
            let manager = WebImageManager(configuration)
            _ = try await manager.image(for: file)
            #expect(await eventually { reports.all.contains { $0.stage == .load } })
            let decode = try #require(reports.all.first { $0.stage == .decode })
            #expect(reports.all.allSatisfy { ($0.workerTimes != nil) == (isolated && $0.stage == .decode) })
            #expect((decode.attributes["webimage.worker.transit"] != nil) == isolated)
            guard let times = decode.workerTimes else { continue }
            #expect(times.waiting >= .zero && times.working > .zero && times.transit > .zero)
            #expect(times.waiting + times.working + times.transit < decode.duration)
        }
    }

    // MARK: Animations

    /// The limits hold for the file. A result of a chosen size may have more pixels and longer sides.
    @Test(arguments: [ImageFormat.gif, .png, .jpeg, .webP, .bmp, .avif])
    func resultMayBeLargerThanTheLimitsOfTheFile(_ format: ImageFormat) throws {
        let file = try here.encode(gradient(width: 2, height: 3), format: format, options: EncodingOptions())
        var options = DecodingOptions()
        (options.limits.maxPixels, options.limits.maxSide) = (16, 16)
        options.thumbnailPixelSize = PixelSize(width: 72, height: 99)
        for isRegion in [false, true] {
            options.preserveAspectRatio = false
            options.sourceRegion = isRegion ? PixelRegion(left: 0.5, top: 0, width: 1, height: 2.25) : nil
            let (own, isolated) = (
                try here.decode(file, options: options), try coders.decode(file, options: options)
            )
            #expect(isolated.pixelSize == own.pixelSize && rows(isolated) == rows(own), "\(isRegion)")
        }
    }

    @Test(arguments: [ImageFormat.gif, .png, .webP])
    func animationsHaveTheSameFramesInEveryOrder(format: ImageFormat) throws {
        let data = try animation(format)
        let theirs = try #require(try here.decode(data, options: DecodingOptions()) as? AnimatedImage)
        let ours = try #require(try coders.decode(data, options: DecodingOptions()) as? AnimatedImage)
        #expect(ours.imageFrameCount == 5 && ours.imageLoopCount == theirs.imageLoopCount)
        #expect(ours.animatedImageData == data && rows(ours) == rows(theirs))
        for index in [0, 4, 2, 2, 1, 3] {
            #expect(ours.animatedImageDuration(at: index) == theirs.animatedImageDuration(at: index))
            let (a, b) = (ours.animatedImageFrame(at: index), theirs.animatedImageFrame(at: index))
            #expect(rows(try #require(a)) == rows(try #require(b)), "frame \(index)")
        }
        #expect(ours.animatedImageFrame(at: 5) == nil && ours.animatedImageFrame(at: -1) == nil)
        let opened = try #require(try coders.animation(of: data, options: DecodingOptions()))
        #expect(opened.animatedImageFrameCount == 5)
        var poster = DecodingOptions()
        poster.firstFrameOnly = true
        #expect(try coders.decode(data, options: poster).omitsFrames)
    }

    @Test func animationContinuesInAnotherWorkerAfterItsOwnWasLost() throws {
        let data = try animation(.gif)
        let image = try #require(try coders.decode(data, options: DecodingOptions()) as? AnimatedImage)
        let before = try #require(image.animatedImageFrame(at: 3))
        // End all workers of the profile.
        for _ in 0..<8 {
            let kind = SandboxPool.Kind(profile: .basic, owner: .shared)
            try TestSandbox.pool.withWorker(kind) { worker in _ = kill(worker.processIdentifier, SIGKILL) }
        }
        let after = try #require(image.animatedImageFrame(at: 3))
        #expect(rows(after) == rows(before))
    }

    @Test func manyAnimationsAreOpenAtTheSameTime() throws {
        let data = try animation(.gif, frameCount: 3, width: 8, height: 8)
        let images = try (0..<60).map { _ in
            try #require(try coders.decode(data, options: DecodingOptions()) as? AnimatedImage)
        }
        for index in 0..<3 {
            for image in images { #expect(image.animatedImageFrame(at: index) != nil) }
        }
    }

    /// One more than a worker keeps: the next frame is always one of the animation that was closed for the last one.
    @Test(arguments: [16, 17, 18]) func animationsThatTakeTurnsShowAllTheirFrames(count: Int) throws {
        var configuration = SandboxPool.Configuration()
        configuration.mostWorkers = 1
        let pool = SandboxPool(configuration)
        defer { pool.shutDown() }
        let data = try animation(.gif, frameCount: 3, width: 8, height: 8)
        let coder = try SandboxProfile.basic.workerCoder(of: data)
        let animations = try (0..<count).map { _ in
            try SandboxAnimation(data, pool: pool, coder: coder, options: DecodingOptions())
        }
        for round in 0..<6 {
            for animation in animations { #expect(throws: Never.self) { try animation.frame(at: round % 3) } }
        }
        #expect(pool.statistics.started == 1)
    }

    /// Runs `body`, whose request waits in a worker that has stopped, and lets the worker crash in it.
    private func crash(_ process: Int32, of pool: SandboxPool, in body: @escaping @Sendable () -> Void) async throws {
        kill(process, SIGSTOP)
        let hasEnded = Locked(false)
        Thread {
            body()
            hasEnded.withLock { $0 = true }
        }.start()
        #expect(await eventually { pool.busyCount == 1 })
        // For the way from the pool to the worker.
        try await Task.sleep(for: .milliseconds(300))
        kill(process, SIGSEGV)
        kill(process, SIGCONT)
        #expect(await eventually { hasEnded.withLock { $0 } })
    }

    /// A view asks for the next frame many times a second, so a frame that crashes its decoder must cost one worker.
    @Test func animationThatCrashesItsWorkerIsNotDecodedAgain() async throws {
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let data = try animation(.gif)
        let coder = try SandboxProfile.basic.workerCoder(of: data)
        let opened = try SandboxAnimation.decode(data, pool: pool, coder: coder, options: DecodingOptions()).animation
        let frames = try #require(opened)
        let process = try pool.withWorker(SandboxPool.Kind(profile: .basic, owner: .shared)) { $0.processIdentifier }
        try await crash(process, of: pool) { _ = try? frames.frame(at: 1) }
        for index in 0..<5 {
            let error = #expect(throws: WebImageError.self) { try frames.frame(at: index) }
            #expect(error?.shouldBlockURL == true)
        }
        #expect(pool.statistics.started == 1 && pool.statistics.ended[.crash] == 1)
        _ = try pool.decode(data)
        #expect(pool.statistics.started == 2)
    }

    /// The same for the pieces of a download.
    @Test func arrivingPictureThatCrashesItsWorkerIsNotShownAgain() async throws {
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let data = try here.encode(gradient(width: 300, height: 200), format: .png, options: EncodingOptions())
        let stream = SandboxStream(ImagePNGCoder.workerCoder, options: DecodingOptions()) { pool }
        try stream.append(data.prefix(data.count / 2), finished: false)
        let process = try pool.withWorker(SandboxPool.Kind(profile: .basic, owner: .shared)) { $0.processIdentifier }
        try await crash(process, of: pool) { _ = stream.image(scale: nil) }
        let error = #expect(throws: WebImageError.self) {
            try stream.append(data.suffix(data.count / 2), finished: true)
        }
        #expect(error?.shouldBlockURL == true && stream.image(scale: nil) == nil)
        #expect(pool.statistics.started == 1 && pool.statistics.ended[.crash] == 1)
    }

    /// Views and caches plan their memory by the first frame.
    @Test func frameOfAnotherSizeIsRefused() throws {
        let pool = SandboxPool()
        defer { pool.shutDown() }
        let data = try animation(.gif)
        let coder = try SandboxProfile.basic.workerCoder(of: data)
        let number = pool.makeNumber() + 1
        let opened = try SandboxAnimation.decode(data, pool: pool, coder: coder, options: DecodingOptions()).animation
        let frames = try #require(opened)
        #expect(try frames.frame(at: 1).pixelSize == PixelSize(width: 60, height: 40))
        // As a worker that was taken over could, this one replaces the decoder of the animation.
        var request = coder.request(.open, DecodingOptions())
        request.session = number
        let other = try animation(.gif, width: 8, height: 8)
        let sent = request
        try pool.withWorker(SandboxPool.Kind(profile: .basic, owner: .shared)) { worker throws(WebImageError) in
            _ = try worker.payload(sent, .data(other), mostBytes: 1 << 20)
        }
        let error = #expect(throws: WebImageError.self) { try frames.frame(at: 2) }
        #expect(error?.code == .decoderFailed)
        #expect(pool.statistics.ended[.violation] == 1 && pool.statistics.started == 1)
    }

    // MARK: Pictures that arrive

    @Test(arguments: [ImageFormat.jpeg, .png, .webP, .gif])
    func partialImagesAreTheSame(format: ImageFormat) throws {
        let data = try here.encode(gradient(width: 300, height: 200), format: format, options: EncodingOptions())
        let options = DecodingOptions([.decodeScaleFactor: 2])
        let ours = try #require(coders.makeIncrementalCoder(for: data, options: options) as? any StreamingImageCoder)
        let theirs = try #require(here.makeIncrementalCoder(for: data, options: options) as? any StreamingImageCoder)
        let step = max(data.count / 9, 1)
        for start in stride(from: 0, to: data.count, by: step) {
            let piece = data[start..<min(start + step, data.count)]
            try ours.append(piece, finished: start + step >= data.count)
            try theirs.append(piece, finished: start + step >= data.count)
            #expect(ours.incrementalRevision == theirs.incrementalRevision)
            #expect(ours.incrementalInfo == theirs.incrementalInfo)
            let (a, b) = (ours.incrementalImage(options: nil), theirs.incrementalImage(options: nil))
            #expect(a.map(rows) == b.map(rows) && a?.isIncremental == b?.isIncremental && a?.scale == b?.scale)
        }
        #expect(ours.incrementalImage(options: nil)?.pixelSize == PixelSize(width: 300, height: 200))
    }

    @Test func arrivingPictureContinuesInAnotherWorker() throws {
        let data = try here.encode(gradient(width: 300, height: 200), format: .png, options: EncodingOptions())
        let stream = try #require(
            coders.makeIncrementalCoder(for: data, options: DecodingOptions()) as? any StreamingImageCoder)
        try stream.append(data.prefix(data.count / 2), finished: false)
        for _ in 0..<8 {
            let kind = SandboxPool.Kind(profile: .basic, owner: .shared)
            try TestSandbox.pool.withWorker(kind) { worker in _ = kill(worker.processIdentifier, SIGKILL) }
        }
        try stream.append(data.dropFirst(data.count / 2), finished: true)
        let whole = try here.decode(data, options: DecodingOptions())
        #expect(rows(try #require(stream.incrementalImage(options: nil))) == rows(whole))
    }

    @Test func framesOfAnArrivingAnimationAreShown() throws {
        let data = try animation(.gif)
        let coder = try #require(coders.makeIncrementalCoder(for: data, options: DecodingOptions()))
        let animated = try #require(coder as? any AnimatedImageCoder)
        try coder.update(data.prefix(data.count * 3 / 4), finished: false)
        #expect((2...4).contains(animated.animatedImageFrameCount))
        try coder.update(data, finished: true)
        #expect(animated.animatedImageFrameCount == 5 && animated.animatedImageFrame(at: 4) != nil)
        #expect(animated.animatedImageDuration(at: 1) == 0.1)
    }

    // MARK: Loads

    @Test(.needsRealDecoderProcesses) func compressedDataIsUnpackedOnlyInAWorker() throws {
        let svg = try #require(coders.coders.first { $0 is SandboxedCoder<ImageSVGCoder> })
        let noDrawing = Data([0x1F, 0x8B, 0x08] + [UInt8](repeating: 0, count: 40))
        #expect(svg.canDecode(from: noDrawing))
        let error = #expect(throws: WebImageError.self) { try coders.decode(noDrawing, options: DecodingOptions()) }
        #expect(error?.code == .badImageData)
    }

    /// As a drawing of librsvg before 2.60, whose price was estimated too low.
    @Test func decoderThatNeverLooksAtTheTimeEndsAtItsDeadline() throws {
        let worker = try SandboxWorker(.basic)
        var options = DecodingOptions()
        options.limits.maxDecodeTime = .milliseconds(300)
        var request = SandboxRequest(.attempt)
        (request.number, request.session, request.options) = (
            try Attempts.fault("loop for ever"), UInt64(getpid()), options
        )
        let time = ContinuousClock().measure {
            let error = #expect(throws: WebImageError.self) { try worker.image(request) }
            #expect(error?.code == .limitExceeded)
        }
        #expect(time < Sanitizer.time(.seconds(3)) && worker.end == .deadline)
        let data = try here.encode(gradient(width: 30, height: 20), format: .png, options: EncodingOptions())
        #expect(try coders.decode(data, options: DecodingOptions()).pixelSize.width == 30)
    }

    @Test func cancelledRequestKillsItsWorker() async throws {
        let worker = try SandboxWorker(.basic)
        var request = SandboxRequest(.attempt)
        (request.number, request.session) = (try Attempts.fault("loop for ever"), UInt64(getpid()))
        let budget = WorkBudget(time: nil)
        let sent = request
        let ended = Locked<WebImageError?>(nil)
        Thread {
            do throws(WebImageError) {
                _ = try budget.run { () throws(WebImageError) in try worker.image(sent) }
            } catch {
                ended.withLock { $0 = error }
            }
        }.start()
        budget.cancel()
        #expect(await eventually { ended.withLock { $0 } != nil })
        #expect(ended.withLock { $0 }?.code == .cancelled)
        // A budget that was cancelled before the request was sent leaves the worker alone.
        #expect(worker.end == .cancelled || worker.end == nil)
    }

    @Test func crashIsRememberedForItsPictureOnly() throws {
        let worker = try SandboxWorker(.basic)
        var request = SandboxRequest(.attempt)
        (request.number, request.session) = (try Attempts.fault("crash"), UInt64(getpid()))
        let error = try #require(#expect(throws: WebImageError.self) { try worker.image(request) })
        #expect(error.code == .decoderFailed && worker.end == .crash)
        #expect(error.underlying == .codec(library: "decoder process", message: "crashed (SIGSEGV)"))
        #expect(error.shouldBlockURL)
        let quiet = try SandboxWorker(.basic)
        request.number = try Attempts.fault("end quietly")
        let other = try #require(#expect(throws: WebImageError.self) { try quiet.image(request) })
        #expect(other.code == .decoderFailed && !other.shouldBlockURL && quiet.end == .lost)
    }

    /// Damage of the heap is a finding of the address sanitizer, which ``SandboxFaultTests`` look at.
    private static let aborts = Sanitizer.running == .address ? ["abort"] : ["abort", "damage the heap"]

    /// The filter refuses the signal of abort(3). Before it, the C library may write a message.
    @Test(.needsRealDecoderProcesses, arguments: SandboxProfile.allCases, aborts)
    func abortIsACrashOfItsPictureInEveryProfile(profile: SandboxProfile, fault: String) throws {
        let worker = try SandboxWorker(profile)
        var request = SandboxRequest(.attempt)
        (request.number, request.session) = (try Attempts.fault(fault), UInt64(getpid()))
        let error = try #require(#expect(throws: WebImageError.self) { try worker.image(request) })
        #expect(error.underlying == .codec(library: "decoder process", message: "crashed (SIGABRT)"))
        #expect(error.shouldBlockURL && worker.end == .crash)
    }

    @Test func workersOfTwoScopesAreDifferent() throws {
        let data = try here.encode(gradient(width: 30, height: 20), format: .png, options: EncodingOptions())
        func worker(of owner: FileOwner) throws -> Int32 {
            try owner.run { () throws(WebImageError) in
                let pool = TestSandbox.pool
                return try pool.withWorker(pool.kind(.basic)) { $0.processIdentifier }
            }
        }
        let shared = try worker(of: .shared)
        let one = try worker(of: .scoped("one"))
        #expect(try worker(of: .scoped("one")) == one && worker(of: .shared) == shared)
        #expect(try one != shared && worker(of: .scoped("two")) != one && worker(of: .unknown) != worker(of: .unknown))
        // The decode of a load runs with the scope of the load.
        var decoding = ImageDecoding(coder: OwnerCoder(), options: DecodingOptions())
        decoding.owner = .scoped("three")
        _ = try? decoding.decode(data)
        #expect(OwnerCoder.seen.withLock { $0 } == .scoped("three"))
    }

    private final class OwnerCoder: ImageCoder {
        static let seen = Locked<FileOwner?>(nil)
        func canDecode(from data: Data) -> Bool { true }
        var describesFiles: Bool { false }
        func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
            throw .badData("fake", "")
        }
        func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
            Self.seen.withLock { $0 = .current }
            throw .badData("fake", "no image")
        }
    }
}
