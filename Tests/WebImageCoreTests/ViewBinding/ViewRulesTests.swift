import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

@Suite("What a view does around a load", .timeLimit(minutes: 1))
@MainActor struct ViewRulesTests {
    let view = ViewFixture()
    let url: URL
    let other: URL
    let image: Image
    let placeholder: Image

    init() throws {
        url = try ViewFixture.url(1)
        other = try ViewFixture.url(2)
        image = try ViewFixture.image()
        placeholder = try ViewFixture.image()
    }

    // MARK: Transition

    @Test func placeholderAndPartialImagesAreShownWithoutATransition() {
        view.hasTransition = true
        view.load(url, placeholder: placeholder, .progressiveLoad)
        view.loader.loads[0].deliver(image, finished: false)
        #expect(view.transitions.isEmpty)
        view.loader.loads[0].deliver(image)
        #expect(view.transitions.count == 1)
        #expect(view.completions.count == 1)
    }

    @Test func delayedPlaceholderIsShownWithATransition() {
        view.hasTransition = true
        view.load(url, placeholder: placeholder, .delayPlaceholder)
        view.loader.loads[0].deliver(nil, error: WebImageError(.badImageData, stage: .decode))
        #expect(view.transitions.count == 1)
        #expect(view.displayedImage === placeholder)
    }

    @Test func waitTransitionDefersEveryCompletion() {
        view.hasTransition = true
        view.load(url, .waitTransition)
        view.loader.loads[0].deliver(image)
        #expect(view.completions.isEmpty)
        view.load(other)
        #expect(!view.transitions[0].isCurrent())
        view.transitions[0].ended()
        #expect(view.completions.map(\.hasImage) == [true])
    }

    @Test func waitTransitionWithoutATransitionCompletesAtOnce() {
        view.load(url, .waitTransition)
        view.loader.loads[0].deliver(image)
        #expect(view.completions.count == 1)
    }

    // MARK: Indicator

    @Test func indicatorRunsFromTheStartToTheFirstFinishedDelivery() async {
        view.load(url, .refreshCached)
        let load = view.loader.loads[0]
        load.report(received: 1, expected: 4)
        load.report(received: 2, expected: 0)
        load.deliver(image, from: .disk)
        load.deliver(image)
        #expect(view.indications == [.start, .progress(0.25), .progress(0), .stop, .stop])
    }

    @Test func partialImagesDoNotStopTheIndicator() {
        view.load(url, .progressiveLoad)
        view.loader.loads[0].deliver(image, finished: false)
        #expect(view.indications == [.start])
    }

    @Test func indicatorStopsWithTheLastLoadOfTheView() {
        view.load(url)
        view.load(other, [], [.setImageOperationKey: "highlightedImage"])
        view.loader.loads[0].deliver(image)
        #expect(view.indications == [.start, .start])
        view.loader.loads[1].deliver(image)
        #expect(view.indications == [.start, .start, .stop])
        view.load(nil)
        #expect(view.indications.last == .stop)
    }

    // MARK: Progress

    @Test func progressObjectReportsTheNewestChange() async {
        let progress = view.binding.imageProgress
        var updates = progress.updates.makeAsyncIterator()
        #expect(await updates.next()?.completedUnitCount == 0)
        view.load(url)
        view.loader.loads[0].report(received: 30, expected: 120)
        let update = await updates.next()
        #expect(update?.completedUnitCount == 30)
        #expect(update?.fractionCompleted == 0.25)
        view.loader.loads[0].report(received: 120, expected: 120)
        view.loader.loads[0].deliver(image)
        #expect(await updates.next()?.fractionCompleted == 1)
        #expect(view.binding.imageProgress === progress)
    }

    // MARK: Size

    @Test func loadAtTheViewsSizeWaitsForTheFirstLayout() {
        view.load(url, placeholder: placeholder, [], .thumbnail(.viewSize))
        #expect(view.loader.loads.isEmpty)
        #expect(view.displayedImage === placeholder)
        view.settle(size: CGSize(width: 64, height: 32))
        #expect(view.loader.loads.map(\.thumbnail) == [CGSize(width: 64, height: 32)])
        view.loader.loads[0].deliver(image)
        #expect(view.displayedImage === image)
    }

    @Test func loadWithoutASizeByTheDeadlineLoadsTheWholePicture() {
        view.load(url, [], .thumbnail(.viewSize))
        view.settle(size: nil)
        #expect(view.loader.loads.map(\.thumbnail) == [nil])
    }

    @Test func loadCancelledBeforeItsLayoutNeverCallsTheLoader() {
        view.load(url, [], .thumbnail(.viewSize))
        view.binding.cancelImageLoad()
        view.settle(size: CGSize(width: 64, height: 32))
        #expect(view.loader.loads.isEmpty)
        #expect(view.completions.map(\.code) == [.cancelled])
    }

    // MARK: Stand-ins

    @Test func smallerVariantInMemoryIsShownWhileTheLargerLoads() throws {
        let small = try ViewFixture.image()
        let box = CGSize(width: 8, height: 8)
        view.load(url, [], [.imageThumbnailPixelSize: box])
        view.loader.loads[0].deliver(small)
        view.loader.remember(small, for: url, thumbnail: box)
        let next = ViewFixture()
        next.binding.setImage(
            with: url, placeholderImage: placeholder,
            context: [
                .customManager: view.loader, .cachedVariantAsPlaceholder: true,
                .imageThumbnailPixelSize: CGSize(width: 80, height: 80),
            ])
        #expect(next.displayedImage === small)
        view.loader.loads[1].deliver(image)
        #expect(next.displayedImage === image)
    }

    @Test func placeholderHashIsShownWithoutAPlaceholder() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        view.load(url, [], [.placeholderHash: hash])
        let drawn = try #require(view.displayedImage)
        #expect(drawn.pixelSize == PixelSize(width: 32, height: 32))
        view.load(other, [], [.placeholderHash: hash])
        #expect(view.displayedImage === drawn)
        view.load(url, placeholder: placeholder, [], [.placeholderHash: hash])
        #expect(view.displayedImage === placeholder)
    }

    @Test func delayedPlaceholderHashIsShownAfterAFailure() throws {
        let hash = try #require(BlurHash("LEHV6nWB2yk8pyo0adR*.7kCMdnj"))
        view.load(url, .delayPlaceholder, [.placeholderHash: hash])
        #expect(view.displayedImage == nil)
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.displayedImage?.pixelSize == PixelSize(width: 32, height: 32))
    }

    @Test func knownVariantsAreBoundedAndTheLargestIsFirst() throws {
        var variants = ViewVariants(limit: 2)
        for side in 1...10 { variants.note(CGSize(width: side, height: side), of: url) }
        #expect(variants.others(than: CGSize(width: 10, height: 10), of: url).map(\.width) == [9, 8, 7, 6, 5, 4, 3])
        variants.note(.zero, of: url)
        #expect(variants.others(than: nil, of: url).map(\.width) == [0, 10, 9, 8, 7, 6, 5, 4])
        variants.note(.zero, of: other)
        variants.note(.zero, of: try ViewFixture.url(3))
        #expect(variants.others(than: nil, of: url).isEmpty)
    }

    // MARK: Operations by key

    @Test func operationsOfTheCallerAreStoredCancelledAndRemovedByKey() {
        let loader = ControlledViewLoader()
        let foreign = loader.loadImage(with: url, options: [], context: nil, progress: nil) { _, _, _, _, _, _ in }
        view.binding.setOperation(foreign, forKey: "mine")
        #expect(view.binding.operation(forKey: "mine") as AnyObject === foreign as AnyObject)
        view.binding.setOperation(nil, forKey: "mine")
        #expect(view.binding.operation(forKey: "mine") != nil)
        view.binding.removeOperation(forKey: "mine")
        #expect(view.binding.operation(forKey: "mine") == nil)
        #expect(!foreign.isCancelled)
        view.binding.setOperation(foreign, forKey: "mine")
        view.binding.cancelImageLoad(forKey: "mine")
        #expect(foreign.isCancelled)
        #expect(view.binding.operation(forKey: "mine") == nil)
    }

    @Test func loadStateIsSeparateForEachKey() {
        view.load(url)
        #expect(view.binding.loadState()?.url == url)
        view.binding.setLoadState(nil)
        #expect(view.binding.loadState() == nil)
        #expect(view.binding.imageURL() == nil)
    }
}
