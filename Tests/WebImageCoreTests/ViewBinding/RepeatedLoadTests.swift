import Foundation
import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

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

    @Test func contextsAreComparedByValueOrIdentity() {
        let loader = ControlledViewLoader()
        let size = CGSize(width: 1, height: 2)
        let one: WebImageContext = [.imageThumbnailPixelSize: size, .customManager: loader, .imageScaleFactor: 2.0]
        #expect(one.isSame(as: one))
        #expect(!one.isSame(as: one.merging([.imageScaleFactor: 3.0]) { $1 }))
        #expect(!one.isSame(as: one.merging([.customManager: ControlledViewLoader()]) { $1 }))
        #expect(!one.isSame(as: one.merging([.cacheScope: "a"]) { $1 }))
        struct Opaque {}
        #expect(!([.cacheScope: Opaque()] as WebImageContext).isSame(as: [.cacheScope: Opaque()]))
    }
}
