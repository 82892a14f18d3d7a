import Foundation
import WebImageCore
import WebImageLoading
import WebImageTesting
import WebImageViews

/// A view without a toolkit. The test controls the loader of the view.
@MainActor final class ViewFixture: ImageDisplaying {
    struct Completion: Equatable {
        var hasImage: Bool
        var code: WebImageError.Code?
        var cacheType: ImageCacheType
        var url: URL?
    }

    let loader = ControlledViewLoader()
    private(set) lazy var binding = ImageViewBinding(display: self, operationKey: "FakeView")
    var shown: [Image?] = []
    var completions: [Completion] = []

    var displayedImage: Image? { didSet { shown.append(displayedImage) } }

    /// The transitions that have begun. The test must end them.
    var transitions: [ViewTransition] = []
    var hasTransition = false
    func perform(_ transition: ViewTransition) {
        transitions.append(transition)
        transition.put()
    }

    var indications: [ViewIndication] = []
    func updateIndicator(_ indication: ViewIndication) { indications.append(indication) }

    /// The size of the view. While the size is nil, loads wait until the test calls `settle(size:)`.
    var size: CGSize?
    private var waiting: [@MainActor (CGSize?) -> Void] = []
    func whenSized(
        expected: ViewSize?, within deadline: Duration, _ body: @escaping @MainActor (ViewSize) -> Void
    ) {
        if let size { body(.box(size)) } else { waiting.append { body($0.map { .box($0) } ?? .unknown) } }
    }
    func settle(size: CGSize?) {
        let told = waiting
        waiting = []
        for body in told { body(size) }
    }

    /// Returns whether the view has shown exactly these images in this order. A nil element means no image.
    func showed(_ images: [Image?]) -> Bool { shown.elementsEqual(images) { $0 === $1 } }

    @discardableResult
    func load(
        _ url: URL?, placeholder: Image? = nil, _ options: WebImageOptions = [], _ context: WebImageContext = [:]
    ) -> (any WebImageOperation)? {
        var context = context
        context[.customManager] = loader
        return binding.setImage(
            with: url, placeholderImage: placeholder, options: options, context: context,
            completed: { [self] image, error, cacheType, url in
                completions.append(
                    Completion(hasImage: image != nil, code: error?.code, cacheType: cacheType, url: url))
            })
    }

    static func image() throws -> Image { try Image.generated(width: 1, height: 1) }
    static func url(_ number: Int) throws -> URL {
        guard let url = URL(string: "https://example.test/\(number).png") else { throw WebImageError.cancelled }
        return url
    }
}
