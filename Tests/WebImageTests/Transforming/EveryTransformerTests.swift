import Foundation
import Testing
import WebImage
import WebImageTesting

/// Every transformer on the smallest and thinnest pictures, and with numbers nobody should pass: a result or none,
/// never a trap.
@Suite(.timeLimit(.minutes(2)))
struct EveryTransformerTests {
    private static let numbers: [CGFloat] = [
        .nan, .infinity, -.infinity, -1, 0, 1, 0.5, 1e-300, 1e9, 1e300, -1e300, .greatestFiniteMagnitude,
    ]

    private static func transformers(_ value: CGFloat) -> [any ImageTransformer] {
        let gradient = ImageGradient(
            colors: [.white, .black], start: CGPoint(x: value, y: 0), end: CGPoint(x: 0, y: value))
        let mark = try? TestImages.solid(width: 3, height: 3)
        let geometry: [any ImageTransformer] = [
            ImageResizingTransformer(size: CGSize(width: value, height: 3), scaleMode: .fill),
            ImageResizingTransformer(size: CGSize(width: 3, height: value), scaleMode: .aspectFit),
            ImageResizingTransformer(size: CGSize(width: value, height: value), scaleMode: .aspectFill),
            ImageCroppingTransformer(rect: CGRect(x: value, y: 0, width: 2, height: 2)),
            ImageCroppingTransformer(rect: CGRect(x: 0, y: 0, width: value, height: value)),
            ImageRotationTransformer(angle: value, fitSize: true),
            ImageRotationTransformer(angle: value, fitSize: false),
            ImageRoundCornerTransformer(radius: value, corners: .allCorners, borderWidth: 0, borderColor: nil),
            ImageRoundCornerTransformer(radius: 1, corners: .topLeft, borderWidth: value, borderColor: .black),
            ImageFlippingTransformer(horizontal: true, vertical: value > 0),
            ImageCircleTransformer(borderWidth: value, borderColor: .white),
            ImageSmartFillTransformer(size: CGSize(width: value, height: 5)),
        ]
        let colors: [any ImageTransformer] = [
            ImageBlurTransformer(radius: value),
            ImageTintTransformer(color: ImageColor(red: Double(value), green: 0, blue: 1, alpha: 0.5)),
            ImageGradientTransformer(gradient: gradient),
            ImageFilterTransformer(filter: ColorFilter.exposure(stops: Double(value))),
            ImageFilterTransformer(filter: ColorFilter.contrast(Double(value))),
            ImageFilterTransformer(filter: ColorFilter.saturation(Double(value))),
            ImageFilterTransformer(filter: ColorFilter.sepia(intensity: Double(value))),
            ImageFilterTransformer(filter: NeighbourFilter.sharpen(Double(value))),
            ImageFilterTransformer(filter: NeighbourFilter.vignette(intensity: Double(value))),
            ImageFilterTransformer(filter: NeighbourFilter.pixellate(points: Double(value))),
        ]
        let marks = mark.map { mark -> [any ImageTransformer] in
            [
                ImageWatermarkTransformer(watermark: mark, identifier: "m", margin: value),
                ImageWatermarkTransformer(watermark: mark, identifier: "m", opacity: Double(value)),
            ]
        }
        let all = geometry + colors + (marks ?? [])
        return all + [ImagePipelineTransformer(transformers: all)]
    }

    @Test(arguments: [(1, 1), (1, 10_000), (10_000, 1), (2, 3)], numbers)
    func anyNumberGivesAPictureOrNone(_ size: (Int, Int), _ value: CGFloat) throws {
        let image = try TestImages.solid(width: size.0, height: size.1, alpha: 200)
        for transformer in Self.transformers(value) {
            let result = transformer.transformedImage(with: image, forKey: "k")
            #expect(result.map { $0.pixels.width > 0 && $0.pixels.height > 0 } ?? true)
            #expect(!transformer.transformerKey.isEmpty)
        }
    }

    @Test func whatCannotBeMeantGivesNone() throws {
        let image = try TestImages.solid(width: 4, height: 4)
        for value in [CGFloat.nan, .infinity, -.infinity] {
            // A flip has no number, colours and stops are clamped.
            for transformer in Self.transformers(value)
            where !(transformer is ImageFlippingTransformer || transformer is ImageTintTransformer) {
                let isClamped =
                    (transformer as? ImageFilterTransformer)?.filter.filterKey.hasPrefix("CIExposure") ?? false
                guard !isClamped else { continue }
                #expect(transformer.transformedImage(with: image, forKey: "k") == nil, "\(transformer.transformerKey)")
            }
        }
    }

    @Test func aPictureWithoutPixelsCannotBeMade() {
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
        // Not the pipeline: its parts leave nothing of so small a picture.
        for transformer in Self.transformers(2).dropLast() {
            let result = try #require(
                transformer.transformedImage(with: image, forKey: "k"), "\(transformer.transformerKey)")
            #expect(result.scale == 2)
            #expect(result.imageFormat == .tiff && result.imageLoopCount == 7)
        }
    }
}
