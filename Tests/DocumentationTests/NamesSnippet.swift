import ClashingToolkit
import Foundation
import Testing
import WebImage
import WebImageGTK

// snippet: guide-names
/// Beside a toolkit that has an `Image` and a `Button` too.
func thumbnail(of url: URL) async throws(WebImageError) -> BitmapImage {
    try await WebImageManager.shared.image(for: ImageRequest(url: url, width: 96))
}

/// The same type by its qualified name: the module that declares it.
func pixelCount(of image: WebImageCore.Image) -> Int { image.pixelSize.width * image.pixelSize.height }

@MainActor func makeButton(showing image: BitmapImage) -> WebImageGTK.Button {
    let button = ImageButton()
    button.setImage(image, for: .normal)
    return button
}
// end

@Suite struct NamesTests {
    @Test func otherNamesAreOfTheSameTypes() {
        #expect(BitmapImage.self == WebImageCore.Image.self && ImageButton.self == WebImageGTK.Button.self)
        // A file that imports both modules can still use the toolkit's types.
        _ = (ClashingToolkit.Image(), ClashingToolkit.Button(), WebImage())
    }
}
