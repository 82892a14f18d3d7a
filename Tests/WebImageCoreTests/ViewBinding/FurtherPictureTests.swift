import Foundation
import Testing
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCore
@testable import WebImageLoading
@testable import WebImageViews

/// Tests the additional images of a view, such as the highlighted image or the images for the states of a button.
@Suite("Further pictures of a view", .timeLimit(minutes: 1))
@MainActor struct FurtherPictureTests {
    @MainActor private final class Shelf { var picture: Image? }

    let view = ViewFixture()
    private let shelf = Shelf()
    let url: URL
    let image: Image

    init() throws {
        url = try ViewFixture.url(1)
        image = try ViewFixture.image()
    }

    @discardableResult
    private func loadFurther(
        _ key: String = "further", completed: ViewImageCompletedBlock? = nil
    ) -> (any WebImageOperation)? {
        view.binding.setImage(
            with: url, context: [.customManager: view.loader, .setImageOperationKey: key],
            own: FurtherViewImage(get: { [shelf] in shelf.picture }, set: { [shelf] in shelf.picture = $0 }),
            completed: completed)
    }

    @Test func trimmedFurtherImageIsRestoredOnce() {
        loadFurther()
        view.loader.loads[0].deliver(image)
        #expect(shelf.picture === image && view.displayedImage == nil)
        view.binding.trim()
        #expect(shelf.picture == nil)
        view.binding.restore()
        view.loader.loads[1].deliver(image)
        #expect(shelf.picture === image)
        view.binding.restore()
        #expect(view.loader.loads.count == 2)
    }

    @Test func retryLoadsMainAndFurtherImage() throws {
        let own = try ViewFixture.image()
        view.load(url)
        loadFurther()
        view.binding.errorImage = own
        for load in view.loader.loads { load.deliver(nil, error: WebImageError(.transport, stage: .download)) }
        // The error image replaces only the view's main image.
        #expect(view.displayedImage === own && shelf.picture == nil && view.binding.canRetry)
        var told = 0
        view.binding.retry { _, _, _, _ in told += 1 }
        #expect(view.loader.loads.count == 4)
        for load in view.loader.loads.suffix(2) { load.deliver(image) }
        #expect(view.displayedImage === image && shelf.picture === image)
        #expect(told == 1 && !view.binding.canRetry && view.binding.retry() == nil)
    }

    @Test func retryReportsAFailedFurtherImage() {
        loadFurther()
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        var delivered: [Image?] = []
        #expect(view.binding.retry { image, _, _, _ in delivered.append(image) } != nil)
        view.loader.loads[1].deliver(image)
        #expect(delivered.count == 1 && delivered[0] === image)
    }

    @Test func loadWithASetImageBlockCannotBeRetried() {
        view.binding.setImage(with: url, context: [.customManager: view.loader], setImage: { _, _, _, _ in })
        view.loader.loads[0].deliver(nil, error: WebImageError(.transport, stage: .download))
        #expect(!view.binding.canRetry && view.binding.retry() == nil)
    }
}

@Suite("Placeholder or picture first", .timeLimit(minutes: 1))
@MainActor struct PlaceholderOrderTests {
    let view = ViewFixture()
    let url: URL
    let image: Image
    let placeholder: Image

    init() throws {
        url = try ViewFixture.url(1)
        image = try ViewFixture.image()
        placeholder = try ViewFixture.image()
        view.loader.remember(image, for: url)
    }

    @Test func pictureInMemoryTakesThePlaceholdersPlace() {
        view.load(url, placeholder: placeholder)
        #expect(view.showed([image]) && view.completions.count == 1)
    }

    @Test func transitionRunsFromPlaceholderToMemoryHit() {
        view.hasTransition = true
        view.load(url, placeholder: placeholder, .forceTransition)
        #expect(view.showed([placeholder, image]) && view.transitions.count == 1)
    }

    @Test func setImageBlockReceivesThePlaceholderFirst() {
        var given: [Image?] = []
        view.binding.setImage(
            with: url, placeholderImage: placeholder, context: [.customManager: view.loader],
            setImage: { image, _, _, _ in given.append(image) })
        #expect(given.count == 2 && given[0] === placeholder && given[1] === image)
    }

    @Test func avoidAutoSetImageLeavesThePlaceholder() {
        view.load(url, placeholder: placeholder, .avoidAutoSetImage)
        #expect(view.showed([placeholder]) && view.completions.count == 1)
    }
}
