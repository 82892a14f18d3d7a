import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Transformers that SDWebImage does not have: circle, fill colour, gradient, watermark.
@Suite(.timeLimit(minutes: 1))
struct OverlayTests {
    private func hex(_ image: Image?, _ x: Int, _ y: Int) -> String? {
        image?.color(at: CGPoint(x: x, y: y))?.hexString
    }

    private let red = ImageColor(red: 1, green: 0, blue: 0)
    private let blue = ImageColor(red: 0, green: 0, blue: 1)

    @Test func circleIsCroppedFromTheCentre() throws {
        let image = try Image.generated(width: 60, height: 20) { x, _ in
            x < 20 || x >= 40 ? (0, 0, 255, 255) : (255, 0, 0, 255)
        }
        let circle = try #require(image.circleImage())
        #expect(circle.pixelSize == PixelSize(width: 20, height: 20) && circle.hasAlpha)
        #expect(hex(circle, 0, 0) == "#00000000" && hex(circle, 19, 19) == "#00000000")
        #expect(hex(circle, 10, 1) == "#ff0000ff" && hex(circle, 10, 10) == "#ff0000ff")
        let bordered = image.circleImage(borderWidth: 2, borderColor: red)
        #expect(hex(bordered, 10, 2) == "#ffff0000" && hex(bordered, 10, 10) == "#ff0000ff")
        #expect(image.circleImage(borderWidth: .nan) == nil && image.circleImage(borderWidth: -1) == nil)
    }

    @Test func averageColourIsWeightedByAlpha() throws {
        let halves = try Image.generated(width: 200, height: 100) { x, _ in
            x < 100 ? (0, 0, 255, 255) : (255, 0, 0, 255)
        }
        let mean = try #require(halves.averageColor())
        #expect(abs(mean.red - 0.5) < 0.01 && abs(mean.blue - 0.5) < 0.01 && mean.green == 0 && mean.alpha == 1)
        let sparse = try Image.generated(width: 200, height: 100) { x, _ in x < 50 ? (0, 0, 255, 255) : (0, 0, 0, 0) }
        let color = try #require(sparse.averageColor())
        #expect(color.red > 0.99 && abs(color.alpha - 0.25) < 0.01)
        #expect(try TestImages.solid(blue: 0, green: 0, red: 0, alpha: 0).averageColor() == .clear)
    }

    @Test func paddingIsFilledWithTheAverageColour() throws {
        let image = try TestImages.solid(width: 10, height: 30, blue: 200, green: 10, red: 90)
        let filled = try #require(image.letterboxedImage(with: CGSize(width: 60, height: 30)))
        #expect(filled.pixelSize == PixelSize(width: 60, height: 30) && !filled.hasAlpha)
        #expect(Set([(0, 0), (30, 15), (59, 29)].map { hex(filled, $0.0, $0.1) }) == ["#ff5a0ac8"])
        #expect(image.letterboxedImage(with: CGSize(width: CGFloat.nan, height: 1)) == nil)
        #expect(image.letterboxedImage(with: .zero) == nil)
    }

    @Test func gradientIsLinearAndKeepsTransparentPixels() throws {
        let image = try Image.generated(width: 10, height: 100) { x, _ in x < 5 ? (0, 0, 0, 255) : (0, 0, 0, 0) }
        let over = try #require(image.gradientImage(with: ImageGradient(colors: [red, blue])))
        let middle = try #require(over.color(at: CGPoint(x: 2, y: 50)))
        #expect(abs(middle.red - 0.5) < 0.02 && abs(middle.blue - 0.5) < 0.02)
        let ends = [0, 99].compactMap { over.color(at: CGPoint(x: 2, y: $0)) }
        #expect(ends.count == 2 && ends[0].red > 0.98 && ends[1].blue > 0.98)
        #expect(hex(over, 8, 50) == "#00000000")
        // The gradient goes from transparent white to white. The transparent stop must not darken the colours between
        // the stops.
        let white = try TestImages.solid(width: 4, height: 100, blue: 255, green: 255, red: 255)
        let shade = ImageGradient(colors: [ImageColor(white: 1, alpha: 0), .white])
        #expect(hex(white.gradientImage(with: shade), 1, 50) == "#ffffffff")
        let nowhere = ImageGradient(colors: [red], start: CGPoint(x: CGFloat.nan, y: 0))
        #expect(image.gradientImage(with: nowhere) == nil)
        #expect(image.gradientImage(with: ImageGradient(colors: [])) == nil)
    }

    @Test func watermarkIsDrawnAtItsPosition() throws {
        let image = try TestImages.solid(width: 40, height: 30, blue: 0, green: 0, red: 0)
        let mark = try TestImages.solid(width: 4, height: 4, blue: 255, green: 255, red: 255)
        let corner = image.watermarkedImage(with: mark, anchor: .bottomRight, margin: 2)
        #expect(hex(corner, 34, 24) == "#ffffffff" && hex(corner, 37, 27) == "#ffffffff")
        #expect(hex(corner, 38, 28) == "#ff000000" && hex(corner, 33, 24) == "#ff000000")
        let middle = image.watermarkedImage(with: mark, anchor: .center, opacity: 0.5)
        #expect(hex(middle, 20, 15) == "#ff808080" && hex(middle, 0, 0) == "#ff000000")
        // A watermark larger than the image is cut off.
        let large = try TestImages.solid(width: 100, height: 100, blue: 255, green: 255, red: 255)
        #expect(hex(image.watermarkedImage(with: large, anchor: .topLeft), 39, 29) == "#ffffffff")
        #expect(image.watermarkedImage(with: mark, margin: .infinity) == nil)
        #expect(image.watermarkedImage(with: mark, opacity: .nan) == nil)
    }

    @Test func keysContainEveryParameter() throws {
        #expect(
            ImageCircleTransformer(borderWidth: 1, borderColor: .black).transformerKey
                == "SDImageCircleTransformer(1.000000,#ff000000)")
        #expect(ImageCircleTransformer().transformerKey == "SDImageCircleTransformer(0.000000,(null))")
        #expect(
            ImageLetterboxTransformer(size: CGSize(width: 3, height: 4)).transformerKey
                == "SDImageLetterboxTransformer({3.000000,4.000000})")
        #expect(
            ImageGradientTransformer(gradient: ImageGradient(colors: [red, blue])).transformerKey
                == "SDImageGradientTransformer(#ffff0000@0.000000,#ff0000ff@1.000000,{0.500000,0.000000},{0.500000,1.000000})"
        )
        #expect(
            ImageWatermarkTransformer(watermark: try TestImages.solid(), identifier: "logo", margin: 2).transformerKey
                == "SDImageWatermarkTransformer(logo,8,2.000000,1.000000)")
    }
}
