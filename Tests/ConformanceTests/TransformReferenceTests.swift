import Foundation
import Testing
import WebImage
import WebImageTestTraits

/// Test cases for transformers, ported from SDWebImage. They use SDWebImage's image and reference pixels.
@Suite(.enabled(if: Conformance.folder != nil, Comment(rawValue: Conformance.absent)), .timeLimit(minutes: 1))
struct TransformReferenceTests {
    let image: Image

    init() throws {
        image = try ImageCodersManager.shared.decode(
            Conformance.data("sdwebimage/TestImage.png"), options: DecodingOptions())
    }

    private func hex(_ image: Image?, _ x: Int, _ y: Int) -> String? {
        image?.color(at: CGPoint(x: x, y: y))?.hexString
    }

    @Test func resizingReturnsTheExactSize() {  // SDImageTransformerTests.test01UIImageTransformResizeCG
        let filled = image.resizedImage(with: CGSize(width: 200, height: 100), scaleMode: .fill)
        #expect(filled?.pixelSize == PixelSize(width: 200, height: 100))
        let fitted = image.resizedImage(with: CGSize(width: 2000, height: 1000), scaleMode: .aspectFit)
        #expect(fitted?.pixelSize == PixelSize(width: 2000, height: 1000))
        #expect(hex(fitted, 1000, 50) == "#ff000000")
        #expect(hex(fitted, 10, 500) == "#00000000")
    }

    @Test func croppingTakesThePart() {  // SDImageTransformerTests.test02UIImageTransformCropCG
        let cropped = image.croppedImage(with: CGRect(x: 50, y: 10, width: 200, height: 200))
        #expect(cropped?.pixelSize == PixelSize(width: 200, height: 200))
        #expect(hex(cropped, 0, 0) == "#00000000" && hex(cropped, 100, 10) == "#ff000000")
    }

    @Test func roundCornersAndTheirBorder() {  // SDImageTransformerTests.test03UIImageTransformRoundedCornerCG
        let rounded = image.roundedCornerImage(
            withRadius: 50, corners: .allCorners, borderWidth: 1, borderColor: .black)
        #expect(rounded?.pixelSize == image.pixelSize)
        #expect(hex(rounded, 0, 0) == "#00000000" && hex(rounded, 0, 150) == "#00000000")
        #expect(hex(rounded, 1, 150) == "#ff000000" && hex(rounded, 150, 20) == "#ff000000")
    }

    @Test func rotationIsCounterClockwise() {  // SDImageTransformerTests.test04UIImageTransformRotateCG
        let clipped = image.rotatedImage(withAngle: .pi / 4, fitSize: false)
        #expect(clipped?.pixelSize == image.pixelSize)
        let fitted = image.rotatedImage(withAngle: .pi / 4, fitSize: true)
        #expect(fitted?.pixelSize == PixelSize(width: 425, height: 425))
        #expect(hex(fitted, 60, 175) == "#ff000000")
    }

    @Test func flippingBothAxesEqualsRotationByHalf() {  // SDImageTransformerTests.test05UIImageTransformFlipCG
        let flipped = image.flippedImage(withHorizontal: true, vertical: true)
        let colors = flipped?.colors(with: CGRect(x: 75, y: 75, width: 10, height: 10)) ?? []
        #expect(colors.count == 100 && Set(colors).count == 1 && colors.first?.hexString == "#ff97241f")
        #expect(hex(flipped, 150, 285) == "#ff000000")
    }

    @Test func tintFillsTheShape() {  // SDImageTransformerTests.test06UIImageTransformTintCG
        let tinted = image.tintedImage(with: .black)
        #expect(hex(tinted, 150, 150) == "#00000000")
        #expect(hex(tinted, 80, 150) == "#ff000000" && hex(tinted, 150, 20) == "#ff000000")
    }

    @Test func blurHasTheReferenceColour() throws {  // SDImageTransformerTests.test07UIImageTransformBlurCG
        let blurred = try #require(image.blurredImage(withRadius: 25))
        #expect(blurred.pixelSize == image.pixelSize)
        let color = try #require(blurred.color(at: CGPoint(x: 80, y: 150)))
        for (mine, theirs) in zip([color.red, color.green, color.blue, color.alpha], [0.59, 0.14, 0.12, 0.75]) {
            #expect(abs(mine - theirs) <= 0.01)
        }
        let (upper, lower) = (blurred.color(at: CGPoint(x: 150, y: 20)), blurred.color(at: CGPoint(x: 150, y: 280)))
        #expect(abs((upper?.alpha ?? 0) - 0.604) < 0.01 && abs((lower?.alpha ?? 0) - 0.196) < 0.01)
    }
}
