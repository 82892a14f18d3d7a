import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Calls every transformer with very small and very thin images, and with invalid numbers. A transformer must return an
/// image or nil, and must never trap.
@Suite(.timeLimit(minutes: 2))
struct EveryTransformerTests {
    private static let numbers: [CGFloat] = [
        .nan, .infinity, -.infinity, -1, 0, 1, 0.5, 1e-300, 1e9, 1e300, -1e300, .greatestFiniteMagnitude,
    ]

    /// Returns every transformer in several versions: each version sets another number to `value`, or uses another
    /// scale mode, corner or anchor.
    private static func transformers(_ value: CGFloat) throws -> [any ImageTransformer] {
        let all =
            try geometry(value) + colors(value) + overlays(value)
            + filters(value).map { filter in
                ImageFilterTransformer(filter: filter)
            }
        return all + [ImagePipelineTransformer(transformers: all)]
    }

    private static func geometry(_ value: CGFloat) -> [any ImageTransformer] {
        let sizes = [
            CGSize(width: value, height: 3), CGSize(width: 3, height: value), CGSize(width: value, height: value),
        ]
        let sides: [(CGFloat, CGFloat, CGFloat, CGFloat)] = [
            (value, 0, 2, 2), (0, value, 2, 2), (0, 0, value, 2), (0, 0, 2, value), (value, value, value, value),
        ]
        var all: [any ImageTransformer] = []
        for size in sizes {
            all.append(ImageLetterboxTransformer(size: size))
            for mode in [ImageScaleMode.fill, .aspectFit, .aspectFill] {
                all.append(ImageResizingTransformer(size: size, scaleMode: mode))
            }
        }
        for side in sides {
            let rect = CGRect(x: side.0, y: side.1, width: side.2, height: side.3)
            all.append(ImageCroppingTransformer(rect: rect))
        }
        for isFitting in [true, false] {
            all.append(ImageRotationTransformer(angle: value, fitSize: isFitting))
            for isVertical in [true, false] {
                all.append(ImageFlippingTransformer(horizontal: isFitting, vertical: isVertical))
            }
        }
        for color in [nil, ImageColor(white: 0.5, alpha: 0.5)] {
            all.append(ImageCircleTransformer(borderWidth: value, borderColor: color))
            for corners in [RectCorner.allCorners, .topLeft, []] {
                for (radius, width) in [(value, 0), (value, 1), (1, value), (value, value)] {
                    all.append(
                        ImageRoundCornerTransformer(
                            radius: radius, corners: corners, borderWidth: width, borderColor: color))
                }
            }
        }
        return all
    }

    private static func colors(_ value: CGFloat) -> [any ImageTransformer] {
        let modes = BlendMode.allCases.map { mode in
            ImageTintTransformer(color: Self.color(Double(value)), blendMode: mode)
        }
        return [ImageBlurTransformer(radius: value)] + modes
    }

    /// Returns a colour whose components are set after its initialiser. The initialiser therefore does not check these
    /// values.
    private static func color(_ value: Double) -> ImageColor {
        var color = ImageColor(red: value, green: 0, blue: 1, alpha: 0.5)
        (color.green, color.blue) = (value, -value)
        return color
    }

    private static func overlays(_ value: CGFloat) throws -> [any ImageTransformer] {
        let gradients = [(value, 0, 0, 1), (0, value, 1, 1), (0, 0, value, 1), (0, 0, 1, value)].map {
            var gradient = ImageGradient(
                colors: [.white, color(Double(value))], start: CGPoint(x: $0.0, y: $0.1),
                end: CGPoint(x: $0.2, y: $0.3))
            gradient.stops[0].location = Double(value)
            return gradient
        }
        let mark = try TestImages.solid(width: 3, height: 3)
        let marks = ImageAnchor.allCases.map { anchor in
            ImageWatermarkTransformer(watermark: mark, identifier: "m", anchor: anchor, margin: value)
        }
        return gradients.map { ImageGradientTransformer(gradient: $0) } + marks
            + [ImageWatermarkTransformer(watermark: mark, identifier: "m", opacity: Double(value))]
    }

    private static func filters(_ number: CGFloat) -> [any ImageFilter] {
        let value = Double(number)
        let optional: [(any ImageFilter)?] = [
            ColorFilter.matrix([Double](repeating: value, count: 9)),
            ColorFilter.matrix([1, 0, 0, 0, 1, 0, 0, 0, 1], offset: [value, 0, 0]),
            NeighbourFilter.convolution([Double](repeating: value, count: 9)), NeighbourFilter.convolution([value]),
        ]
        return [
            ColorFilter.invert, ColorFilter.exposure(stops: value), ColorFilter.contrast(value),
            ColorFilter.saturation(value), ColorFilter.sepia(intensity: value),
            ColorFilter.monochrome(.white, intensity: value), ColorFilter.monochrome(color(value)),
            NeighbourFilter.sharpen(value), NeighbourFilter.vignette(intensity: value),
            NeighbourFilter.pixellate(points: value),
        ] + optional.compactMap(\.self)
    }

    /// The test reads the names of transformers and filters from the sources. It fails if a new transformer or filter
    /// is missing here.
    @Test func everyTransformerAndFilterIsTested() throws {
        let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Sources")
        var declared: Set<String> = []
        var filters = 0
        for target in ["WebImageCore", "WebImageGraphics"] {
            let files = FileManager.default.enumerator(
                at: sources.appendingPathComponent(target), includingPropertiesForKeys: nil)
            for case let file as URL in try #require(files) where file.pathExtension == "swift" {
                let text = try String(contentsOf: file, encoding: .utf8)
                for match in text.matches(of: /public (?:struct|class) (\w+): ImageTransformer\b/) {
                    declared.insert(String(match.1))
                }
                filters +=
                    text.matches(of: /public static (?:let|func) [^\n]*(?:= ColorFilter|-> (?:Color|Neighbour)Filter)/)
                    .count
            }
        }
        let covered = try Self.transformers(1)
        #expect(Set(covered.map { "\(type(of: $0))" }) == declared && declared.count > 10)
        let names = Self.filters(1).map { $0.filterKey.prefix { $0 != "(" } }
        #expect(Set(names).count == filters && filters > 10)
    }

    @Test(arguments: [(1, 1), (1, 10_000), (10_000, 1), (2, 3)], numbers)
    func everyNumberReturnsAnImageOrNil(_ size: (Int, Int), _ value: CGFloat) throws {
        let image = try TestImages.solid(width: size.0, height: size.1, alpha: 200)
        for transformer in try Self.transformers(value) {
            let result = transformer.transformedImage(with: image, forKey: "k")
            #expect(result.map { $0.pixels.width > 0 && $0.pixels.height > 0 } ?? true)
            #expect(!transformer.transformerKey.isEmpty)
        }
    }

    /// NaN and infinity make a transformer return nil. In a colour, such a value is clamped instead.
    @Test(arguments: [CGFloat.nan, .infinity, -.infinity]) func invalidTransformerNumbersReturnNil(_ value: CGFloat)
        throws
    {
        let image = try TestImages.solid(width: 4, height: 4)
        for transformer in try Self.transformers(value)
        where !(transformer is ImageFlippingTransformer || transformer is ImageTintTransformer) {
            // An unlimited radius is limited by the picture.
            if value == .infinity, (transformer as? ImageRoundCornerTransformer)?.borderWidth.isFinite == true {
                continue
            }
            let filter = (transformer as? ImageFilterTransformer)?.filter.filterKey ?? ""
            // Skip the inversion, which has no number. Skip the monochrome filter at full intensity, because its only
            // other numbers are in its colour.
            guard filter != ColorFilter.invert.filterKey, !filter.hasSuffix(",1)") else { continue }
            #expect(transformer.transformedImage(with: image, forKey: "k") == nil, "\(transformer.transformerKey)")
        }
    }

    @Test(arguments: numbers) func everyPositionReturnsAColourOrNil(_ value: CGFloat) throws {
        let image = try TestImages.solid(width: 4, height: 4)
        let isInside = value >= 0 && value < 4
        #expect((image.color(at: CGPoint(x: value, y: 0)) != nil) == isInside)
        #expect((image.color(at: CGPoint(x: 0, y: value)) != nil) == isInside)
        let isSide = value >= 1 && value <= 4
        #expect((image.colors(with: CGRect(x: 0, y: 0, width: value, height: 1)) != nil) == isSide)
        #expect((image.colors(with: CGRect(x: 0, y: 0, width: 1, height: value)) != nil) == isSide)
    }

    @Test(arguments: [(1, 1), (1, 10_000), (10_000, 1)]) func hashesEncodeEverySize(_ size: (Int, Int)) throws {
        let image = try TestImages.solid(width: size.0, height: size.1, alpha: 200)
        #expect(image.blurHash() != nil && image.thumbHash() != nil && image.averageColor() != nil)
        for waves in [Int.min, -1, 0, 10, .max] {
            #expect(image.blurHash(horizontalComponents: waves, verticalComponents: 3) == nil)
            #expect(image.blurHash(horizontalComponents: 3, verticalComponents: waves) == nil)
        }
    }

    /// A decoder process that was taken over can send any bytes: colours above their alpha, which no decoder writes, NaN
    /// and infinity. No transformer, hash or encoder may trap.
    @Test(arguments: PixelFormat.allCases, [false, true])
    func pixelsThatNoDecoderWritesNeverTrap(_ format: PixelFormat, claimsAlpha: Bool) throws {
        var random = SeededRandom.printingSeed()
        let extremes: [UInt16] = [0x7E00, 0x7C00, 0xFC00, 0xFFFF, 0x0001, 0x8000, 0x00FF, 0xFF00, 0]
        let transformers = try Self.transformers(1) + Self.transformers(0.5)
        for round in 0..<4 {
            let pixels = try PixelBuffer(width: 17, height: 9, format: format)
            pixels.withUnsafeMutableBytes { bytes in
                for start in stride(from: 0, to: bytes.count, by: 2) {
                    let value =
                        round == 0 ? .random(in: 0 ... .max, using: &random) : extremes.randomElement(using: &random)!
                    bytes.storeBytes(of: value, toByteOffset: start, as: UInt16.self)
                }
            }
            let image = Image(pixels: pixels, hasAlpha: claimsAlpha, format: .png)
            for transformer in transformers { _ = transformer.transformedImage(with: image, forKey: "k") }
            for target in PixelFormat.allCases { _ = try pixels.converted(to: target) }
            _ = (image.blurHash(), image.thumbHash(), image.averageColor(), image.color(at: .zero)?.hexString)
            for format in [ImageFormat.jpeg, .png, .gif, .webP, .bmp, .ico] {
                _ = try? ImageCodersManager.shared.encode(image, format: format, options: EncodingOptions())
            }
        }
    }

    @Test func imageWithoutPixelsCannotBeCreated() {
        for (width, height) in [(0, 0), (0, 5), (5, 0), (-1, 5)] {
            #expect(throws: WebImageError.self) {
                try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
            }
        }
    }

    @Test(arguments: PixelFormat.allCases) func everyLayoutKeepsScaleAndMetadata(_ format: PixelFormat) throws {
        let pixels = try TestImages.solid(width: 12, height: 8).pixels.converted(to: format)
        let image = Image(pixels: pixels, scale: 2, hasAlpha: false, format: .tiff)
        image.imageLoopCount = 7
        // Skip the last transformer, which is a pipeline. Its steps would crop this small image to an empty image.
        for transformer in try Self.transformers(2).dropLast() {
            let result = try #require(
                transformer.transformedImage(with: image, forKey: "k"), "\(transformer.transformerKey)")
            #expect(result.scale == 2)
            #expect(result.imageFormat == .tiff && result.imageLoopCount == 7)
        }
    }
}
