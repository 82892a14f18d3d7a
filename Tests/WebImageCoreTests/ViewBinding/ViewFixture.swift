import Foundation
import WebImageCore
import WebImageTesting

/// A view without a toolkit, bound to a loader under the test's control.
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

    /// Whether exactly these images were set, in this order.
    func showed(_ images: [Image?]) -> Bool { shown.elementsEqual(images) { $0 === $1 } }

    @discardableResult
    func load(_ url: URL?, placeholder: Image? = nil, _ options: WebImageOptions = []) -> (any WebImageOperation)? {
        binding.setImage(
            with: url, placeholderImage: placeholder, options: options, context: [.customManager: loader],
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
