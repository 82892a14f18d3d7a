import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

@Suite("View binding", .timeLimit(minutes: 1))
@MainActor struct ImageViewBindingTests {
    let view = ViewFixture()
    let first: URL
    let second: URL
    let image: Image
    let placeholder: Image

    init() throws {
        first = try ViewFixture.url(1)
        second = try ViewFixture.url(2)
        image = try ViewFixture.image()
        placeholder = try ViewFixture.image()
    }

    @Test func placeholderComesFirstThenTheImage() {
        view.load(first, placeholder: placeholder)
        #expect(view.showed([placeholder]))
        view.loader.loads[0].deliver(image)
        #expect(view.showed([placeholder, image]))
        #expect(view.completions == [.init(hasImage: true, cacheType: .none, url: first)])
        #expect(view.binding.imageURL() == first)
    }

    @Test func missingPlaceholderClears() {
        view.displayedImage = image
        view.load(first)
        #expect(view.displayedImage == nil)
    }

    @Test func memoryHitIsShownBeforeTheCallReturns() {
        view.loader.remember(image, for: first)
        view.load(first, placeholder: placeholder)
        #expect(view.displayedImage === image)
        #expect(view.completions == [.init(hasImage: true, cacheType: .memory, url: first)])
    }

    @Test(arguments: [[], .delayPlaceholder] as [WebImageOptions])
    func missingURLShowsThePlaceholderAndCompletesAtOnce(options: WebImageOptions) {
        view.load(first)
        let operation = view.load(nil, placeholder: placeholder, options)
        #expect(operation == nil)
        #expect(view.displayedImage === placeholder)
        #expect(view.completions.map(\.code) == [.cancelled, .invalidURL])
        view.loader.loads[0].deliver(image)
        #expect(view.displayedImage === placeholder)
        #expect(view.binding.imageURL() == nil)
    }

    @Test func delayedPlaceholderIsShownOnlyAfterAFailure() {
        view.displayedImage = image
        view.load(first, placeholder: placeholder, .delayPlaceholder)
        #expect(view.displayedImage === image)
        view.loader.loads[0].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
        #expect(view.displayedImage === placeholder)
        #expect(view.completions.map(\.code) == [.badImageData])
    }

    @Test func failureKeepsThePicture() {
        view.load(first, placeholder: placeholder)
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.showed([placeholder]))
    }

    @Test func imageIsNotSetWithAvoidAutoSetImage() {
        view.load(first, placeholder: placeholder, .avoidAutoSetImage)
        view.loader.loads[0].deliver(image)
        #expect(view.showed([placeholder]))
        #expect(view.completions.map(\.hasImage) == [true])
    }

    @Test func newLoadCompletesThePreviousOneAsCancelledBeforeItStarts() {
        view.load(first)
        view.load(second)
        #expect(view.completions == [.init(hasImage: false, code: .cancelled, cacheType: .none, url: first)])
        #expect(view.loader.loads.map(\.isCancelled) == [true, false])
        view.loader.loads[1].deliver(image)
        view.loader.loads[0].deliver(placeholder)
        #expect(view.displayedImage === image)
        #expect(view.completions.count == 2)
    }

    @Test func uncancelledOlderLoadNeverReplacesANewerImage() throws {
        let small = try ViewFixture.image()
        view.load(first)
        view.load(second, .avoidAutoCancelImage)
        #expect(view.loader.loads.map(\.isCancelled) == [false, false])
        view.loader.loads[1].deliver(image)
        view.loader.loads[0].deliver(small)
        #expect(view.displayedImage === image)
        #expect(view.completions.map(\.hasImage) == [true, true])
    }

    @Test func partialImagesAreShownWithoutCompleting() throws {
        let partial = try ViewFixture.image()
        view.load(first, .progressiveLoad)
        view.loader.loads[0].deliver(partial, finished: false)
        #expect(view.displayedImage === partial)
        #expect(view.completions.isEmpty)
        view.loader.loads[0].deliver(image)
        #expect(view.displayedImage === image)
        #expect(view.completions.count == 1)
    }

    @Test func refreshedImageReplacesTheCachedOneWithASecondCompletion() throws {
        let cached = try ViewFixture.image()
        view.load(first, .refreshCached)
        view.loader.loads[0].deliver(cached, from: .disk)
        view.loader.loads[0].deliver(image)
        #expect(view.displayedImage === image)
        #expect(view.completions.map(\.cacheType) == [.disk, .none])
    }

    @Test func cancelWhileRefreshingAddsNoCompletion() {
        view.load(first, .refreshCached)
        view.loader.loads[0].deliver(image, from: .disk)
        view.binding.cancelImageLoad()
        #expect(view.completions.count == 1)
    }

    @Test func cancelCompletesOnceAndNothingArrivesAfterwards() {
        let operation = view.load(first, placeholder: placeholder)
        operation?.cancel()
        operation?.cancel()
        view.loader.loads[0].deliver(image, finished: false)
        view.loader.loads[0].deliver(image)
        #expect(view.showed([placeholder]))
        #expect(view.completions.map(\.code) == [.cancelled])
        #expect(operation?.isCancelled == true)
    }

    @Test func cancelAfterTheEndChangesNothing() {
        let operation = view.load(first)
        view.loader.loads[0].deliver(image)
        operation?.cancel()
        #expect(operation?.isCancelled == false)
        #expect(view.completions.count == 1)
    }

    @Test func cancelOnMainDropsAQueuedImage() async {
        let operation = view.load(first)
        let load = view.loader.loads[0]
        let image = image
        let delivered = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            load.deliver(image)
            delivered.signal()
        }
        hold(delivered)
        operation?.cancel()
        await settle()
        #expect(view.displayedImage == nil)
        #expect(view.completions.map(\.code) == [.cancelled])
    }

    @Test func cancelOffMainDropsAnImageThatMainReceivesLater() async {
        let operation = view.load(first)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
            operation?.cancel()
            done.signal()
        }
        hold(done)
        view.loader.loads[0].deliver(image)
        await settle()
        #expect(view.displayedImage == nil)
        #expect(view.completions == [.init(hasImage: false, code: .cancelled, cacheType: .none, url: first)])
    }

    @Test func cancelledCompletionMayStartALoadThatIsNeverShown() throws {
        let (view, second, image) = (view, second, image)
        view.binding.setImage(
            with: first, context: [.customManager: view.loader],
            completed: { _, _, _, _ in view.load(second) })
        view.load(try ViewFixture.url(3))
        try #require(view.loader.loads.count == 3)
        view.loader.loads[1].deliver(image)
        #expect(view.displayedImage == nil)
        view.loader.loads[2].deliver(image)
        #expect(view.displayedImage === image)
    }

    @Test func keysLoadIndependently() {
        view.load(first)
        view.binding.setImage(
            with: second, context: [.customManager: view.loader, .setImageOperationKey: "highlighted"])
        #expect(view.loader.loads.map(\.isCancelled) == [false, false])
        #expect(view.binding.latestOperationKey == "highlighted")
        #expect(view.binding.imageURL() == second)
        #expect(view.binding.imageURL(forKey: "FakeView") == first)
    }

    @Test func loadsOfAReleasedViewCompleteOnce() throws {
        var codes: [WebImageError.Code?] = []
        let loader = ControlledViewLoader()
        do {
            let view = ViewFixture()
            view.binding.setImage(
                with: first, context: [.customManager: loader],
                completed: { _, error, _, _ in codes.append(error?.code) })
        }
        let load = try #require(loader.loads.first)
        load.deliver(image)
        #expect(codes == [.cancelled])
        #expect(load.isCancelled)
    }

    @Test func progressIsReportedOnMainAndInTheProgressObject() async {
        var reports: [Int] = []
        let progress = view.binding.imageProgress
        view.binding.setImage(
            with: first, context: [.customManager: view.loader],
            progress: { received, _, _ in reports.append(received) })
        let load = view.loader.loads[0]
        DispatchQueue.global().async { load.report(received: 40, expected: 100) }
        for _ in 0..<1000 where reports.isEmpty { await settle() }
        #expect(reports == [40])
        #expect(progress.completedUnitCount == 40)
        #expect(progress.totalUnitCount == 100)
        view.binding.cancelImageLoad()
        load.report(received: 90, expected: 100)
        #expect(reports == [40])
    }

    @Test func cachedImageCompletesAnUntouchedProgress() {
        let progress = view.binding.imageProgress
        view.loader.remember(image, for: first)
        view.load(first)
        #expect(progress.fractionCompleted == 1)
    }

    /// The ways in which a load of a view ends.
    enum ProgressEnd: CaseIterable {
        case hit, knownLength, otherLength, unknownLength, emptyHead, failure, cancel, noURL
    }

    /// Loads one picture and compares the progress with the bytes that the loader reports.
    private func loadWithProgress(_ end: ProgressEnd, _ progress: Progress, _ number: Int) throws {
        let url = try ViewFixture.url(number)
        if end == .hit { view.loader.remember(image, for: url) }
        view.load(end == .noURL ? nil : url)
        if end == .hit { return #expect(progress.isFinished && progress.fractionCompleted == 1) }
        #expect(progress.totalUnitCount == -1 && progress.completedUnitCount == 0 && !progress.isFinished)
        #expect(progress.fractionCompleted == 0 && progress.isIndeterminate)
        guard end != .noURL, let load = view.loader.loads.last else { return }
        let total =
            switch end {
            case .knownLength: 120
            case .otherLength: 700 + number
            case .emptyHead: -1
            default: 0
            }
        for received in [1, 60, 120] {
            load.report(received: received, expected: total)
            #expect(progress.completedUnitCount == received && progress.totalUnitCount == (total > 0 ? total : -1))
            #expect(progress.fractionCompleted == (total > 0 ? Double(received) / Double(total) : 0))
            #expect(progress.isFinished == (received == total))
        }
        switch end {
        case .failure: load.deliver(nil, error: WebImageError(.transport, stage: .download, url: url))
        case .cancel: view.binding.cancelImageLoad()
        default:
            if total > 120 { load.report(received: total, expected: total) }
            load.deliver(image)
            #expect(progress.isFinished && progress.fractionCompleted == 1)
            #expect(progress.completedUnitCount == max(total, 120))
        }
    }

    @Test(arguments: ProgressEnd.allCases, [false, true]) func progressFollowsLoadsInTurn(
        _ first: ProgressEnd, _ isAssigned: Bool
    ) throws {
        for (number, second) in ProgressEnd.allCases.enumerated() {
            let progress: Progress
            if isAssigned {
                // The program may have used the progress for other work.
                progress = Progress(totalUnitCount: 30)
                progress.totalUnitCount = 21
                progress.completedUnitCount = 21
                view.binding.imageProgress = progress
            } else {
                progress = view.binding.imageProgress
            }
            for (place, end) in [first, second, first, second].enumerated() {
                try loadWithProgress(end, progress, number * 4 + place)
            }
            #expect(view.binding.imageProgress === progress)
        }
    }

    @Test func viewWithoutAManagerNamesTheMissingSetting() {
        var errors: [WebImageError?] = []
        view.binding.setImage(
            with: first, context: [.customManager: MissingViewLoader()],
            completed: { _, error, _, _ in errors.append(error) })
        #expect(errors.map { $0?.code } == [.invalidDownloadOperation])
    }

    /// Blocks the main thread until another thread signals the semaphore. Blocks in the main queue cannot run until
    /// then.
    private func hold(_ semaphore: DispatchSemaphore) { semaphore.wait() }

    /// Waits until the blocks that are now in the main queue have run.
    private func settle() async {
        await withCheckedContinuation { continuation in DispatchQueue.main.async { continuation.resume() } }
    }
}
