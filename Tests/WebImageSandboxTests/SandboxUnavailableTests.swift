import Foundation
import Testing
import WebImage
import WebImageLoading
import WebImageTestTraits

@testable import WebImageCore
@testable import WebImageHTTP
@testable import WebImageSandbox

/// Programs whose workers cannot start. Each test is a process of its own, because a process enables the sandbox once.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxUnavailableTests {
    private final class Recorder: WebImageLogging {
        let messages = Locked<[String]>([])
        func log(_ level: WebImageLogLevel, _ message: String, metadata: [String: String]) {
            messages.withLock { $0.append("\(level) \(message)") }
        }
        func count(_ text: String) -> Int { messages.withLock { $0.filter { $0.contains(text) }.count } }
    }

    /// Records the log from now on.
    private static func record() -> Recorder {
        let recorder = Recorder()
        WebImageLog.shared.destination = recorder
        return recorder
    }

    private static var withoutWorkers: WebImageSandbox.Configuration {
        var configuration = WebImageSandbox.Configuration()
        configuration.workerExecutable = "/bin/false"
        return configuration
    }

    @Test func decodeHereDecodesEverythingInThisProcessAndWarnsOnce() async {
        await #expect(processExitsWith: .success) {
            let recorder = Self.record()
            var configuration = Self.withoutWorkers
            configuration.whenUnavailable = .decodeHere
            let here = ImageCodersManager(coders: SandboxProfile.basic.coders)
            let coders = ImageCodersManager(coders: here.coders)
            let status = try WebImageSandbox.enable(configuration, coders: coders)
            #expect(status.isEnabled)
            let data = try animation(.gif)
            let own = try #require(try here.decode(data, options: DecodingOptions()) as? AnimatedImage)
            let image = try #require(try coders.decode(data, options: DecodingOptions()) as? AnimatedImage)
            #expect(rows(image) == rows(own) && image.imageFrameCount == 5 && image.animatedImageData == data)
            for index in 0..<5 {
                let frames = try [image, own].map { try #require($0.animatedImageFrame(at: index)) }
                #expect(rows(frames[0]) == rows(frames[1]))
                #expect(image.animatedImageDuration(at: index) == own.animatedImageDuration(at: index))
            }
            let opened = try #require(try coders.animation(of: data, options: DecodingOptions()))
            #expect(opened.animatedImageFrameCount == 5 && opened.animatedImageFrame(at: 4) != nil)
            let infos = try [coders, here].map { try $0.imageInfo(of: data, limits: .default) }
            let properties = try [coders, here].map { try $0.imageProperties(of: data) }
            #expect(infos[0] == infos[1] && properties[0] == properties[1])
            // A failure of the picture stays one, and no partial image appears.
            let error = #expect(throws: WebImageError.self) {
                try coders.decode(data.prefix(20), options: DecodingOptions())
            }
            #expect(error?.code == .badImageData)
            let stream = try #require(
                coders.makeIncrementalCoder(for: data, options: DecodingOptions()) as? any StreamingImageCoder)
            #expect(throws: WebImageError.self) { try stream.append(data, finished: true) }
            #expect(stream.incrementalImage(options: nil) == nil)
            #expect(recorder.count("decoded in this process") == 1)
            #expect(WebImageSandbox.statistics?.started == 0)
        }
    }

    @Test func withoutDecodeHereNothingIsDecodedInThisProcess() async {
        await #expect(processExitsWith: .success) {
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            try WebImageSandbox.enable(Self.withoutWorkers, coders: coders)
            let data = try animation(.gif)
            for _ in 0..<3 {
                var errors = [#expect(throws: WebImageError.self) { try coders.decode(data, options: .init()) }]
                errors.append(#expect(throws: WebImageError.self) { try coders.imageInfo(of: data, limits: .default) })
                errors.append(#expect(throws: WebImageError.self) { try coders.imageProperties(of: data) })
                errors.append(
                    #expect(throws: WebImageError.self) { try coders.animation(of: data, options: .init()) })
                for error in errors { #expect(error?.code == .sandboxUnavailable && error?.hint != nil) }
            }
        }
    }

    @Test func requiredModeIgnoresDecodeHere() async {
        await #expect(processExitsWith: .success) {
            setenv("WEBIMAGE_SANDBOX_MODE", "required", 1)
            var configuration = Self.withoutWorkers
            configuration.whenUnavailable = .decodeHere
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            try WebImageSandbox.enable(configuration, coders: coders)
            let error = #expect(throws: WebImageError.self) {
                try coders.decode(try animation(.gif), options: DecodingOptions())
            }
            #expect(error?.code == .sandboxUnavailable)
        }
    }

    @Test func modeOffChangesNothing() async {
        await #expect(processExitsWith: .success) {
            setenv("WEBIMAGE_SANDBOX_MODE", "off", 1)
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            let status = try WebImageSandbox.enable(coders: coders)
            #expect(!status.isEnabled)
            #expect(WebImageSandbox.statistics == nil)
            let image = try coders.decode(try animation(.gif), options: DecodingOptions())
            #expect(image.imageFrameCount == 5)
        }
    }

    // MARK: The hint

    private static let hint = "WebImageSandbox.enable()"

    private static func plan(_ policy: DownloadPolicy?) throws {
        var config = WebImageDownloaderConfig()
        config.policy = policy
        let url = URL(string: "http://example.org/a.png")!
        _ = try WebImageDownloader(config: config).parameters(for: ImageDataLoad(url: url))
    }

    @Test func serverPolicyWithoutSandboxIsLoggedOnce() async {
        await #expect(processExitsWith: .success) {
            // A message that nothing receives is not lost.
            try Self.plan(.server)
            let recorder = Self.record()
            try Self.plan(nil)
            try Self.plan(DownloadPolicy())
            #expect(recorder.count(Self.hint) == 0)
            for _ in 0..<3 { try Self.plan(.server) }
            #expect(recorder.count(Self.hint) == 1)
        }
    }

    @Test func serverPolicyWithSandboxIsNotLogged() async {
        await #expect(processExitsWith: .success) {
            let recorder = Self.record()
            try WebImageSandbox.enable(coders: ImageCodersManager(coders: []))
            try Self.plan(.server)
            #expect(recorder.count(Self.hint) == 0)
        }
    }
}
