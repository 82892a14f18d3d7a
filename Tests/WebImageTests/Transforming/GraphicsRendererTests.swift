import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Draws into an image and checks single pixels.
@Suite(.timeLimit(minutes: 1))
struct GraphicsRendererTests {
    private let red = ImageColor(red: 1, green: 0, blue: 0)
    private let blue = ImageColor(red: 0, green: 0, blue: 1)

    private func draw(
        _ width: CGFloat = 100, _ height: CGFloat = 100, scale: CGFloat = 1, opaque: Bool = false,
        _ actions: (GraphicsContext) -> Void
    ) throws -> Image {
        var format = GraphicsImageRendererFormat()
        (format.scale, format.opaque) = (scale, opaque)
        let size = CGSize(width: width, height: height)
        let drawn = GraphicsImageRenderer(size: size, format: format).image(actions)
        return try #require(drawn)
    }

    private func hex(_ image: Image, _ x: Int, _ y: Int) -> String? {
        image.color(at: CGPoint(x: x, y: y))?.hexString
    }

    /// Returns the sum of the alphas of all pixels, which is the covered area in pixels.
    private func area(_ image: Image) -> Double {
        let all = CGRect(x: 0, y: 0, width: image.pixels.width, height: image.pixels.height)
        return (image.colors(with: all) ?? []).reduce(0) { $0 + $1.alpha }
    }

    @Test func rendererReturnsItsColourAndScale() throws {  // SDUtilsTests.testSDGraphicsImageRenderer
        let format = GraphicsImageRendererFormat.preferred
        #expect(format.scale == GraphicsImageRendererFormat.mainScreenScale)
        #expect(!format.opaque && format.preferredRange == .automatic)
        let renderer = GraphicsImageRenderer(size: CGSize(width: 100, height: 100), format: format)
        for (color, expected) in [(red, "#ffff0000"), (ImageColor(white: 0), "#ff000000")] {
            let image = try #require(
                renderer.image { context in
                    context.fillColor = color
                    context.fill(CGRect(x: 0, y: 0, width: 100, height: 100))
                })
            #expect(image.scale == format.scale && hex(image, 50, 50) == expected)
        }
    }

    @Test func pixelSizesAreRoundedUpAndPointsScaled() throws {
        let image = try draw(10.2, 5, scale: 2) { context in
            context.fillColor = red
            context.fill(CGRect(x: 1, y: 1, width: 2, height: 2))
        }
        #expect(image.pixelSize == PixelSize(width: 21, height: 10) && image.scale == 2 && image.hasAlpha)
        #expect(hex(image, 2, 2) == "#ffff0000" && hex(image, 5, 5) == "#ffff0000")
        #expect(hex(image, 1, 2) == "#00000000" && hex(image, 6, 5) == "#00000000")
    }

    @Test func anOpaqueSurfaceStaysOpaque() throws {
        let image = try draw(opaque: true) { context in
            context.fillColor = ImageColor(red: 1, green: 0, blue: 0, alpha: 0.5)
            context.fill(CGRect(x: 0, y: 0, width: 50, height: 50))
            context.clear(CGRect(x: 0, y: 0, width: 10, height: 10))
        }
        #expect(!image.hasAlpha && hex(image, 30, 30) == "#ff800000" && hex(image, 90, 90) == "#ff000000")
        #expect(hex(image, 5, 5) == "#ff000000")
    }

    @Test func areasAreExact() throws {
        let circle = try draw { $0.fillEllipse(in: CGRect(x: 10, y: 10, width: 80, height: 80)) }
        #expect(abs(area(circle) - .pi * 1600) < 10)
        let fraction = try draw { $0.fill(CGRect(x: 10.5, y: 10.25, width: 20, height: 20)) }
        #expect(abs(area(fraction) - 400) < 3)
        let edge = try #require(fraction.color(at: CGPoint(x: 10, y: 20)))
        #expect(abs(edge.alpha - 0.5) < 0.04)
        let rounded = try draw {
            $0.fill(GraphicsPath(roundedRect: CGRect(x: 0, y: 0, width: 100, height: 50), cornerRadius: 20))
        }
        #expect(abs(area(rounded) - (5000 - (4 - .pi) * 400)) < 8)
        let turned = try draw { context in
            context.translateBy(x: 50, y: 50)
            context.rotate(by: 0.6)
            context.fill(CGRect(x: -20, y: -10, width: 40, height: 20))
        }
        #expect(abs(area(turned) - 800) < 5)
    }

    @Test func evenOddRuleLeavesTheStarsCentreEmpty() throws {
        var star = GraphicsPath()
        for step in 0..<5 {
            let angle = Double(step) * 4 * .pi / 5 - .pi / 2
            star.addLine(to: CGPoint(x: 50 + 45 * cos(angle), y: 50 + 45 * sin(angle)))
        }
        star.closeSubpath()
        let whole = try draw { $0.fill(star) }
        let hollow = try draw { $0.fill(star, using: .evenOdd) }
        #expect(hex(whole, 50, 50) == "#ff000000" && hex(hollow, 50, 50) == "#00000000")
        #expect(hex(hollow, 50, 15) == "#ff000000")
        // A pentagram of circumradius r has an area of 1.1226 r². Its inner pentagon has an area of 0.3469 r².
        #expect(abs(area(whole) - 1.1226 * 2025) < 20)
        #expect(abs(area(hollow) - (1.1226 - 0.3469) * 2025) < 25)
    }

    @Test func linesHaveTheirWidthAndEnds() throws {
        func line(_ cap: LineCap) throws -> Image {
            try draw { context in
                context.lineWidth = 10
                context.lineCap = cap
                var path = GraphicsPath()
                path.move(to: CGPoint(x: 20, y: 50))
                path.addLine(to: CGPoint(x: 80, y: 50))
                context.stroke(path)
            }
        }
        #expect(try abs(area(line(.butt)) - 600) < 1)
        #expect(try abs(area(line(.square)) - 700) < 1)
        #expect(try abs(area(line(.round)) - (600 + .pi * 25)) < 3)
        let dot = try draw { context in
            (context.lineWidth, context.lineCap) = (10, .round)
            var path = GraphicsPath()
            path.move(to: CGPoint(x: 50, y: 50))
            path.closeSubpath()
            context.stroke(path)
        }
        #expect(abs(area(dot) - .pi * 25) < 3)
    }

    @Test func linesMeetAsAsked() throws {
        func corner(_ join: LineJoin) throws -> Image {
            try draw { context in
                (context.lineWidth, context.lineJoin) = (10, join)
                context.strokeColor = red
                context.stroke(CGRect(x: 20, y: 20, width: 60, height: 60))
            }
        }
        #expect(try abs(area(corner(.miter)) - 2400) < 2)
        #expect(try abs(area(corner(.bevel)) - (2400 - 4 * 12.5)) < 4)
        #expect(try abs(area(corner(.round)) - (2400 - (4 - .pi) * 25)) < 4)
        #expect(try hex(corner(.miter), 15, 15) == "#ffff0000" && hex(corner(.round), 15, 15) == "#00000000")
        #expect(try hex(corner(.miter), 50, 50) == "#00000000")
    }

    @Test func semitransparentLineDoesNotDarkenAtItsCrossing() throws {
        let image = try draw { context in
            context.strokeColor = ImageColor(white: 0, alpha: 0.5)
            (context.lineWidth, context.lineJoin) = (12, .round)
            var path = GraphicsPath()
            path.move(to: CGPoint(x: 10, y: 10))
            path.addLine(to: CGPoint(x: 90, y: 90))
            path.addLine(to: CGPoint(x: 90, y: 10))
            path.addLine(to: CGPoint(x: 10, y: 90))
            context.stroke(path)
        }
        #expect(hex(image, 50, 50) == "#80000000" && hex(image, 89, 89) == "#80000000")
    }

    @Test func clipsIntersectAndEndWithTheirState() throws {
        let image = try draw { context in
            context.fillColor = red
            context.withGState {
                context.clip(to: GraphicsPath(ellipseIn: CGRect(x: 0, y: 0, width: 100, height: 100)))
                context.clip(to: CGRect(x: 0, y: 0, width: 50, height: 100))
                context.fill(CGRect(x: 0, y: 0, width: 100, height: 100))
            }
            context.fill(CGRect(x: 98, y: 98, width: 2, height: 2))
        }
        #expect(hex(image, 25, 50) == "#ffff0000" && hex(image, 75, 50) == "#00000000")
        #expect(hex(image, 1, 1) == "#00000000" && hex(image, 99, 99) == "#ffff0000")
        #expect(abs(area(image) - (.pi * 1250 + 4)) < 8)
        let nothing = try draw { context in
            context.clip(to: CGRect(x: 200, y: 0, width: 5, height: 5))
            context.fill(CGRect(x: 0, y: 0, width: 100, height: 100))
        }
        #expect(area(nothing) == 0)
    }

    @Test func imagesAreDrawnThroughTheTransform() throws {
        let picture = try Image.generated(width: 20, height: 20) { x, _ in x < 10 ? (0, 0, 255, 255) : (255, 0, 0, 255)
        }
        let plain = try draw { $0.draw(picture, at: CGPoint(x: 5, y: 5)) }
        #expect(hex(plain, 5, 5) == "#ffff0000" && hex(plain, 24, 24) == "#ff0000ff" && area(plain) == 400)
        let large = try draw { $0.draw(picture, in: CGRect(x: 0, y: 0, width: 100, height: 60)) }
        #expect(hex(large, 20, 30) == "#ffff0000" && hex(large, 80, 30) == "#ff0000ff" && area(large) == 6000)
        let turned = try draw { context in
            context.translateBy(x: 50, y: 50)
            context.rotate(by: .pi / 2)
            context.draw(picture, in: CGRect(x: -20, y: -20, width: 40, height: 40))
        }
        // The rotation is clockwise, so the left half is now at the top.
        #expect(hex(turned, 50, 35) == "#ffff0000" && hex(turned, 50, 65) == "#ff0000ff")
        #expect(abs(area(turned) - 1600) < 5)
        let flipped = try draw { context in
            context.translateBy(x: 100, y: 0)
            context.scaleBy(x: -1, y: 1)
            context.draw(picture, at: .zero)
        }
        #expect(hex(flipped, 99, 5) == "#ffff0000" && hex(flipped, 81, 5) == "#ff0000ff")
    }

    @Test func opacityBlendingAndGradients() throws {
        let image = try draw { context in
            context.fillColor = blue
            context.fill(CGRect(x: 0, y: 0, width: 100, height: 100))
            context.alpha = 0.5
            context.fillColor = red
            context.fill(CGRect(x: 0, y: 0, width: 50, height: 50))
            context.alpha = 1
            context.blendMode = .copy
            context.fillColor = .clear
            context.fillEllipse(in: CGRect(x: 60, y: 60, width: 30, height: 30))
            context.blendMode = .plusDarker
            context.fillColor = ImageColor(white: 0.5)
            context.fill(CGRect(x: 0, y: 90, width: 10, height: 10))
        }
        #expect(hex(image, 25, 25) == "#ff80007f" || hex(image, 25, 25) == "#ff800080")
        #expect(hex(image, 75, 75) == "#00000000" && hex(image, 61, 61) == "#ff0000ff")
        #expect(hex(image, 5, 95) == "#ff000080")
        let gradient = try draw { context in
            context.draw(ImageGradient(colors: [red, blue]), in: CGRect(x: 10, y: 20, width: 30, height: 60))
        }
        let middle = try #require(gradient.color(at: CGPoint(x: 20, y: 50)))
        #expect(abs(middle.red - 0.5) < 0.03 && hex(gradient, 9, 50) == "#00000000" && area(gradient) == 1800)
    }

    @Test(arguments: [
        CGSize.zero, CGSize(width: -1, height: 5), CGSize(width: CGFloat.nan, height: 5),
        CGSize(width: CGFloat.infinity, height: 5), CGSize(width: 1e6, height: 1e6), CGSize(width: 40_000, height: 1),
    ])
    func invalidSizeDrawsNothing(_ size: CGSize) {
        var isCalled = false
        #expect(GraphicsImageRenderer(size: size).image { _ in isCalled = true } == nil && !isCalled)
        var format = GraphicsImageRendererFormat()
        format.scale = .nan
        #expect(GraphicsImageRenderer(size: CGSize(width: 5, height: 5), format: format).image { _ in } == nil)
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity, 1e300, -1e300, 1e9, 3e4, 0, -0.0, .leastNonzeroMagnitude])
    func hostileNumbersDrawOrReturnNil(_ number: Double) throws {
        let value = CGFloat(number)
        let picture = try TestImages.solid()
        _ = try draw(32_000, 2) { context in
            let rects = [
                CGRect(x: value, y: 0, width: 5, height: 5), CGRect(x: 0, y: 0, width: value, height: 5),
                CGRect(x: -1e8, y: -1e8, width: 2e8, height: 2e8),
            ]
            for rect in rects {
                context.withGState {
                    context.fill(rect)
                    context.fillEllipse(in: rect)
                    context.lineWidth = value
                    context.stroke(GraphicsPath(roundedRect: rect, cornerRadius: value))
                    context.draw(picture, in: rect)
                    context.draw(ImageGradient(colors: [red, blue]), in: rect)
                    context.scaleBy(x: value, y: 1)
                    context.rotate(by: value)
                    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
                    context.draw(picture, in: CGRect(x: 0, y: 0, width: 10, height: 10))
                    context.clip(to: rect)
                    context.fill(CGRect(x: 0, y: 0, width: 10, height: 10))
                }
            }
            context.restoreGState()
        }
    }

    @Test func finishedContextIgnoresDrawing() throws {
        var kept: GraphicsContext?
        let image = try draw { kept = $0 }
        kept?.fill(CGRect(x: 0, y: 0, width: 100, height: 100))
        #expect(area(image) == 0)
    }

    @Test func transformsComposeAsCoreGraphicsDoes() {
        let transform = CGAffineTransform(translationX: 10, y: 20).scaledBy(x: 2, y: 3)
        #expect(CGPoint(x: 1, y: 1).applying(transform) == CGPoint(x: 12, y: 23))
        let back = transform.concatenating(transform.inverted())
        #expect([back.a - 1, back.b, back.c, back.d - 1, back.tx, back.ty].allSatisfy { abs($0) < 1e-12 })
        #expect(CGAffineTransform(scaleX: 0, y: 1).inverted() == CGAffineTransform(scaleX: 0, y: 1))
        let quarter = CGPoint(x: 1, y: 0).applying(CGAffineTransform(rotationAngle: .pi / 2))
        #expect(abs(quarter.x) < 1e-12 && quarter.y == 1)
        #expect(
            CGRect(x: 0, y: 0, width: 2, height: 1).applying(CGAffineTransform(scaleX: -1, y: 2))
                == CGRect(x: -2, y: 0, width: 2, height: 2))
        #expect(CGSize(width: 2, height: 3).applying(transform) == CGSize(width: 4, height: 9))
    }
}
