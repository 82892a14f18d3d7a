import CWebImageSandboxAttempts
import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageSandbox

/// Real decoder processes: this test program, executed again.
@Suite(.serialized, .timeLimit(minutes: 2))
struct SandboxWorkerTests {
    private func files() throws -> [(format: ImageFormat, data: Data)] {
        let image = try gradient(width: 700, height: 500)
        return try [ImageFormat.jpeg, .png, .gif, .webP, .bmp].map { format in
            let coder = try #require(SandboxProfile.basic.coders.last { $0.canEncode(to: format) })
            return (format, try coder.encode(image, format: format, options: EncodingOptions()))
        }
    }

    // MARK: Pictures

    @Test func picturesAreEqualToThoseOfThisProcess() throws {
        let worker = try SandboxWorker(.basic)
        var thumbnail = DecodingOptions()
        thumbnail.thumbnailPixelSize = PixelSize(width: 100, height: 100)
        thumbnail.scaleFactor = 2
        var gray = DecodingOptions()
        gray.pixelFormat = .gray8
        for file in try files() {
            for options in [DecodingOptions(), thumbnail, gray] {
                let coder = try #require(SandboxProfile.basic.coders.last { $0.canDecode(from: file.data) })
                let expected = try coder.decode(file.data, options: options)
                let image = try worker.decode(file.data, options: options)
                #expect(rows(image) == rows(expected), "\(file.format)")
                #expect(image.imageFormat == expected.imageFormat && image.scale == expected.scale)
                #expect(image.hasAlpha == expected.hasAlpha && image.colorProfile == expected.colorProfile)
            }
        }
    }

    /// More pixels than the window holds, and more bytes than fit into it.
    @Test func largePicturesAndFilesArrive() throws {
        let worker = try SandboxWorker(.basic)
        let large = try gradient(width: 2500, height: 1800)
        let file = try ImageBMPCoder.shared.encode(large, format: .bmp, options: EncodingOptions())
        #expect(file.count > SandboxWindow.inputBytes)
        let image = try worker.decode(file, options: DecodingOptions())
        #expect(rows(image) == rows(try ImageBMPCoder.shared.decode(file, options: DecodingOptions())))
        // The window is free for the next picture.
        let small = try #require(try files().first).data
        #expect(try worker.decode(small, options: DecodingOptions()).pixelSize == PixelSize(width: 700, height: 500))
    }

    /// Pixels that the coder wrote into the window, pixels that came through its slots, and sizes next to the border.
    @Test func picturesOfEverySizeArrive() throws {
        let worker = try SandboxWorker(.basic)
        let rowCount = SandboxWindow.arenaBytes / (1024 * 4)
        for height in [3, 4, rowCount - 1, rowCount, rowCount + 1, 3, rowCount] {
            let picture = try gradient(width: 1024, height: height)
            let file = try ImageBMPCoder.shared.encode(picture, format: .bmp, options: EncodingOptions())
            #expect(try rows(worker.decode(file)) == rows(picture), "\(height)")
        }
    }

    @Test func errorsOfTheCoderArriveWithTheirLimit() throws {
        let worker = try SandboxWorker(.basic)
        let png = try #require(try files().first { $0.format == .png }).data
        var options = DecodingOptions()
        options.limits.maxPixels = 1000
        let limit = #expect(throws: WebImageError.self) { try worker.decode(png, options: options) }
        #expect(limit?.underlying == .limit(.pixels, actual: 350_000, allowed: 1000))
        let bad = #expect(throws: WebImageError.self) {
            try worker.decode(png.prefix(30), options: DecodingOptions())
        }
        let here = #expect(throws: WebImageError.self) {
            try ImagePNGCoder.shared.decode(png.prefix(30), options: DecodingOptions())
        }
        #expect(bad?.code == .badImageData && bad?.underlying == here?.underlying && bad?.hint == here?.hint)
        let foreign = #expect(throws: WebImageError.self) {
            try worker.decode(Data("no picture".utf8), options: DecodingOptions())
        }
        #expect(foreign?.code == .badImageData)
        #expect(worker.isUsable)
    }

    @Test(.needsRealDecoderProcesses, arguments: SandboxProfile.allCases)
    func everyProfileStartsAndIsLocked(profile: SandboxProfile) throws {
        let worker = try SandboxWorker(profile)
        #expect(worker.protections.hasFilter)
        if profile == .svg {
            let svg = Data(
                "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='20'><rect width='20' height='20' fill='red'/></svg>"
                    .utf8)
            let image = try worker.decode(svg, options: DecodingOptions())
            #expect(image.pixelSize == PixelSize(width: 20, height: 20))
        }
    }

    /// A format without a sample would load its library after the lock, which fails.
    @Test func everyFormatHasASample() throws {
        for coder in SandboxProfile.allCases.flatMap(\.types) {
            // Drawings are written as text. The others are read by the code of another format.
            for format in coder.formats where ![.svg, .ico, .apng, .heif].contains(format) {
                if format == .pdf, !PDFium.isThere { continue }
                let data = try #require(SandboxSampleFiles.data(format), "\(format)")
                let image = try coder.shared.decode(data, options: DecodingOptions())
                #expect(image.imageFormat == format)
                // Red grows to the right, green downwards, and blue falls.
                let (width, height) = (image.pixels.width - 1, image.pixels.height - 1)
                let (start, end) = (image.color(at: .zero), image.color(at: CGPoint(x: width, y: height)))
                #expect(
                    try #require(start).blue > 0.8 && #require(end).red > 0.7 && #require(end).green > 0.7, "\(format)")
            }
        }
    }

    // MARK: Restrictions

    /// The list as seen with the lock: nothing works. ``attemptsWorkWithoutTheLock`` shows that the list proves something.
    @Test(arguments: 0..<Attempts.count) func attemptIsRefusedOrEndsTheWorker(number: Int) throws {
        let worker = try SandboxWorker(.basic)
        switch worker.attempt(number) {
        case .worked: Issue.record("\(Attempts.name(number)) worked")
        case .refused(let errno):
            #expect(
                [EPERM, EACCES, ENOSYS, ENOTTY, EBADF].contains(Int32(errno)), "\(Attempts.name(number)): \(errno)")
        case .ended: break
        }
    }

    @Test func attemptsWorkWithoutTheLock() {
        // Without a worker's descriptors and filter, in this process.
        let harmless = [
            "read a file", "list a folder", "describe a file", "make an internet socket", "make a Unix socket",
            "execute a program in a child", "execute a program", "make executable memory", "make a process with clone3",
            "send a signal to the host", "map executable memory", "make memory executable", "make a memory file",
            "open the host's process", "wait for children",
        ]
        for number in 0..<Attempts.count where harmless.contains(Attempts.name(number)) {
            #expect(webimage_sandbox_attempt(Int32(number), getpid(), 0) == 0, "\(Attempts.name(number))")
        }
    }

    // MARK: Faults

    @Test(arguments: ["crash", "trap", "end quietly", "answer with noise"])
    func brokenWorkerEndsAndTheNextOneWorks(fault: String) throws {
        let file = try #require(try files().first).data
        let worker = try SandboxWorker(.basic)
        if case .worked = worker.attempt(try Attempts.fault(fault)) { Issue.record("\(fault) worked") }
        #expect(!worker.isUsable)
        let error = #expect(throws: WebImageError.self) { try worker.decode(file, options: DecodingOptions()) }
        #expect(error?.code == .decoderFailed)
        #expect(throws: Never.self) { try SandboxWorker(.basic).decode(file, options: DecodingOptions()) }
    }

    @Test func workerThatNeverAnswersIsKilledAtTheDeadline() throws {
        let worker = try SandboxWorker(.basic)
        let fault = try Attempts.fault("loop for ever")
        let time = ContinuousClock().measure {
            #expect(worker.attempt(fault, within: .milliseconds(200)) != .worked)
        }
        #expect(time < Sanitizer.time(.seconds(3)))
        #expect(!worker.isUsable)
    }

    /// The processors on which the main thread or the calling thread may run.
    private func processors(_ thread: String = "thread-self") -> String? {
        let status = try? String(contentsOfFile: "/proc/\(thread)/status", encoding: .utf8)
        return status?.split(separator: "\n").first { $0.hasPrefix("Cpus_allowed:") }.map { String($0) }
    }

    /// Host and worker share a processor for a moment.
    @Test func callingThreadMayRunEverywhereAfterItsRequest() throws {
        // No test runs requests on the main thread.
        let all = try #require(processors("self"))
        let file = try #require(try files().first).data
        let worker = try SandboxWorker(.basic)
        for _ in 0..<3 {
            _ = try worker.decode(file)
            #expect(processors() == all)
        }
        #expect(throws: WebImageError.self) { try worker.decode(Data("no picture".utf8)) }
        #expect(processors() == all)
        var request = SandboxRequest(.attempt)
        (request.number, request.session) = (try Attempts.fault("loop for ever"), UInt64(getpid()))
        request.options.limits.maxDecodeTime = .milliseconds(100)
        let late = #expect(throws: WebImageError.self) { try worker.image(request) }
        #expect(late?.code == .limitExceeded && processors() == all)
    }

    @Test func memoryOfAWorkerIsBounded() throws {
        // The address sanitizer reserves terabytes.
        guard ProcessMemory.isMeasurable else { return }
        var configuration = SandboxWorker.Configuration()
        configuration.memoryBytes = 600 << 20
        let worker = try SandboxWorker(.basic, configuration: configuration)
        #expect(worker.attempt(try Attempts.fault("allocate without end")) == .refused(errno: Int(ENOMEM)))
        #expect(worker.isUsable)
    }

    @Test func noProcessAndNoDescriptorIsLeft() throws {
        _ = try SandboxWorker(.basic)
        let before = openDescriptors()
        let live = HandleLedger.live["decoder process"] ?? 0
        for round in 0..<10 {
            let worker = try SandboxWorker(.basic)
            if round % 2 == 0 { _ = worker.attempt(try Attempts.fault("crash")) }
        }
        // Another suite's idle worker may have ended meanwhile.
        #expect(openDescriptors() <= before)
        #expect((HandleLedger.live["decoder process"] ?? 0) <= live)
        // Other suites may keep workers, but no worker of this test is a zombie.
        #expect(waitpid(-1, nil, WNOHANG) <= 0)
    }
}
