import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Test cases for SDWebImage's small Objective-C categories (formats, encoding, GIF), ported from SDWebImage.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 1))
struct CategoryCases {
    private func data(_ name: String) throws -> Data { try Conformance.data("sdwebimage/" + name) }

    // SDCategoriesTests.test01NSDataImageContentTypeCategory
    @Test func unknownFormatHasTheGeneralType() {
        #expect(ImageFormat(sniffing: Data()) == .undefined)
        #expect(ImageFormat.undefined.typeIdentifier == "public.image")
        #expect(ImageFormat(typeIdentifier: "public.image") == .undefined)
        #expect(ImageFormat(typeIdentifier: "com.microsoft.bmp") == .bmp)
    }

    // SDCategoriesTests.test02UIImageMultiFormatCategory
    @Test func picturesAreWrittenInEveryFormatAndQuality() throws {
        #expect(Image.image(with: nil) == nil && Image.image(with: Data("x".utf8)) == nil)
        let image = try #require(Image.image(with: data("TestImage.jpg")))
        let own = try #require(image.imageData())
        #expect(ImageFormat(sniffing: own) == .jpeg)
        let png = try #require(image.imageData(as: .png))
        let back = try #require(Image.image(with: png, scale: 1, firstFrameOnly: true))
        #expect(back.pixelSize == image.pixelSize && back.imageFormat == .png)
        let best = try #require(image.imageData(as: .jpeg, compressionQuality: 1))
        let half = try #require(image.imageData(as: .jpeg, compressionQuality: 0.5))
        #expect(half.count < best.count)
        #expect(image.imageData(as: .raw) == nil)
        #expect(image.imageData(as: .undefined).map { ImageFormat(sniffing: $0) } == .jpeg)
    }

    // SDCategoriesTests.test03UIImageGIFCategory
    @Test(.tags(.x3)) func aGIFIsAnAnimation() throws {
        #expect(Image.image(withGIFData: nil) == nil)
        #expect(try Image.image(withGIFData: data("TestImage.jpg")) == nil)
        let image = try #require(Image.image(withGIFData: data("TestImage.gif")) as? AnimatedImage)
        #expect(image.isAnimated && image.imageFrameCount == 5)
        #expect((0..<5).allSatisfy { image.animatedImageDuration(at: $0) == 0.12 })
    }

    @Test func anAnimationIsWrittenAsOneInOtherFormats() throws {
        let file = try data("TestImage.gif")
        let image = try #require(AnimatedImage(data: file))
        #expect(image.imageData() == file && image.imageData(as: .gif) == file)
        for format in [ImageFormat.png, .webP] {
            let other = try #require(image.imageData(as: format))
            let info = try ImageCodersManager.shared.imageInfo(of: other, limits: .default)
            #expect(info.frameCount == 5 && info.loopCount == 0 && info.delaysMilliseconds[0] == 120)
            let first = try #require(image.imageData(as: format, firstFrameOnly: true))
            #expect(try ImageCodersManager.shared.imageInfo(of: first, limits: .default).frameCount == 1)
        }
    }
}
