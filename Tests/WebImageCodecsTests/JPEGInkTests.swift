import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Thumbnails of files of CMYK and YCCK that the loop decodes.
@Suite(.timeLimit(minutes: 5))
struct JPEGInkTests {
    static let colors = [WEBIMAGE_JPEG_SAMPLE_CMYK, WEBIMAGE_JPEG_SAMPLE_YCCK]

    /// `factor` is the ratio of the resolutions of the first component and black to that of the others.
    private func sample(_ color: Int, factor: UInt8, _ random: inout SeededRandom) -> webimage_jpeg_sample {
        var sample = ThumbnailSample.plain(.random(in: 90...400, using: &random), .random(in: 90...400, using: &random))
        sample.color = Int32(color)
        sample.kind = Int32([0, 1, 2, 3].randomElement(using: &random) ?? 0)
        // Planes of noise have samples below black and above white.
        let contents = [WEBIMAGE_JPEG_SAMPLE_SMOOTH, WEBIMAGE_JPEG_SAMPLE_NOISE, WEBIMAGE_JPEG_SAMPLE_STRIPES]
        sample.content = Int32(contents.randomElement(using: &random) ?? 0)
        (sample.horizontal, sample.vertical) = ((factor, 1, 1, factor), (factor, 1, 1, factor))
        sample.seed = random.next()
        return sample
    }

    /// The planes of the inks in real numbers, all with `side` samples for eight pixels.
    private func inks(
        _ file: Data, _ sample: webimage_jpeg_sample, side: Int
    ) throws -> (size: (width: Int, height: Int), planes: [[Float]]) {
        let factor = Int(sample.horizontal.0)
        let components = try (1...4).map { component in
            try #require(
                PlaneSample.expected(
                    file, component: component, side: component == 2 || component == 3 ? side * factor : side))
        }
        var planes = components.map(\.samples)
        if sample.color == WEBIMAGE_JPEG_SAMPLE_YCCK {
            for index in planes[0].indices {
                let y: Float = 255 - planes[0][index]
                let (cb, cr): (Float, Float) = (planes[1][index] - 128, planes[2][index] - 128)
                planes[0][index] = y - 1.402 * cr
                planes[1][index] = y + 0.344136 * cb + 0.714136 * cr
                planes[2][index] = y - 1.772 * cb
            }
            for index in 0..<3 { planes[index] = planes[index].map { (value: Float) in min(max(value, -128), 383) } }
        }
        return (components[0].size, planes)
    }

    /// If both factors are below black, the product is black.
    private func product(_ ink: Float, _ black: Float) -> Float {
        let isBelow = ink < 0 && black < 0
        return isBelow ? 0 : max(-128, min(ink * black / 255, 383))
    }

    @Test(arguments: colors, [1, 2] as [UInt8])
    func unscaledInksAreThoseOfTheLowCoefficients(color: Int, factor: UInt8) throws {
        var random = SeededRandom.printingSeed()
        for turn in 0..<8 {
            let sample = sample(color, factor: factor, &random)
            let file = try #require(ThumbnailSample.file(sample))
            let side = factor == 2 ? 2 + turn % 2 * 2 : 2 + turn % 3
            let (size, planes) = try inks(file, sample, side: side)
            for isPortable in [false, true] {
                let result = PlaneSample.decode(
                    file, to: size, index: ThumbnailSample.inkIndex, side: side, isPortable: isPortable)
                #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
                for channel in 0..<4 {
                    let errors: [Float] = planes[channel].indices.map { place in
                        let expected: Float = min(max(planes[channel][place], 0), 255)
                        return abs(Float(result.pixels[place * 4 + channel]) - expected)
                    }
                    let worst = errors.max()
                    // The conversion of YCCK rounds to an eighth of a level.
                    #expect(try #require(worst) < 1.2, "\(sample), side \(side), channel \(channel)")
                }
            }
        }
    }

    /// A colour is the product of ink and black in the plane. The mean of the products is not the product of the means: stripes
    /// that all four components share would be too dark.
    @Test(arguments: colors, [1, 2] as [UInt8])
    func inksAreMultipliedBeforeTheyAreScaled(color: Int, factor: UInt8) throws {
        var random = SeededRandom.printingSeed()
        for turn in 0..<8 {
            let sample = sample(color, factor: factor, &random)
            let file = try #require(ThumbnailSample.file(sample))
            let side = factor == 2 ? 2 + turn % 2 * 2 : 2 + turn % 3
            let (size, planes) = try inks(file, sample, side: side)
            let products: [[Float]] = (0..<3).map { channel in
                planes[channel].indices.map { product(planes[channel][$0], planes[3][$0]) }
            }
            let (wide, high) = (Double(sample.width), Double(sample.height))
            let region = PixelRegion(
                left: .random(in: 0...wide / 3, using: &random), top: .random(in: 0...high / 3, using: &random),
                width: .random(in: wide / 3...wide * 2 / 3, using: &random),
                height: .random(in: high / 3...high * 2 / 3, using: &random))
            let target = PixelSize(
                width: .random(in: 5...60, using: &random), height: .random(in: 5...60, using: &random))
            let ideal = IdealPicture(width: size.width, height: size.height, planes: products).scaled(
                to: target, from: region.scaled(x: Double(side) / 8, y: Double(side) / 8))
            for isPortable in [false, true] {
                for (index, order) in [(1, [0, 1, 2]), (2, [0, 1, 2]), (3, [2, 1, 0])] {
                    let result = PlaneSample.decode(
                        file, to: (target.width, target.height), index: index, region: region, side: side,
                        isPortable: isPortable)
                    #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
                    let step = index == 1 ? 3 : 4
                    for (place, channel) in order.enumerated() {
                        let values = Swift.stride(from: place, to: result.pixels.count, by: step).map {
                            Float(result.pixels[$0])
                        }
                        let errors: [Float] = values.indices.map { abs(values[$0] - ideal.planes[channel][$0]) }
                        let worst = errors.max() ?? 0
                        #expect(worst < 1.6, "\(sample), \(region) to \(target), channel \(channel)")
                    }
                    guard step == 4 else { continue }
                    let alphas = Swift.stride(from: 3, to: result.pixels.count, by: 4).map { result.pixels[$0] }
                    #expect(alphas.allSatisfy { $0 == 255 })
                }
            }
        }
    }

    /// With a profile, colours are made of the plane, which is scaled after it; without one, the loop does both.
    @Test(arguments: colors, [false, true])
    func thumbnailsAreCloseToThoseOfTheCompleteDecode(color: Int, hasProfile: Bool) throws {
        for factor in [1, 2] as [UInt8] {
            var sample = ThumbnailSample.plain(901, 655)
            sample.color = Int32(color)
            (sample.horizontal, sample.vertical) = ((factor, 1, 1, factor), (factor, 1, 1, factor))
            var plain = try #require(ThumbnailSample.file(sample))
            if hasProfile {
                let segment = Data("ICC_PROFILE\0".utf8) + Data([1, 1]) + ICCSample.linearInk
                plain = JPEGSample.inserting(0xe2, segment, into: plain)
            }
            for orientation in [ImageOrientation.up, .rightMirrored] {
                let file = JPEGSample.inserting(0xe1, JPEGSample.exif(orientation), into: plain)
                var options = DecodingOptions()
                let full = try JPEGThumbnailLoop.$use.withValue(.never) {
                    IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
                }
                for side in JPEGThumbnailLoop.isVectorized ? [300, 135, 64] : [64] {
                    options.thumbnailPixelSize = PixelSize(width: side, height: side)
                    let image = try JPEGThumbnailLoop.$use.withValue(.always(windowBytes: 4096, isRequired: true)) {
                        try ImageJPEGCoder.shared.decode(file, options: options)
                    }
                    #expect(image.colorProfile == nil)
                    let result = IdealPicture(image.pixels, hasAlpha: false)
                    let ideal = full.scaled(to: image.pixelSize)
                    #expect(result.psnr(against: ideal) > 41, "\(factor) \(side)")
                    #expect(result.worstLine(against: ideal) < 3, "\(factor) \(side)")
                }
            }
        }
    }

    @Test func sizeDecidesTheSamplesOfABlock() {
        func samples(_ width: Int, hasSmallPlanes: Bool = false, isVectorized: Bool = true) -> Int? {
            JPEGThumbnailLoop.inkSamples(
                from: PixelRegion(PixelSize(width: 2800, height: 1400)), to: PixelSize(width: width, height: width / 2),
                hasSmallPlanes: hasSmallPlanes, isVectorized: isVectorized)
        }
        #expect(samples(934) == nil)
        #expect(samples(932) == 4)
        #expect(samples(352) == 4)
        #expect(samples(350) == 3)
        #expect(samples(202) == 3)
        #expect(samples(200) == 2)
        #expect(samples(468, hasSmallPlanes: true) == nil)
        #expect(samples(466, hasSmallPlanes: true) == 4)
        #expect(samples(202, hasSmallPlanes: true) == 4)
        #expect(samples(200, hasSmallPlanes: true) == 2)
        #expect(samples(202, isVectorized: false) == nil)
        #expect(samples(200, isVectorized: false) == 2)
        #expect(samples(0) == nil)
    }

    @Test func reasonsToPassAFileOn() throws {
        var sample = ThumbnailSample.plain(640, 480)
        func status(_ size: (Int, Int) = (80, 60), index: Int = 2, side: Int = 2) throws -> ThumbnailSample.Status {
            PlaneSample.decode(try #require(ThumbnailSample.file(sample)), to: size, index: index, side: side).status
        }
        let ink = ThumbnailSample.inkIndex
        // A file of other colours has no inks.
        #expect(try status((160, 120), index: ink) == WEBIMAGE_JPEG_THUMBNAIL_COLOR)
        sample.color = Int32(WEBIMAGE_JPEG_SAMPLE_YCCK)
        sample.horizontal.3 = 2
        sample.vertical.3 = 2
        #expect(try status() == WEBIMAGE_JPEG_THUMBNAIL_OK)
        #expect(try status((160, 120), index: ink) == WEBIMAGE_JPEG_THUMBNAIL_OK)
        #expect(try status(index: 0) == WEBIMAGE_JPEG_THUMBNAIL_COLOR)
        // The plane is not scaled.
        #expect(try status((160, 119), index: ink) == WEBIMAGE_JPEG_THUMBNAIL_MARKER)
        // The planes of chroma would need six samples in a row of a block.
        #expect(try status(side: 3) == WEBIMAGE_JPEG_THUMBNAIL_SAMPLING)
        // The planes would have different resolutions.
        (sample.vertical.0, sample.vertical.3) = (1, 1)
        #expect(try status() == WEBIMAGE_JPEG_THUMBNAIL_SAMPLING)
    }

    /// The marker of Adobe decides, as in libjpeg-turbo: without one, and with the transform 0, four components are CMYK.
    @Test(arguments: [0, 1, 2, 3, nil] as [UInt8?])
    func theMarkerDecidesHowInksAreStored(transform: UInt8?) throws {
        var sample = ThumbnailSample.plain(640, 480)
        sample.color = Int32(WEBIMAGE_JPEG_SAMPLE_CMYK)
        sample.has_own_chroma = 1
        (sample.horizontal, sample.vertical) = ((1, 1, 1, 1), (1, 1, 1, 1))
        var file = try #require(ThumbnailSample.file(sample))
        let mark = try #require(file.range(of: Data([0xff, 0xee, 0, 14])))
        if let transform {
            file[mark.lowerBound + 15] = transform
        } else {
            file.removeSubrange(mark.lowerBound..<mark.lowerBound + 16)
        }
        let reference = ThumbnailSample.reference(file, bytes: 4)
        let result = ThumbnailSample.decode(file, size: reference.size, index: ThumbnailSample.inkIndex)
        #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK && result.pixels == reference.pixels)
        let (width, _, inks) = try #require(ThumbnailSample.complete(file, bytes: 4, allowsWarnings: true))
        let plane = PlaneSample.decode(file, to: (320, 240), index: ThumbnailSample.inkIndex, side: 4)
        #expect(plane.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        // The means of whole pictures are alike.
        for channel in 0..<4 {
            func mean(_ pixels: Data) -> Double {
                let values = Swift.stride(from: channel, to: pixels.count, by: 4).map { Double(pixels[$0]) }
                return values.reduce(0, +) / Double(values.count)
            }
            #expect(width == 640 && abs(mean(inks) - mean(plane.pixels)) < 1.5, "channel \(channel)")
        }
    }
}
