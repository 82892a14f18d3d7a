import ClashingToolkit
import Foundation
import Testing
import WebImage
import WebImageGTK

// snippet: guide-names
/// Use the names `BitmapImage` and `ImageButton` in a file that imports a toolkit with an `Image` and a `Button`.
func thumbnail(of url: URL) async throws(WebImageError) -> BitmapImage {
    try await WebImageManager.shared.image(for: ImageRequest(url: url, width: 96))
}

/// You can also qualify the name with the module that declares the type.
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
