import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageSandbox
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Compares what every path makes of a file with the ideal picture: a floating-point Lanczos filter of the exact part of
/// the full decode. Content must be where it belongs, and no column or row may stand out.
@Suite(.timeLimit(minutes: 30))
struct IdealPictureTests {
    /// The ways from a file to a scaled picture.
    enum Path: String, CaseIterable, Sendable {
        case thumbnail, stretched, region, resized, filled, shrunkRows, fit, fill, crop, thumbor, shared, animation,
            preview, worker, watermark, trimmed
    }

    private static let isLong = ProcessInfo.processInfo.environment["WEBIMAGE_LONG"] != nil
    private static let coders = ImageCodersManager(
        coders: ImageCodersManager.shared.coders + [
            ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageJPEGXLCoder.shared, ImageTIFFCoder.shared,
        ])

    @Test(arguments: Path.allCases) func everyPathShowsTheIdealPicture(path: Path) throws {
        if path == .worker { WebImageSandbox.enableForTests() }
        var random = SeededRandom.printingSeed()
        for _ in 0..<(Self.isLong ? 250 : path == .shrunkRows ? 2 : 12) {
            var cases = IdealCases(coders: Self.coders, path: path, random: random)
            let (name, result, ideal) = try cases.next()
            random = cases.random
            guard result.size == ideal.size else {
                Issue.record("\(path) \(name): \(result.size) px, not \(ideal.size) px")
                continue
            }
            guard let fault = ideal.picture(.mirrored, .inResult).fault(of: result) else { continue }
            let isIdeal = [IdealPicture.Limits.inResult, .afterColumns, .afterRows].contains { limits in
                IdealPicture.Border.ofAllPaths(to: result.size).contains {
                    ideal.picture($0, limits).fault(of: result) == nil
                }
            }
            #expect(isIdeal, "\(path) \(name): \(fault)")
        }
    }
}

/// Makes random sources, lets one path scale them, and computes the ideal results.
private struct IdealCases {
    typealias Path = IdealPictureTests.Path

    let coders: ImageCodersManager
    let path: Path
    var random: SeededRandom
    private var name = ""
    /// The part of the source without its frame.
    private var frame: PixelRegion?

    init(coders: ImageCodersManager, path: Path, random: SeededRandom) {
        (self.coders, self.path, self.random) = (coders, path, random)
    }

    /// The result that a path must have. The size follows from the request alone.
    struct Ideal {
        let size: PixelSize
        let picture: (IdealPicture.Border, IdealPicture.Limits) -> IdealPicture
    }

    mutating func next() throws -> (name: String, result: IdealPicture, ideal: Ideal) {
        let size = sourceSize()
        let (format, hasAlpha) = format()
        let data = try file(size, format, hasAlpha)
        let full = try coders.decode(data, options: DecodingOptions())
        name += " \(full.pixelSize)"
        // A debug build does not use the loop for JPEG thumbnails otherwise. A release build uses it for 307,200 pixels or
        // more. In a smaller source the waves are finer than the loop's planes, which have 1.5 times the result's pixels.
        let usesLoop = format == .jpeg && min(size.width, size.height) >= 320 && Bool.random(using: &random)
        if usesLoop { name += " by the loop" }
        let made = try JPEGThumbnailLoop.$use.withValue(usesLoop ? .always(windowBytes: 65_536) : .never) {
            try scaled(data, full)
        }
        let reference = made.reference ?? full
        let source = IdealPicture(reference.pixels, hasAlpha: full.hasAlpha)
        let result = IdealPicture(made.image.pixels, hasAlpha: full.hasAlpha).overGrey
        let ideal = Ideal(size: made.size) {
            source.scaled(to: made.size, from: made.region, border: $0, limits: $1).overGrey
        }
        return (name + " to \(made.size) from \(made.region)", result, ideal)
    }

    // MARK: Sources

    private mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }
    private mutating func share(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }

    private mutating func sourceSize() -> PixelSize {
        if path == .shrunkRows { return PixelSize(width: number(3400...3700), height: number(2600...2800)) }
        // As many sizes from 40 to 80 px as from 500 to 1000 px.
        let width = Int(40 * pow(25, share(0...1)))
        let height = min(max(Int(Double(width) * share(0.5...1.6)) + number(-3...3), 40), 1000)
        return PixelSize(width: width, height: height)
    }

    private mutating func format() -> (ImageFormat, hasAlpha: Bool) {
        switch path {
        case .animation: return ([.png, .webP, .gif][number(0...2)], false)
        case .shrunkRows: return (.png, share(0...1) < 0.5)
        case .preview: return ([.jpeg, .jpeg, .png, .webP][number(0...3)], false)
        // In a lossy file, the waves reach into the frame.
        case .trimmed: return ([.png, .tiff, .bmp][number(0...2)], false)
        default:
            let format =
                share(0...1) < 0.4
                ? .jpeg : [ImageFormat.png, .webP, .avif, .heic, .jpegXL, .tiff, .gif, .bmp][number(0...7)]
            return (format, [.png, .webP].contains(format) && share(0...1) < 0.5)
        }
    }

    private mutating func file(_ size: PixelSize, _ format: ImageFormat, _ hasAlpha: Bool) throws -> Data {
        name = "\(format)\(hasAlpha ? " with alpha" : "")"
        var image = try IdealPicture.waves(width: size.width, height: size.height, hasAlpha: hasAlpha)
        if path == .trimmed { image = try framed(image) }
        var options = EncodingOptions()
        options.quality = format == .jpeg && share(0...1) < 0.6 ? 0.89 : 0.95
        options.progressive = share(0...1) < 0.3
        if path == .animation {
            return try coders.encode(frameCount: 2, loopCount: 0, format: format, options: options) {
                index throws(WebImageError) in
                guard index == 0 else { return ImageFrame(image: image, duration: 0.1) }
                let mirrored = image.flippedImage(withHorizontal: true, vertical: false)
                return ImageFrame(image: mirrored ?? image, duration: 0.1)
            }
        }
        let data = try coders.encode(image, format: format, options: options)
        guard format == .jpeg, share(0...1) < 0.5 else { return data }
        let orientation = UInt8(number(2...8))
        name += " orientation \(orientation)"
        return EXIFOrientation.marking(data, orientation) ?? data
    }

    /// Draws a black frame of random widths over the borders of a picture. The first pixel is black: its colour is trimmed.
    private mutating func framed(_ image: Image) throws -> Image {
        let (width, height) = (image.pixelSize.width, image.pixelSize.height)
        let (columns, rows) = (
            number(1...width / 4)..<width - number(0...width / 4),
            number(1...height / 4)..<height - number(0...height / 4)
        )
        frame = PixelRegion(
            left: Double(columns.lowerBound), top: Double(rows.lowerBound), width: Double(columns.count),
            height: Double(rows.count))
        let pixels = image.pixels
        return try Image.generated(width: width, height: height) { x, y in
            guard columns.contains(x), rows.contains(y) else { return (0, 0, 0, 255) }
            let pixel = (pixels.baseAddress + y * pixels.bytesPerRow + x * 4).assumingMemoryBound(to: UInt8.self)
            return (pixel[0], pixel[1], pixel[2], 255)
        }
    }

    // MARK: Paths

    private mutating func box(in size: PixelSize) -> PixelSize {
        let limit = Double(min(size.width, size.height))
        let side = max(Int(limit * share(0.1...0.9)), 16)
        return PixelSize(width: side, height: max(side + number(-8...8), 8))
    }

    /// A result, the size that it must have, the part of the upright picture that it must show, and the full decode if it is
    /// not the poster.
    private struct Made {
        var image: Image
        var size: PixelSize
        var region: PixelRegion
        var reference: Image?
    }

    /// The size of a part that fits into a box. The API rounds the free side up, as SDWebImage does; the service rounds it to
    /// the nearest pixel.
    private func fitted(_ width: Double, _ height: Double, in box: PixelSize, roundsUp: Bool) -> PixelSize {
        let rule: FloatingPointRoundingRule = roundsUp ? .up : .toNearestOrAwayFromZero
        var factor = min(Double(box.width) / width, Double(box.height) / height)
        // The service does not enlarge unless asked to.
        if !roundsUp { factor = min(factor, 1) }
        // The product can be a few billionths above a whole number.
        func side(_ side: Double) -> Int { max(Int((side * factor - (roundsUp ? 1e-7 : 0)).rounded(rule)), 1) }
        return PixelSize(width: side(width), height: side(height))
    }

    private mutating func scaled(_ data: Data, _ full: Image) throws -> Made {
        let size = full.pixelSize
        let whole = PixelRegion(size)
        var options = DecodingOptions()
        let box = box(in: size)
        func fitted(_ box: PixelSize) -> PixelSize {
            self.fitted(Double(size.width), Double(size.height), in: box, roundsUp: true)
        }
        options.thumbnailPixelSize = box
        switch path {
        case .thumbnail: return Made(image: try coders.decode(data, options: options), size: fitted(box), region: whole)
        case .shrunkRows:
            let box = PixelSize(width: number(200...600), height: number(200...600))
            options.thumbnailPixelSize = box
            return Made(image: try coders.decode(data, options: options), size: fitted(box), region: whole)
        case .stretched:
            options.preserveAspectRatio = false
            return Made(image: try coders.decode(data, options: options), size: box, region: whole)
        case .region, .worker:
            options.preserveAspectRatio = false
            var region = whole
            region.width *= share(0.3...1)
            region.height *= share(0.3...1)
            region.left = (Double(size.width) - region.width) * share(0...1)
            region.top = (Double(size.height) - region.height) * share(0...1)
            options.sourceRegion = region
            let used = path == .worker ? ImageCodersManager(coders: WebImageSandbox.isolated(coders.coders)) : coders
            let image = try used.decode(data, options: options)
            #expect(image.sourceRegion == region)
            return Made(image: image, size: box, region: region)
        case .resized, .filled:
            let mode = path == .filled ? ImageScaleMode.aspectFill : .fill
            let points = CGSize(width: box.width, height: box.height)
            let image = try #require(full.resizedImage(with: points, scaleMode: mode))
            return Made(image: image, size: box, region: path == .filled ? centre(of: size, for: box) : whole)
        case .preview:
            let coder = try #require(coders.makeIncrementalCoder(for: data, options: options))
            let stream = try #require(coder as? any StreamingImageCoder)
            for start in stride(from: 0, to: data.count, by: 2000) {
                let end = min(start + 2000, data.count)
                try stream.append(data[data.startIndex + start..<data.startIndex + end], finished: end == data.count)
                // A preview must not disturb the following one.
                _ = stream.incrementalImage(options: nil)
            }
            let image = try #require(stream.incrementalImage(options: nil))
            return Made(image: image, size: fitted(box), region: whole)
        case .animation:
            let small = try #require(try coders.animation(of: data, options: options))
            let large = try #require(try coders.animation(of: data, options: DecodingOptions()))
            let frame = number(0...1)
            return Made(
                image: try #require(small.animatedImageFrame(at: frame)), size: fitted(box), region: whole,
                reference: large.animatedImageFrame(at: frame))
        case .watermark: return try drawnAsWatermark(full, on: box)
        case .fit, .fill, .crop, .thumbor, .shared, .trimmed: return try served(data, full, box)
        }
    }

    /// Draws a mark on grey: the whole mark, or the part that is on the picture.
    private mutating func drawnAsWatermark(_ mark: Image, on size: PixelSize) throws -> Made {
        let place = ["ce", "nowe", "soea", "no", "we"][number(0...4)]
        let (x, y, scale) = (number(-20...20), number(-20...20), share(0.3...5))
        let watermark = try #require(PictureFixtures.options("wm:1:\(place):\(x):\(y):\(scale)").watermark)
        let grey = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        grey.withUnsafeMutableBytes { $0.bindMemory(to: UInt32.self).initialize(repeating: 0xff80_8080) }
        let drawn = try WatermarkDrawing(mark: mark, opacity: 1).drawn(
            on: Image(pixels: grey, hasAlpha: false), watermark, dpr: 1)
        let whole = WatermarkDrawing.size(of: mark.pixelSize, watermark, on: size)
        let start = Geometry.place(whole, in: size, watermark.gravity, mayOverhang: true)
        let (left, top) = (max(start.x, 0), max(start.y, 0))
        let part = PixelSize(
            width: min(start.x + whole.width, size.width) - left,
            height: min(start.y + whole.height, size.height) - top)
        let region = PixelRegion(
            left: Double(left - start.x), top: Double(top - start.y), width: Double(part.width),
            height: Double(part.height)
        ).scaled(
            x: Double(mark.pixelSize.width) / Double(whole.width),
            y: Double(mark.pixelSize.height) / Double(whole.height))
        name += " as a mark of \(whole) at \(start.x), \(start.y)"
        let shown = try PixelCanvas.cropped(drawn, to: part, at: PixelPlace(x: left, y: top))
        return Made(image: shown, size: part, region: region)
    }

    /// The centred part of a picture that fills a box.
    private func centre(of size: PixelSize, for box: PixelSize) -> PixelRegion {
        let (width, height) = (Double(size.width), Double(size.height))
        let factor = max(Double(box.width) / width, Double(box.height) / height)
        let (partWidth, partHeight) = (Double(box.width) / factor, Double(box.height) / factor)
        return PixelRegion(
            left: (width - partWidth) / 2, top: (height - partHeight) / 2, width: partWidth, height: partHeight)
    }

    private mutating func served(_ data: Data, _ full: Image, _ box: PixelSize) throws -> Made {
        let size = full.pixelSize
        let (width, height) = (Double(size.width), Double(size.height))
        var options: ProcessingOptions
        var region = PixelRegion(size)
        var wanted = box
        var trimmed: Image?
        switch path {
        case .fill:
            let gravity = ["ce", "no", "soea", "we", "fp:0.3:0.8"][number(0...4)]
            var box = box
            if share(0...1) < 0.1 { box.height = size.height + number(0...20) }
            options = try PictureFixtures.options("rs:fill:\(box.width):\(box.height)/g:\(gravity)")
            // As in imgproxy, the scaled picture has whole pixels, and the part begins at a whole pixel of it.
            // A box higher than the source does not enlarge it.
            let factor = min(max(Double(box.width) / width, Double(box.height) / height), 1)
            let (wide, high) = ((width * factor).rounded(), (height * factor).rounded())
            wanted = PixelSize(width: min(box.width, Int(wide)), height: min(box.height, Int(high)))
            func place(_ whole: Double, _ part: Int, first: String, last: String, focus: Double) -> Double {
                let room = whole - Double(part)
                if gravity.hasPrefix("fp") {
                    let start = (whole * focus).rounded(.toNearestOrEven) - Double(part / 2)
                    return min(max(start, 0), room)
                }
                if gravity.contains(first) { return 0 }
                return gravity.contains(last) ? room : min(((room + 1) / 2).rounded(.toNearestOrEven), room)
            }
            let left = place(wide, wanted.width, first: "we", last: "ea", focus: 0.3)
            let top = place(high, wanted.height, first: "no", last: "so", focus: 0.8)
            region = PixelRegion(left: left, top: top, width: Double(wanted.width), height: Double(wanted.height))
                .scaled(x: width / wide, y: height / high)
            name += " g:\(gravity)"
        case .crop:
            let part = PixelSize(
                width: number(size.width / 3...size.width), height: number(size.height / 3...size.height))
            let (left, top) = (number(0...size.width - part.width), number(0...size.height - part.height))
            let side = max(min(part.width, part.height) * number(15...90) / 100, 8)
            options = try PictureFixtures.options(
                "c:\(part.width):\(part.height):nowe:\(left):\(top)/rs:fit:\(side):\(side)")
            region = PixelRegion(
                left: Double(left), top: Double(top), width: Double(part.width), height: Double(part.height))
            wanted = fitted(region.width, region.height, in: PixelSize(width: side, height: side), roundsUp: false)
        case .trimmed:
            let (inner, side) = (try #require(frame), max(min(box.width, box.height) * 2 / 3, 8))
            options = try PictureFixtures.options("t:10/rs:fit:\(side):\(side)")
            wanted = fitted(inner.width, inner.height, in: PixelSize(width: side, height: side), roundsUp: false)
            // The result must not show the frame, so the filter must not read it.
            let part = PixelSize(width: Int(inner.width), height: Int(inner.height))
            trimmed = try PixelCanvas.cropped(full, to: part, at: PixelPlace(x: Int(inner.left), y: Int(inner.top)))
            region = PixelRegion(part)
        case .thumbor:
            options = ProcessingOptions()
            (options.resizing, options.enlarge, options.cutsExactly) = (.fill, true, true)
            (options.width, options.height) = (box.width, box.height)
            region = centre(of: size, for: box)
        default:
            options = try PictureFixtures.options("w:\(box.width)")
            wanted.height = max(Int((height * Double(box.width) / width).rounded()), 1)
        }
        options.format = .png
        let renderer = ResultRenderer(options: options, coders: coders)
        var sharing: ResultRenderer.Sharing?
        let decodes = SharedDecodes()
        var waiting: SharedDecodes.Job?
        if path == .shared {
            // Another job of the source needs a size of its own.
            let other = ResultRenderer(
                options: try PictureFixtures.options("w:\(max(box.width * 2 / 3, 8))"), coders: coders)
            waiting = decodes.begin("a") { other.decodeKey(for: $0) }
            sharing = .init(job: decodes.begin("a") { renderer.decodeKey(for: $0) }, version: "1")
        }
        let made = try renderer.make(from: data, sharing: sharing, budget: WorkBudget(time: nil))
        withExtendedLifetime(waiting) {}
        let image = try coders.decode(made.data, options: DecodingOptions())
        return Made(image: image, size: wanted, region: region, reference: trimmed)
    }
}
