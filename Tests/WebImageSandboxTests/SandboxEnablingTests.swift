import CWebImageAllocationCounter
import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageSandbox

/// What `enable()` does and does not do. Each test is a process of its own, because a process enables the sandbox once.
@Suite(.serialized, .timeLimit(minutes: 3))
struct SandboxEnablingTests {
    private static var threadCount: Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
    }

    /// A program enables the sandbox at its start, so the call must not do what may not be needed.
    @Test func enablingStartsNothingAndResolvesNoCoder() async {
        await #expect(processExitsWith: .success) {
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            let threads = Self.threadCount
            allocation_counter_start()
            let status = try WebImageSandbox.enable(coders: coders)
            let allocations = allocation_counter_stop()
            #expect(status.isEnabled && status.hostCoders.isEmpty && status.formats.count == 7)
            #expect(Self.threadCount == threads && WebImageSandbox.statistics?.workers == 0)
            #expect(coders.resolvedCoders.allSatisfy { $0.isReplaced && !$0.isResolved })
            if allocation_counter_works() { #expect(allocations < 600, "\(allocations)") }
        }
    }

    @Test func firstLoadStartsAWorkerBeforeItsPictureHasArrived() async {
        await #expect(processExitsWith: .success) {
            try WebImageSandbox.enable(coders: ImageCodersManager(coders: SandboxProfile.basic.coders))
            let folder = try ScratchFolder()
            var configuration = WebImageConfiguration(name: "enabling")
            configuration.folder = folder.url
            let manager = WebImageManager(configuration)
            // A file that is not there: nothing is decoded.
            let url = folder.url.appendingPathComponent("none.png")
            _ = try? await manager.image(for: url)
            func failedStarts() -> Int { WebImageSandbox.statistics?.ended["start"] ?? 0 }
            #expect(await eventually { WebImageSandbox.statistics?.started == 1 || failedStarts() > 0 })
            // Without a worker, another start gives the cause. Of an expectation, an exit test would not report the error.
            if failedStarts() > 0 {
                do { _ = try WebImageSandbox.protections(of: [.png]) } catch { Issue.record("\(error)") }
            }
            _ = try? await manager.image(for: url)
            #expect(WebImageSandbox.statistics?.started == 1 && WebImageSandbox.statistics?.pictures == 0)
        }
    }

    @Test func onlyTheNamedFormatsAreIsolated() async {
        await #expect(processExitsWith: .success) {
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            var configuration = WebImageSandbox.Configuration()
            configuration.formats = [.gif, .pdf]
            let status = try WebImageSandbox.enable(configuration, coders: coders)
            #expect(status.formats == [.gif] && status.hostCoders.count == 5 && status.isEnabled)
            func isIsolated(_ format: ImageFormat) throws -> Bool {
                let data = try animation(format)
                return coders.resolvedCoders.last { $0.role.canDecode(from: data) }?.role is any IsolatedCoder
            }
            #expect(try isIsolated(.gif) && !isIsolated(.webP))
            // No worker starts for the formats that are decoded here.
            DecoderIsolation.expectPicture()
            #expect(WebImageSandbox.statistics?.started == 0)
        }
    }

    /// Every caller of `enable()` may decode as soon as the call has returned or failed.
    @Test func twoThreadsThatEnableAtOnceBothDecodeInWorkers() async {
        await #expect(processExitsWith: .success) {
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            let data = try animation(.gif)
            let (enabled, refused, isolated) = (Locked(0), Locked(0), Locked(0))
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do throws(WebImageError) {
                    try WebImageSandbox.enable(coders: coders)
                    enabled.withLock { $0 += 1 }
                } catch {
                    refused.withLock { $0 += error.code == .sandboxUnavailable ? 1 : 0 }
                }
                let coder = coders.resolvedCoders.last { $0.role.canDecode(from: data) }
                isolated.withLock { $0 += coder?.role is any IsolatedCoder ? 1 : 0 }
            }
            #expect(enabled.withLock { $0 } == 1 && refused.withLock { $0 } == 7 && isolated.withLock { $0 } == 8)
            _ = try coders.decode(data, options: DecodingOptions())
            #expect(WebImageSandbox.statistics?.pictures == 1)
        }
    }

    @Test func codersOfThePackageThatAreAddedLaterDecodeInWorkers() async {
        await #expect(processExitsWith: .success) {
            let coders = ImageCodersManager(coders: SandboxProfile.basic.coders)
            try WebImageSandbox.enable(coders: coders)
            coders.addCoder(ImageAVIFCoder.shared)
            #expect(coders.coders.allSatisfy { $0 is any IsolatedCoder })
            #expect(WebImageSandbox.status(of: coders).formats.contains(.avif))
            // A program removes a coder by its own name, or the one that it has found in the list.
            coders.removeCoder(ImageGIFCoder.shared)
            coders.removeCoder(try #require(coders.coders.last))
            #expect(!WebImageSandbox.status(of: coders).formats.contains { [.gif, .avif].contains($0) })
            coders.coders = SandboxProfile.basic.coders
            #expect(coders.coders.allSatisfy { $0 is any IsolatedCoder })
            coders.coders = coders.coders
            #expect(WebImageSandbox.status(of: coders).hostCoders.isEmpty)
        }
    }
}
