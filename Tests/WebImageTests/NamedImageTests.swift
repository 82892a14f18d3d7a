import Foundation
import Testing
import WebImage
import WebImageTesting

/// Images that are found by name stay in memory until the system reports that memory is short.
struct NamedImageTests {
    @Test func namedImagesAreReleasedWhenMemoryIsShort() throws {
        let folder = try ScratchFolder()
        let image = try Image.generated(width: 4, height: 3) { _, _ in (1, 2, 3, 255) }
        let file = try ImageCodersManager.shared.encode(image, format: .png, options: EncodingOptions())
        try file.write(to: folder.url.appendingPathComponent("small.png"))
        let bundle = try #require(Bundle(path: folder.url.path))
        weak let first = AnimatedImage.named("small", in: bundle)
        #expect(first != nil && first === AnimatedImage.named("small", in: bundle))
        MemoryPressureRelay.system.report(.warning)
        #expect(first == nil)
        #expect(AnimatedImage.named("small", in: bundle)?.pixelSize == PixelSize(width: 4, height: 3))
    }
}
