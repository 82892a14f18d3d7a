import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

@Suite("Ends of a view's load", .timeLimit(minutes: 1))
@MainActor struct LoadEndTests {
    let view = ViewFixture()
    let url: URL
    let image: Image
    let placeholder: Image

    init() throws {
        url = try ViewFixture.url(1)
        image = try ViewFixture.image()
        placeholder = try ViewFixture.image()
    }

    @Test func refreshThatEndsSilentlyReleasesItsState() {
        var witness: Witness? = Witness()
        weak var captured: Witness?
        captured = witness
        view.binding.setImage(
            with: url, options: .refreshCached, context: [.customManager: view.loader],
            completed: { [witness] _, _, _, _ in _ = witness })
        witness = nil
        let load = view.loader.loads[0]
        load.deliver(image, from: .disk)
        #expect(view.binding.operation() != nil)
        #expect(captured != nil)
        load.releaseCompletion()
        #expect(view.binding.operation() == nil)
        #expect(captured == nil)
    }

    @Test func completionIsReleasedAtTheEndOfALoadWhoseOperationIsKept() {
        var witness: Witness? = Witness()
        weak var captured: Witness?
        captured = witness
        let operation = view.binding.setImage(
            with: url, context: [.customManager: view.loader],
            completed: { [witness] _, _, _, _ in _ = witness })
        witness = nil
        #expect(captured != nil)
        view.loader.loads[0].deliver(image)
        #expect(captured == nil)
        withExtendedLifetime(operation) {}
    }

    @Test func callsOfALoaderAfterTheEndAreIgnored() throws {
        view.load(url)
        let load = view.loader.loads[0]
        load.deliver(image)
        load.deliver(try ViewFixture.image())
        load.deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.displayedImage === image && view.completions.count == 1 && view.binding.failure == nil)
    }

    @Test func loadCompletesWhenTheLoaderReleasesItsCompletion() {
        view.load(url, placeholder: placeholder, .delayPlaceholder)
        view.loader.loads[0].releaseCompletion()
        #expect(view.completions.map(\.code) == [.invalidDownloadOperation])
        #expect(view.displayedImage === placeholder)
    }

    @Test func releasedCompletionDoesNotOvertakeAQueuedDelivery() async {
        view.load(url)
        let load = view.loader.loads[0]
        let (image, delivered) = (image, DispatchSemaphore(value: 0))
        DispatchQueue.global().async {
            load.deliver(image)
            delivered.signal()
        }
        await Task.detached { delivered.waitForTest() }.value
        load.releaseCompletion()
        for _ in 0..<1000 where view.completions.isEmpty { await Task.yield() }
        #expect(view.completions.map(\.hasImage) == [true])
    }

    @Test func cancelShowsTheDelayedPlaceholderButANewLoadDoesNot() throws {
        let operation = view.load(url, placeholder: placeholder, .delayPlaceholder)
        operation?.cancel()
        #expect(view.showed([placeholder]))
        view.shown = []
        view.load(try ViewFixture.url(2), placeholder: placeholder, .delayPlaceholder)
        view.load(try ViewFixture.url(3), .delayPlaceholder)
        #expect(view.shown.isEmpty)
    }

    @Test func failedRefreshKeepsTheCachedPicture() {
        view.binding.errorImage = placeholder
        view.load(url, placeholder: placeholder, [.refreshCached, .delayPlaceholder])
        view.loader.loads[0].deliver(image, from: .disk)
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.displayedImage === image)
        #expect(view.completions.map(\.code) == [nil, .transport])
    }

    @Test func errorImageIsShownForAFailureAndNotForACancel() {
        view.binding.errorImage = image
        view.load(url, placeholder: placeholder)
        view.binding.cancelImageLoad()
        #expect(view.displayedImage === placeholder)
        view.load(url, placeholder: placeholder)
        view.loader.loads[1].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
        #expect(view.displayedImage === image)
    }

    @Test func retryLoadsAURLThatIsRememberedAsFailed() {
        #expect(view.binding.retry() == nil)
        view.load(url, placeholder: placeholder, .progressiveLoad)
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.binding.failure?.code == .transport)
        var origins: [ImageCacheType] = []
        view.binding.retry { _, _, origin, _ in origins.append(origin) }
        #expect(view.loader.loads[1].options == [.progressiveLoad, .retryFailed])
        view.loader.loads[1].deliver(image)
        #expect(view.displayedImage === image)
        #expect(origins == [.none])
        #expect(view.completions.count == 1)
        #expect(view.binding.failure == nil)
    }

    @Test func pausedLoadRestartsOnResumeAndCompletesOnce() {
        view.load(url, placeholder: placeholder)
        view.binding.pauseLoads()
        #expect(view.loader.loads[0].isCancelled)
        view.loader.loads[0].deliver(nil, error: .cancelled)
        #expect(view.completions.isEmpty)
        view.binding.resumeLoads()
        view.binding.resumeLoads()
        #expect(view.loader.loads.count == 2)
        view.loader.loads[1].deliver(image)
        #expect(view.displayedImage === image)
        #expect(view.completions.map(\.hasImage) == [true])
    }

    @Test func trimmedImageIsRestoredAndAnImageInUseStays() {
        view.load(url)
        view.binding.trim()
        #expect(view.loader.loads[0].isCancelled == false)
        view.loader.loads[0].deliver(image)
        view.binding.trim()
        #expect(view.displayedImage == nil)
        view.binding.restore()
        #expect(view.loader.loads.count == 2)
        view.loader.loads[1].deliver(image)
        #expect(view.displayedImage === image)
        view.binding.restore()
        #expect(view.loader.loads.count == 2)
        view.displayedImage = placeholder
        view.binding.trim()
        #expect(view.displayedImage === placeholder)
    }
}

private final class Witness: Sendable {}

extension DispatchSemaphore {
    fileprivate func waitForTest() { wait() }
}
