import Foundation
import Testing
import WebImage
import WebImageAVIF

/// The box `clap` of AVIF cuts the picture before `irot` and `imir` turn it.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)))
struct CleanApertureTests {
    @Test func theCleanApertureIsWhatIsShown() throws {
        // 12×34 coded, 8×10 of it to be shown, turned by a right angle; the middle of the part is 2 right of and 6 above
        // the middle of the whole.
        let data = try Conformance.data("avif/libavif/clap_irot_imir_non_essential.avif")
        let coder = ImageAVIFCoder.shared
        let info = try coder.imageInfo(of: data, limits: .default)
        #expect(info.storedSize == PixelSize(width: 8, height: 10))
        let image = try coder.decode(data, options: DecodingOptions())
        #expect(image.pixelSize == info.pixelSize)
    }
}
