import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Tests the geometry, blending and keys of transformers with generated images. The first tests use invalid input.
@Suite(.timeLimit(minutes: 1))
struct TransformTests {
    /// Returns an image of four quarters: red and green above blue and white.
    private func quarters(_ side: Int = 8, scale: CGFloat = 1) throws -> Image {
        let pixels = try PixelBuffer(width: side, height: side, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<side {
                for x in 0..<side {
                    let color: UInt32 =
                        y < side / 2
                        ? (x < side / 2 ? 0xFFFF_0000 : 0xFF00_FF00) : (x < side / 2 ? 0xFF00_00FF : 0xFFFF_FFFF)
                    bytes.storeBytes(of: color, toByteOffset: y * pixels.bytesPerRow + x * 4, as: UInt32.self)
                }
            }
        }
        return Image(pixels: pixels, scale: scale, hasAlpha: false)
    }

    private func corners(_ image: Image?) -> [String] {
        guard let image else { return [] }
        let (right, bottom) = (image.pixels.width - 1, image.pixels.height - 1)
        return [(0, 0), (right, 0), (0, bottom), (right, bottom)].map {
            image.color(at: CGPoint(x: $0, y: $1))?.hexString ?? "none"
        }
    }

    private static let (red, green, blue, white) = ("#ffff0000", "#ff00ff00", "#ff0000ff", "#ffffffff")

    @Test(arguments: [
        CGSize.zero, CGSize(width: -1, height: 5), CGSize(width: CGFloat.nan, height: 5),
        CGSize(width: CGFloat.infinity, height: 5), CGSize(width: 1e6, height: 1e6),
    ])
    func invalidSizeReturnsNil(_ size: CGSize) throws {
        #expect(try quarters().resizedImage(with: size, scaleMode: .fill) == nil)
        #expect(try quarters().resizedImage(with: size, scaleMode: .aspectFill) == nil)
    }

    /// Points that are pixels divided by the scale are these pixels, not one more.
    @Test(arguments: [CGFloat(1.1), 1.25, 1.75, 2.625, 3.5])
    func pixelsInPointsAreTheSamePixels(_ scale: CGFloat) throws {
        let image = try quarters(8, scale: scale)
        var wrong: [Int] = []
        for side in 1...150 {
            let points = CGFloat(side) / scale
            let size = CGSize(width: points, height: points)
            if image.resizedImage(with: size, scaleMode: .fill)?.pixelSize != PixelSize(width: side, height: side) {
                wrong.append(side)
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test func invalidNumbersReturnNil() throws {
        let image = try quarters()
        #expect(image.croppedImage(with: CGRect(x: 0, y: 0, width: CGFloat.nan, height: 1)) == nil)
        #expect(image.croppedImage(with: CGRect(x: 100, y: 0, width: 1, height: 1)) == nil)
        #expect(image.croppedImage(with: CGRect(x: 0, y: 0, width: -1, height: 1)) == nil)
        #expect(image.rotatedImage(withAngle: .nan, fitSize: true) == nil)
        #expect(image.rotatedImage(withAngle: .infinity, fitSize: false) == nil)
        #expect(image.blurredImage(withRadius: .nan) == nil && image.blurredImage(withRadius: -1) == nil)
        #expect(
            image.roundedCornerImage(withRadius: .nan, corners: .allCorners, borderWidth: 0, borderColor: nil) == nil)
        #expect(image.color(at: CGPoint(x: CGFloat.nan, y: 0)) == nil)
        #expect(image.colors(with: CGRect(x: 7, y: 0, width: 2, height: 1)) == nil)
    }

    @Test(arguments: [CGFloat.infinity, .greatestFiniteMagnitude, 1000], [CGFloat(0), 2])
    func unlimitedRadiusIsHalfTheSmallerSide(_ radius: CGFloat, _ border: CGFloat) throws {
        let image = try TestImages.solid(width: 40, height: 30, alpha: 255)
        func bytes(_ radius: CGFloat) throws -> Data {
            let rounded = image.roundedCornerImage(
                withRadius: radius, corners: .allCorners, borderWidth: border, borderColor: .black)
            return try #require(rounded).pixels.withUnsafeBytes { Data($0) }
        }
        #expect(try bytes(radius) == bytes(15))
    }

    @Test(arguments: [(1, 1), (1, 200), (200, 1)])
    func everyTransformAcceptsEverySize(_ width: Int, _ height: Int) throws {
        let image = try TestImages.solid(width: width, height: height, alpha: 200)
        #expect(image.resizedImage(with: CGSize(width: 3, height: 7), scaleMode: .aspectFill)?.pixels.height == 7)
        #expect(image.blurredImage(withRadius: 30)?.pixelSize == image.pixelSize)
        #expect(image.rotatedImage(withAngle: 1, fitSize: true) != nil)
        #expect(image.flippedImage(withHorizontal: true, vertical: false)?.pixelSize == image.pixelSize)
        #expect(
            image.roundedCornerImage(withRadius: 10, corners: .topLeft, borderWidth: 0.25, borderColor: .black)?
                .pixelSize == image.pixelSize)
        for mode in BlendMode.allCases { #expect(image.tintedImage(with: .white, blendMode: mode) != nil) }
    }

    @Test func flipsAndQuarterTurnsMoveTheCorners() throws {
        let image = try quarters()
        let (red, green, blue, white) = (Self.red, Self.green, Self.blue, Self.white)
        #expect(corners(image.flippedImage(withHorizontal: true, vertical: false)) == [green, red, white, blue])
        #expect(corners(image.flippedImage(withHorizontal: false, vertical: true)) == [blue, white, red, green])
        // The rotation is counter-clockwise, so the top right corner is now at the top left.
        #expect(corners(image.rotatedImage(withAngle: .pi / 2, fitSize: true)) == [green, white, red, blue])
        #expect(corners(image.rotatedImage(withAngle: -.pi / 2, fitSize: false)) == [blue, red, white, green])
        #expect(corners(image.rotatedImage(withAngle: .pi * 7, fitSize: true)) == [white, blue, green, red])
    }

    // SDImageTransformerTests.test20CGImageCreateDecodedWithOrientation
    @Test(arguments: [
        (ImageOrientation.up, 40, 160), (.upMirrored, 110, 160), (.down, 110, 30), (.downMirrored, 40, 30),
        (.leftMirrored, 160, 40), (.right, 30, 40), (.rightMirrored, 30, 110), (.left, 160, 110),
    ])
    func everyOrientationMatchesTheOriginal(_ orientation: ImageOrientation, x: Int, y: Int) throws {
        let stored = try Image.generated(width: 150, height: 200) { x, y in
            abs(x - 40) <= 10 && abs(y - 160) <= 10 ? (0, 0, 0, 255) : (255, 255, 255, 255)
        }
        let upright = Image(pixels: try stored.pixels.oriented(orientation))
        let isTurned = orientation.rawValue >= 5
        #expect(upright.pixelSize == PixelSize(width: isTurned ? 200 : 150, height: isTurned ? 150 : 200))
        #expect(upright.color(at: CGPoint(x: x, y: y))?.hexString == "#ff000000")
        let opposite = CGPoint(x: isTurned ? x : 149 - x, y: isTurned ? 149 - y : y)
        #expect(upright.color(at: opposite)?.hexString == "#ffffffff")
    }

    @Test func aQuarterTurnOfAWidePictureSwapsItsSides() throws {
        let wide = try TestImages.solid(width: 30, height: 10)
        #expect(
            wide.rotatedImage(withAngle: .pi / 2, fitSize: true)?.pixelSize == PixelSize(width: 10, height: 30))
        #expect(wide.rotatedImage(withAngle: .pi / 2, fitSize: false)?.pixelSize == wide.pixelSize)
    }

    @Test func aspectFillCropsTheCentre() throws {
        let image = try quarters(100)
        let filled = try #require(image.resizedImage(with: CGSize(width: 100, height: 50), scaleMode: .aspectFill))
        #expect(corners(filled) == [Self.red, Self.green, Self.blue, Self.white])
        #expect(filled.pixelSize == PixelSize(width: 100, height: 50))
    }

    @Test func pointsAreMultipliedByTheScale() throws {
        let image = try quarters(8, scale: 2)
        #expect(image.resizedImage(with: CGSize(width: 5, height: 6), scaleMode: .fill)?.pixels.width == 10)
        let cropped = try #require(image.croppedImage(with: CGRect(x: 2, y: 2, width: 2, height: 2)))
        #expect(cropped.scale == 2 && corners(cropped) == [Self.white, Self.white, Self.white, Self.white])
    }

    @Test func veryLargeBlurAtAReducedSizeLooksTheSame() throws {
        let image = try quarters(700)
        // With a radius of 272, the image is blurred at full size. With a radius of 275, the image is blurred at a
        // smaller size.
        let (full, smaller) = (image.blurredImage(withRadius: 272), image.blurredImage(withRadius: 275))
        for place in [(0, 0), (350, 350), (699, 0), (100, 600)] {
            let point = CGPoint(x: place.0, y: place.1)
            let (mine, other) = (try #require(full?.color(at: point)), try #require(smaller?.color(at: point)))
            for (a, b) in [(mine.red, other.red), (mine.green, other.green), (mine.blue, other.blue)] {
                #expect(abs(a - b) < 0.02, "\(mine) is not \(other) at \(place)")
            }
        }
        #expect(smaller?.pixelSize == image.pixelSize)
    }

    @Test(arguments: PixelFormat.allCases) func croppingAndResizingKeepTheLayout(_ format: PixelFormat) throws {
        let image = Image(pixels: try quarters(40).pixels.converted(to: format), hasAlpha: false)
        let results = [
            image.resizedImage(with: CGSize(width: 10, height: 10), scaleMode: .fill),
            image.resizedImage(with: CGSize(width: 10, height: 5), scaleMode: .aspectFill),
            image.croppedImage(with: CGRect(x: 1, y: 1, width: 30, height: 30)),
            image.flippedImage(withHorizontal: true, vertical: false),
            image.rotatedImage(withAngle: .pi, fitSize: true),
        ]
        for result in results { #expect(result?.pixels.format == format) }
        // The bars are transparent. The result has the display format, because not every pixel format supports
        // transparency.
        let barred = image.resizedImage(with: CGSize(width: 10, height: 5), scaleMode: .aspectFit)
        #expect(barred?.pixels.format == .bgra8Premultiplied && barred?.hasAlpha == true)
        #expect(corners(barred) == ["#00000000", "#00000000", "#00000000", "#00000000"])
    }

    /// Scales an image of 900 × 700 px to a fifth of its sides in two ways. An opaque image is scaled in two steps
    /// (rows first). An image with straight alpha is scaled in one step.
    @Test func scalingRowsFirstReturnsTheSameImage() throws {
        let image = try Image.generated(width: 900, height: 700) { x, y in
            (UInt8((x * 7 + y) % 256), UInt8((x / 9 * 40 + y / 5 * 60) % 256), UInt8(x * y % 251), 255)
        }
        let size = PixelSize(width: 180, height: 140)
        let stepwise = try image.pixels.scaled(to: size, isOpaque: true)
        let straight = try image.pixels.converted(to: .rgba8, isOpaque: true)
        let atOnce = try straight.scaled(to: size, isOpaque: false).converted(to: .bgra8Premultiplied, isOpaque: true)
        for y in stride(from: 0, to: 140, by: 3) {
            for x in stride(from: 0, to: 180, by: 3) {
                let (mine, other) = (stepwise.color(at: (x, y)), atOnce.color(at: (x, y)))
                #expect(zip(mine, other).allSatisfy { abs($0 - $1) <= 3 }, "\(mine) is not \(other) at \(x), \(y)")
            }
        }
    }

    @Test func onlyTheChosenCornersAreRounded() throws {
        let image = try TestImages.solid(width: 40, height: 40)
        let rounded = image.roundedCornerImage(
            withRadius: 10, corners: [.topLeft, .bottomRight], borderWidth: 0, borderColor: nil)
        #expect(corners(rounded).map { $0 == "#00000000" } == [true, false, false, true])
        let swallowed = image.roundedCornerImage(
            withRadius: 5, corners: .allCorners, borderWidth: 20, borderColor: .black)
        #expect(Set(corners(swallowed)) == ["#00000000"])
    }

    /// Blends an opaque 50% grey over an opaque colour, in modes of PDF 1.7 and modes of Porter and Duff.
    @Test(arguments: [
        (BlendMode.normal, "#ff808080"), (.multiply, "#ff3c2814"), (.screen, "#ffbc" + "a894"),
        (.darken, "#ff785028"), (.lighten, "#ff808080"), (.difference, "#ff083058"), (.copy, "#ff808080"),
        (.clear, "#00000000"), (.sourceOut, "#00000000"), (.sourceAtop, "#ff808080"), (.destinationOver, "#ff785028"),
        (.destinationIn, "#ff785028"), (.xor, "#00000000"), (.plusLighter, "#fff8d0a8"), (.plusDarker, "#ff000000"),
    ])
    func blendModesFollowTheSpecification(_ mode: BlendMode, _ expected: String) throws {
        let image = try TestImages.solid(blue: 40, green: 80, red: 120)
        let grey = ImageColor(white: 128.0 / 255)
        let tinted = image.tintedImage(with: grey, blendMode: mode)
        let color = try #require(tinted?.color(at: .zero))
        let wanted = stride(from: 1, to: 9, by: 2).map { offset in
            let start = expected.index(expected.startIndex, offsetBy: offset)
            return Int(expected[start..<expected.index(start, offsetBy: 2)], radix: 16) ?? -1
        }
        let mine = [color.alpha, color.red, color.green, color.blue].map { Int(($0 * 255).rounded()) }
        for (a, b) in zip(mine, wanted) { #expect(abs(a - b) <= 1, "\(mine) is not \(wanted)") }
    }

    @Test func aClearTintChangesNothing() throws {
        let image = try quarters()
        #expect(image.tintedImage(with: .clear) === image)
        #expect(image.blurredImage(withRadius: 0) === image)
    }

    @Test func blurKeepsOneColourAndSpreadsAnEdgeEvenly() throws {
        let flat = try TestImages.solid(width: 50, height: 20, blue: 10, green: 200, red: 90, alpha: 255)
        let color = flat.blurredImage(withRadius: 4)?.color(at: CGPoint(x: 0, y: 19))
        #expect(color?.hexString == "#ff5ac80a")
        let edge = try #require(try quarters(100).blurredImage(withRadius: 3))
        let left = try #require(edge.color(at: CGPoint(x: 47, y: 10)))
        let right = try #require(edge.color(at: CGPoint(x: 52, y: 10)))
        #expect(abs(left.red - right.green) < 0.01 && left.red > 0.6 && left.red < 0.95)
    }

    @Test func everyPixelFormatIsAccepted() throws {
        for format in PixelFormat.allCases {
            let source = try quarters(16)
            let image = Image(pixels: try source.pixels.converted(to: format), hasAlpha: false)
            #expect(image.resizedImage(with: CGSize(width: 4, height: 4), scaleMode: .fill) != nil)
            #expect(image.rotatedImage(withAngle: 0.3, fitSize: true) != nil)
            #expect(image.blurredImage(withRadius: 2) != nil)
            #expect(image.tintedImage(with: .black) != nil)
            #expect(image.color(at: CGPoint(x: 15, y: 15))?.hexString == Self.white)
        }
    }

    @Test func pipelineHasTheOriginalsKey() throws {  // SDImageTransformerTests.test09ImagePipelineTransformer
        let pipeline = ImagePipelineTransformer(transformers: [
            ImageResizingTransformer(size: CGSize(width: 100, height: 100), scaleMode: .aspectFill),
            ImageRotationTransformer(angle: .pi / 4, fitSize: false),
            ImageRoundCornerTransformer(radius: 50, corners: .allCorners, borderWidth: 1, borderColor: .black),
            ImageFlippingTransformer(horizontal: true, vertical: true),
            ImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: 50, height: 50)),
            ImageTintTransformer(color: .clear), ImageBlurTransformer(radius: 5),
        ])
        #expect(
            pipeline.transformerKey == """
                SDImageResizingTransformer({100.000000,100.000000},2)-SDImageRotationTransformer(0.785398,0)-\
                SDImageRoundCornerTransformer(50.000000,18446744073709551615,1.000000,#ff000000)-\
                SDImageFlippingTransformer(1,1)-SDImageCroppingTransformer({0.000000,0.000000,50.000000,50.000000})-\
                SDImageTintTransformer(#00000000,18)-SDImageBlurTransformer(5.000000)
                """)
        let result = try #require(pipeline.transformedImage(with: try quarters(300), forKey: ""))
        #expect(result.pixelSize == PixelSize(width: 50, height: 50))
    }

    @Test func transformedImageIsStoredUnderItsOwnKey() async throws {
        let journey = try Journey()
        journey.server.route("/picture.png", .body(try Journey.file(.png, width: 40, height: 30)))
        let url = journey.server.url("/picture.png")
        let transformer = ImageRotationTransformer(angle: .pi / 2, fitSize: true)
        let context: WebImageContext = [.imageTransformer: transformer]
        let image = try await journey.manager.image(for: url, context: context)
        #expect(image.pixelSize == PixelSize(width: 30, height: 40) && image.isTransformed)
        #expect(try await journey.manager.result(for: url, context: context).cacheType == .memory)
        #expect(try await journey.manager.image(for: url).pixelSize == PixelSize(width: 40, height: 30))
        #expect(journey.server.requestCount("/picture.png") == 1)
    }
}

extension PixelBuffer {
    /// Returns the four bytes of a pixel.
    fileprivate func color(at place: (x: Int, y: Int)) -> [Int] {
        withUnsafeBytes { bytes in (0..<4).map { Int(bytes[place.y * bytesPerRow + place.x * 4 + $0]) } }
    }
}
