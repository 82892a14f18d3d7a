import Foundation
import Harness
import WebImage

/// Measures our operations without peers. `./run debug-build` makes this measurement in a debug build and in a release
/// build, and compares the times.
///
/// Each printed line contains the operation, the largest allowed ratio, and the median time in milliseconds in this
/// build. The ratio is the time of the debug build divided by the time of the release build.
enum OwnTimes {
    static func run(_ folder: URL, rounds: Int) throws {
        for (name, limit, job) in try codecs(folder) + transforms(folder) {
            var times: [Double] = []
            for round in 0..<rounds + 2 {
                let time = try ContinuousClock().measure { try job() }
                if round >= 2 { times.append(time.milliseconds) }
            }
            print("\(name)\t\(limit)\t\(String(format: "%.3f", times.sorted()[rounds / 2]))")
        }
    }

    private typealias Job = (name: String, limit: Double, run: () throws -> Void)

    private static func codecs(_ folder: URL) throws -> [Job] {
        let photo = try Data(contentsOf: folder.appendingPathComponent("photo.jpg"))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 256, height: 256)
        let small = options
        return [
            ("decode", 1.3, { _ = try ImageCodersManager.shared.decode(photo, options: DecodingOptions()) }),
            ("thumbnail", 1.3, { _ = try ImageCodersManager.shared.decode(photo, options: small) }),
        ]
    }

    /// Returns one job for each transformer and for each filter. Every job uses an image of 1 MP.
    private static func transforms(_ folder: URL) throws -> [Job] {
        let file = try Data(contentsOf: folder.appendingPathComponent("photo-1000x1000.jpg"))
        let image = try ImageCodersManager.shared.decode(file, options: DecodingOptions())
        guard let mark = image.resizedImage(with: CGSize(width: 200, height: 200), scaleMode: .fill),
            let colors = ColorFilter.matrix([0, 0, 1, 0, 1, 0, 1, 0, 0]),
            let edges = NeighbourFilter.convolution([0, 1, 0, 1, -4, 1, 0, 1, 0])
        else { throw ScenarioError.peerFailed }
        let red = ImageColor(red: 0.8, green: 0.1, blue: 0.2)
        let (small, wide) = (CGSize(width: 300, height: 200), CGSize(width: 400, height: 800))
        let filters: [any ImageFilter] = [
            ColorFilter.invert, ColorFilter.exposure(stops: 1), ColorFilter.saturation(0.5), ColorFilter.contrast(1.2),
            ColorFilter.sepia(), ColorFilter.monochrome(red), colors, NeighbourFilter.sharpen(), edges,
            NeighbourFilter.pixellate(), NeighbourFilter.vignette(),
        ]
        let transformers: [(String, any ImageTransformer)] = [
            ("resize", ImageResizingTransformer(size: small, scaleMode: .fill)),
            ("resize to fill", ImageResizingTransformer(size: wide, scaleMode: .aspectFill)),
            ("resize to fit", ImageResizingTransformer(size: wide, scaleMode: .aspectFit)),
            ("crop", ImageCroppingTransformer(rect: CGRect(x: 100, y: 100, width: 800, height: 700))),
            ("flip", ImageFlippingTransformer(horizontal: true, vertical: false)),
            ("flip both ways", ImageFlippingTransformer(horizontal: true, vertical: true)),
            ("rotate 90", ImageRotationTransformer(angle: .pi / 2, fitSize: true)),
            ("rotate 30", ImageRotationTransformer(angle: .pi / 6, fitSize: true)),
            ("round", ImageRoundCornerTransformer(radius: 50, corners: .allCorners, borderWidth: 0, borderColor: nil)),
            (
                "round with border",
                ImageRoundCornerTransformer(radius: 50, corners: .allCorners, borderWidth: 8, borderColor: red)
            ),
            ("circle", ImageCircleTransformer()),
            ("tint", ImageTintTransformer(color: red)),
            ("tint, overlay", ImageTintTransformer(color: red, blendMode: .overlay)),
            ("tint, plus darker", ImageTintTransformer(color: red, blendMode: .plusDarker)),
            ("blur", ImageBlurTransformer(radius: 25)),
            ("letterbox", ImageLetterboxTransformer(size: wide)),
            ("gradient", ImageGradientTransformer(gradient: ImageGradient(colors: [.clear, red]))),
            ("watermark", ImageWatermarkTransformer(watermark: mark, identifier: "mark", opacity: 0.5)),
        ]
        let all = transformers + filters.map { ($0.filterKey, ImageFilterTransformer(filter: $0)) }
        return all.map { name, transformer in
            (
                name, 1.5,
                {
                    guard transformer.transformedImage(with: image, forKey: name) != nil else {
                        throw ScenarioError.peerFailed
                    }
                }
            )
        }
    }
}
