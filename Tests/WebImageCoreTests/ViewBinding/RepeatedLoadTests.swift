import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

@testable import WebImageViews

@Suite("The same picture again", .timeLimit(minutes: 1))
@MainActor struct RepeatedLoadTests {
    let view = ViewFixture()
    let url: URL
    let image: Image

    init() throws {
        url = try ViewFixture.url(1)
        image = try ViewFixture.image()
    }

    @Test func sameURLDuringItsLoadJoinsItAndBothCompletionsRunOnce() {
        let first = view.load(url)
        let second = view.load(url)
        #expect(view.loader.loads.count == 1)
        #expect(first as AnyObject === second as AnyObject)
        #expect(view.shown.count == 1)
        view.loader.loads[0].deliver(image)
        #expect(view.completions.map(\.hasImage) == [true, true])
    }

    @Test func sameURLWhileItIsShownChangesNothing() {
        view.load(url)
        view.loader.loads[0].deliver(image)
        view.shown = []
        view.load(url)
        #expect(view.shown.isEmpty)
        #expect(view.loader.loads.count == 1)
        #expect(view.completions.map(\.cacheType) == [.none, .memory])
    }

    @Test func oneURLAtAnotherSizeIsLoadedAnew() {
        view.load(url, [], [.imageThumbnailPixelSize: CGSize(width: 10, height: 10)])
        view.load(url, [], [.imageThumbnailPixelSize: CGSize(width: 20, height: 20)])
        #expect(view.loader.loads.map(\.isCancelled) == [true, false])
    }

    @Test func sameURLAfterAFailureOrAfterAnotherImageLoadsAgain() throws {
        view.load(url)
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        view.load(url)
        #expect(view.loader.loads.count == 2)
        view.loader.loads[1].deliver(image)
        view.displayedImage = try ViewFixture.image()
        view.load(url)
        #expect(view.loader.loads.count == 3)
    }

    @Test(arguments: [.refreshCached, .fromLoaderOnly, .avoidAutoSetImage, .avoidAutoCancelImage] as [WebImageOptions])
    func aRepeatedLoadWithOptionsThatChangeItStartsAgain(options: WebImageOptions) {
        view.load(url, options)
        view.load(url, options)
        #expect(view.loader.loads.count == 2)
    }

    /// Returns a new context with equal values, as a caller makes it for each call.
    private func equalContext(_ kind: String) -> WebImageContext {
        switch kind {
        case "transformer": [.imageTransformer: Step(name: "a")]
        case "class": [.animatedImageClass: AnimatedImage.self]
        case "decode options": [.imageDecodeOptions: [ImageCoderOption.decodeFirstFrameOnly: true]]
        default: [.pixelSizeReceiver: PixelSizeReceiver { _ in }]
        }
    }

    @Test(arguments: ["transformer", "class", "decode options", "receiver"])
    func equalContextValuesJoinTheLoad(kind: String) {
        view.load(url, [], equalContext(kind))
        view.load(url, [], equalContext(kind))
        #expect(view.loader.loads.count == 1)
        view.loader.loads[0].deliver(image)
        view.load(url, [], equalContext(kind))
        #expect(view.loader.loads.count == 1)
        #expect(view.completions.map(\.hasImage) == [true, true, true])
    }

    @Test func otherTransformersStartANewLoad() {
        view.load(url, [], [.imageTransformer: Step(name: "a")])
        view.load(url, [], [.imageTransformer: Step(name: "b")])
        view.load(url, [], [.imageTransformer: OtherStep(name: "b")])
        #expect(view.loader.loads.map(\.isCancelled) == [true, true, false])
    }

    @Test func joiningLoadShowsItsOwnPlaceholderAndKeepsTheDownload() throws {
        let (first, second) = (try ViewFixture.image(), try ViewFixture.image())
        view.load(url, placeholder: first)
        view.load(url, placeholder: second, .highPriority)
        #expect(view.showed([first, second]))
        #expect(view.loader.loads.count == 1)
        let part = try ViewFixture.image()
        view.loader.loads[0].deliver(part, finished: false)
        view.load(url, placeholder: first)
        #expect(view.displayedImage === part)
    }

    @Test(arguments: [[], .refreshCached, .progressiveLoad] as [WebImageOptions])
    func failedOrRunningReloadKeepsTheShownPicture(options: WebImageOptions) throws {
        let (placeholder, broken) = (try ViewFixture.image(), try ViewFixture.image())
        view.binding.errorImage = broken
        view.load(url, placeholder: placeholder)
        view.loader.loads[0].deliver(image)
        view.loader.loads[0].releaseCompletion()
        view.shown = []
        view.load(url, placeholder: placeholder, options.union(.fromLoaderOnly))
        let reload = view.loader.loads[1]
        if options == .progressiveLoad { reload.deliver(try ViewFixture.image(), finished: false) }
        #expect(view.shown.isEmpty)
        reload.deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.shown.isEmpty && view.displayedImage === image)
        #expect(view.binding.failure?.code == .transport)
        view.binding.retry()
        let newer = try ViewFixture.image()
        #expect(view.displayedImage === image)
        view.loader.loads[2].deliver(newer)
        #expect(view.displayedImage === newer && view.binding.failure == nil)
    }

    @Test func failureOfAnotherPictureIsShown() throws {
        let broken = try ViewFixture.image()
        view.binding.errorImage = broken
        view.load(url)
        view.loader.loads[0].deliver(image)
        view.load(try ViewFixture.url(2))
        #expect(view.displayedImage == nil)
        view.loader.loads[1].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(view.displayedImage === broken)
    }

    @Test func contextsAreComparedByValueOrIdentity() {
        let loader = ControlledViewLoader()
        let size = CGSize(width: 1, height: 2)
        let one: WebImageContext = [.imageThumbnailPixelSize: size, .customManager: loader, .imageScaleFactor: 2.0]
        func isSame(_ one: WebImageContext, _ other: WebImageContext) -> Bool {
            RequestContext(one) == RequestContext(other)
        }
        #expect(isSame(one, one))
        #expect(!isSame(one, one.merging([.imageScaleFactor: 3.0]) { $1 }))
        #expect(!isSame(one, one.merging([.customManager: ControlledViewLoader()]) { $1 }))
        #expect(!isSame(one, one.merging([.cacheScope: "a"]) { $1 }))
        struct Opaque {}
        #expect(!isSame([.cacheScope: Opaque()], [.cacheScope: Opaque()]))
    }
}

private struct Step: ImageTransformer {
    let name: String
    var transformerKey: String { name }
    func transformedImage(with image: Image, forKey key: String) -> Image? { image }
}

private struct OtherStep: ImageTransformer {
    let name: String
    var transformerKey: String { name }
    func transformedImage(with image: Image, forKey key: String) -> Image? { image }
}
