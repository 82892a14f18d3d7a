import CWebImageJPEGSamples
import CWebImageJPEGThumbnail
import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Thumbnails whose blocks have 2 x 2 to 4 x 4 samples, made of the low coefficients and scaled to the result's size.
@Suite(.timeLimit(minutes: 5))
struct JPEGPlaneTests {
    /// Compares a plane with real numbers from the coefficients of libjpeg-turbo, and the code for all processors with
    /// that for this one.
    private func comparePlane(
        of file: Data, component: Int, side: Int, windowBytes: Int, _ text: String
    ) -> ThumbnailSample.Status {
        let expected = PlaneSample.expected(file, component: component, side: side)
        func decode(isPortable: Bool) -> ThumbnailSample.Result {
            PlaneSample.decode(
                file, to: expected?.size ?? (1, 1), index: 0, side: side, component: component, isPortable: isPortable,
                windowBytes: windowBytes)
        }
        let (fast, portable) = (decode(isPortable: false), decode(isPortable: true))
        #expect(fast.status == portable.status && fast.pixels == portable.pixels, "\(text)")
        guard fast.status == WEBIMAGE_JPEG_THUMBNAIL_OK else { return fast.status }
        guard let expected else {
            Issue.record("libjpeg-turbo refuses the file: \(text)")
            return fast.status
        }
        // 2 x 2 samples are exact until they are rounded here. The others are computed with six bits behind the point.
        let allowed: Float = side == 2 ? 0.501 : 0.7
        let limited = expected.samples.map { $0.isNaN ? $0 : min(max($0, 0), 255) }
        let wrong = zip(fast.pixels, limited).contains { abs(Float($0) - $1) > allowed }
        #expect(!wrong, "\(text), side \(side), component \(component)")
        return fast.status
    }

    @Test(arguments: 0..<4) func planesAreTransformsOfTheLowCoefficients(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var statuses: [UInt32: Int] = [:]
        for _ in 0..<60 {
            let sample = ThumbnailSample.random(&random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            let status = comparePlane(
                of: file, component: .random(in: 1...ThumbnailSample.componentCount(of: sample), using: &random),
                side: PlaneSample.sides.randomElement(using: &random) ?? 2,
                windowBytes: [0, 4096, .random(in: 4096...9000, using: &random)].randomElement(using: &random) ?? 0,
                "\(sample)")
            statuses[status.rawValue, default: 0] += 1
        }
        let allowed = [WEBIMAGE_JPEG_THUMBNAIL_OK, WEBIMAGE_JPEG_THUMBNAIL_COLOR, WEBIMAGE_JPEG_THUMBNAIL_RANGE]
        #expect(Set(statuses.keys).isSubset(of: allowed.map(\.rawValue)))
        #expect(statuses[WEBIMAGE_JPEG_THUMBNAIL_OK.rawValue, default: 0] >= 25)
    }

    /// The bits that later scans of a progressive file add to luma are left out if the file is quantised finely. Chroma,
    /// and every other file, has all bits.
    @Test(arguments: 2...4) func furtherBitsAreLeftOutOnlyOfFineLuma(side: Int) throws {
        for quality in [30, 97] {
            var sample = ThumbnailSample.plain(300, 200)
            sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_PROGRESSIVE)
            sample.quality = Int32(quality)
            let file = try #require(ThumbnailSample.file(sample))
            for component in 1...3 {
                let size = try #require(PlaneSample.expected(file, component: component, side: side)).size
                let planes = [1, 0].map { isComplete in
                    PlaneSample.decode(
                        file, to: size, index: 0, side: side, component: component,
                        changePlanes: { $0.is_complete = isComplete })
                }
                #expect(planes.allSatisfy { $0.status == WEBIMAGE_JPEG_THUMBNAIL_OK })
                let isRough = quality == 97 && component == 1
                #expect((planes[0].pixels != planes[1].pixels) == isRough, "\(quality), component \(component)")
                let errors = zip(planes[0].pixels, planes[1].pixels).map { abs(Int($0) - Int($1)) }
                #expect(errors.max() ?? 0 <= 3, "\(quality), component \(component)")
            }
        }
    }

    /// The rest of a damaged file is decoded one symbol at a time, so that no work is lost.
    @Test(arguments: 0..<4) func damagedFilesHaveTheCoefficientsOfLibjpegTurbo(part: Int) throws {
        var random = SeededRandom.printingSeed()
        var accepted = 0
        for _ in 0..<30 {
            var sample = ThumbnailSample.random(&random)
            sample.kind = Int32(Int.random(in: 0...1, using: &random))
            sample.width = .random(in: 1...150, using: &random)
            sample.height = .random(in: 1...150, using: &random)
            guard let file = ThumbnailSample.file(sample) else { continue }
            for _ in 0..<30 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let range = Bool.random(using: &random) ? 2..<damaged.count : damaged.count / 2..<damaged.count
                    damaged[Int.random(in: range, using: &random)] = .random(in: 0...255, using: &random)
                }
                // Do not decode a picture whose damaged header declares millions of pixels.
                let size = ThumbnailSample.reference(Data(damaged.prefix(700)), bytes: 3).size
                guard size.width * size.height < 100_000 else { continue }
                let status = comparePlane(
                    of: damaged, component: .random(in: 1...3, using: &random),
                    side: PlaneSample.sides.randomElement(using: &random) ?? 2,
                    windowBytes: 4096, "\(sample)")
                accepted += status == WEBIMAGE_JPEG_THUMBNAIL_OK ? 1 : 0
            }
        }
        #expect(accepted > 20)
    }

    /// The last of 2 x 2 and of 3 x 3 coefficients is finer than a result with 2.5 or 2 times fewer samples than the plane.
    @Test(arguments: [0, 1]) func finestDetailIsReadOnlyForLargeResults(isPortable: Int) throws {
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(640, 480)))
        func steps(_ width: Int, side: Int) -> UInt64 {
            let result = PlaneSample.decode(
                file, to: (width, width * 3 / 4), side: side, chroma: 8, isPortable: isPortable == 1)
            #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
            return result.work.plane_steps
        }
        // Planes of luma with 160 and 240 samples in a row. Chroma, of which all is read, has a third of the blocks.
        #expect(steps(68, side: 2) == steps(80, side: 2))
        #expect(steps(60, side: 2) + 80 * 60 <= steps(68, side: 2))
        #expect(steps(128, side: 3) == steps(160, side: 3))
        #expect(steps(116, side: 3) < steps(128, side: 3))
    }

    /// Most of the samples of a photo at the highest quality are long symbols, which are not in the tables.
    @Test func longSymbolsAreDecodedOneByOne() throws {
        var sample = ThumbnailSample.plain(300, 200)
        sample.quality = 100
        sample.content = Int32(WEBIMAGE_JPEG_SAMPLE_NOISE)
        sample.has_long_codes = 1
        let file = try #require(ThumbnailSample.file(sample))
        for side in PlaneSample.sides {
            for component in 1...3 {
                let status = comparePlane(of: file, component: component, side: side, windowBytes: 0, "noise")
                #expect(status == WEBIMAGE_JPEG_THUMBNAIL_OK)
            }
        }
        let result = PlaneSample.decode(file, to: (75, 50), index: 0, side: 2, component: 1)
        #expect(result.work.slow_symbols > 100 && result.work.plane_steps > 0)
    }

    /// The result of each plane is that of a filter in real numbers over the plane, for any part of the picture.
    @Test func planesAreScaledFromTheirExactPart() throws {
        var random = SeededRandom.printingSeed()
        for color in [WEBIMAGE_JPEG_SAMPLE_YCC, WEBIMAGE_JPEG_SAMPLE_RGB, WEBIMAGE_JPEG_SAMPLE_GRAY] {
            for _ in 0..<6 {
                var sample = ThumbnailSample.plain(
                    .random(in: 90...400, using: &random), .random(in: 90...400, using: &random))
                sample.color = Int32(color)
                sample.has_own_chroma = color == WEBIMAGE_JPEG_SAMPLE_YCC ? 1 : 0
                // Planes of noise have samples below black and above white.
                let contents = [WEBIMAGE_JPEG_SAMPLE_SMOOTH, WEBIMAGE_JPEG_SAMPLE_NOISE]
                sample.content = Int32(contents.randomElement(using: &random) ?? 0)
                sample.seed = random.next()
                let file = try #require(ThumbnailSample.file(sample))
                let (wide, high) = (Double(sample.width), Double(sample.height))
                let region = PixelRegion(
                    left: .random(in: 0...wide / 3, using: &random), top: .random(in: 0...high / 3, using: &random),
                    width: .random(in: wide / 3...wide * 2 / 3, using: &random),
                    height: .random(in: high / 3...high * 2 / 3, using: &random))
                let side = PlaneSample.sides.randomElement(using: &random) ?? 2
                let chroma = PlaneSample.sides.randomElement(using: &random) ?? 2
                let target = (
                    width: Int.random(in: 5...60, using: &random), height: Int.random(in: 5...60, using: &random)
                )
                let ideal = try PlaneSample.ideal(
                    file, sample, region: region, side: side, chroma: chroma, to: target)
                for isPortable in [false, true] {
                    for (index, format) in [PixelFormat.gray8, .rgb8, .rgba8, .bgra8Premultiplied].enumerated() {
                        // libjpeg-turbo converts RGB to grey.
                        if format == .gray8, color == WEBIMAGE_JPEG_SAMPLE_RGB { continue }
                        let result = PlaneSample.decode(
                            file, to: target, index: index, region: region, side: side, chroma: chroma,
                            isPortable: isPortable)
                        #expect(result.status == WEBIMAGE_JPEG_THUMBNAIL_OK)
                        let order = index == 3 ? [2, 1, 0] : index == 0 ? [0] : [0, 1, 2]
                        for (place, channel) in order.enumerated() {
                            let step = format.bytesPerPixel
                            let values = Swift.stride(from: place, to: result.pixels.count, by: step).map {
                                Float(result.pixels[$0])
                            }
                            let expected = format == .gray8 ? ideal.gray : ideal.colors[channel]
                            let worst = zip(values, expected).map { abs($0 - $1) }.max() ?? 0
                            // Rounding of the weights and of the result; chroma counts up to 1.8 times.
                            #expect(worst < 1.5, "\(sample), \(region) to \(target), channel \(channel)")
                        }
                        if format.hasAlpha {
                            let alphas = Swift.stride(from: 3, to: result.pixels.count, by: 4).map { result.pixels[$0] }
                            #expect(alphas.allSatisfy { $0 == 255 })
                        }
                    }
                }
            }
        }
    }

    @Test func sizeDecidesTheSamplesOfABlock() {
        func samples(
            _ width: Int, _ height: Int, _ chroma: JPEGThumbnailLoop.Chroma = .fewer, isVectorized: Bool = true,
            from size: PixelSize = PixelSize(width: 2880, height: 1440)
        ) -> [Int]? {
            JPEGThumbnailLoop.samples(
                from: PixelRegion(size), to: PixelSize(width: width, height: height), chroma: chroma,
                isVectorized: isVectorized
            ).map { [$0.luma, $0.chroma] }
        }
        #expect(samples(1442, 721) == nil)
        #expect(samples(1440, 720) == [8, 8])
        #expect(samples(1440, 720, isVectorized: false) == nil)
        #expect(samples(970, 485, .asLuma) == [8, 8])
        #expect(samples(960, 480, .asLuma) == [4, 4])
        #expect(samples(618, 309, .none) == [4, 4])
        #expect(samples(617, 308, .asLuma) == [3, 3])
        #expect(samples(970, 485) == [8, 8])
        #expect(samples(960, 480) == [4, 8])
        #expect(samples(721, 361) == [4, 8])
        #expect(samples(720, 360) == [3, 8])
        #expect(samples(618, 309) == [3, 8])
        #expect(samples(617, 308) == [3, 4])
        #expect(samples(960, 480, isVectorized: false) == nil)
        #expect(samples(541, 270, isVectorized: false) == nil)
        #expect(samples(540, 270, isVectorized: false) == [3, 4])
        #expect(samples(540, 270) == [3, 4])
        #expect(samples(401, 200) == [3, 4])
        #expect(samples(400, 200) == [2, 4])
        #expect(samples(361, 180) == [2, 4])
        #expect(samples(360, 180) == [2, 3])
        #expect(samples(181, 90) == [2, 3])
        #expect(samples(180, 90) == [2, 2])
        #expect(samples(100, 50) == [2, 2])
        #expect(samples(144, 72, .none) == nil)
        // A small result has more detail in its colours.
        let part = PixelSize(width: 960, height: 720)
        #expect(samples(200, 150, from: part) == [4, 8])
        #expect(samples(200, 150, from: PixelSize(width: 840, height: 630)) == [4, 8])
        #expect(samples(201, 151, from: PixelSize(width: 840, height: 630)) == [3, 8])
        #expect(samples(201, 151, from: part) == [3, 4])
        #expect(samples(200, 150, .asLuma, from: part) == [3, 3])
        #expect(samples(180, 135, from: part) == [3, 4])
        // The side that is scaled least decides.
        #expect(samples(100, 485) == [8, 8])
        #expect(samples(0, 0) == nil)
    }

    /// A thumbnail is as good as one of the complete decode.
    @Test(arguments: [PixelFormat.rgba8, .bgra8Premultiplied, .gray8])
    func thumbnailsAreCloseToThoseOfTheCompleteDecode(format: PixelFormat) throws {
        // Channels that are alike: the complete decode limits bright colours before they are scaled.
        for (color, factors) in [(0, 2), (0, 1), (1, 1), (2, 1)] as [(Int32, UInt8)] {
            let needsVectors = factors == 2 && !JPEGThumbnailLoop.isVectorized
            let sides = (needsVectors ? [] : [420, 300, 221, 190]) + [168, 135, 128, 100, 45]
            var sample = ThumbnailSample.plain(901, 655)
            sample.color = color
            sample.horizontal.0 = factors
            sample.vertical.0 = factors
            let plain = try #require(ThumbnailSample.file(sample))
            for orientation in [ImageOrientation.up, .rightMirrored] {
                let file = JPEGSample.inserting(0xe1, JPEGSample.exif(orientation), into: plain)
                var options = DecodingOptions()
                options.pixelFormat = format
                let full = try JPEGThumbnailLoop.$use.withValue(.never) {
                    IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
                }
                // libjpeg-turbo converts RGB to grey.
                for side in sides where color != 1 || format != .gray8 {
                    options.thumbnailPixelSize = PixelSize(width: side, height: side)
                    let image = try JPEGThumbnailLoop.$use.withValue(.always(windowBytes: 4096, isRequired: true)) {
                        try ImageJPEGCoder.shared.decode(file, options: options)
                    }
                    let result = IdealPicture(image.pixels, hasAlpha: false)
                    let ideal = full.scaled(to: image.pixelSize)
                    #expect(result.psnr(against: ideal) > 41, "\(color) \(factors) \(side)")
                    #expect(result.worstLine(against: ideal) < 3, "\(color) \(factors) \(side)")
                }
            }
        }
    }

    /// The loop continues a picture behind its border as zimg does, which scales what libjpeg-turbo and the other coders decode. So
    /// the outermost pixels do not depend on the way of a picture.
    @Test(arguments: [1, 2] as [Int32]) func bordersAreThoseOfTheCompleteDecode(factor: Int32) throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<4 {
            let size = PixelSize(
                width: .random(in: 700...900, using: &random), height: .random(in: 560...700, using: &random))
            let phase = Double.random(in: 0...6, using: &random)
            let image = try Image.generated(width: size.width, height: size.height) { x, y in
                let (across, down) = (Double(x) / Double(size.width), Double(y) / Double(size.height))
                let level = UInt8(128 + 60 * sin(70 * across + phase) + 60 * sin(60 * down + 2 * phase))
                return (level, level, level, 255)
            }
            var encoding = EncodingOptions()
            encoding.quality = 0.95
            encoding.halvesChroma = factor == 2
            let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
            for side in [226, 156, 125, 70, 40] where side < 132 || JPEGThumbnailLoop.isVectorized {
                var options = DecodingOptions()
                options.thumbnailPixelSize = PixelSize(width: side, height: side)
                let uses: [JPEGThumbnailLoop.Use] = [.never, .always(windowBytes: 0, isRequired: true)]
                let thumbnails = try uses.map { use in
                    try JPEGThumbnailLoop.$use.withValue(use) {
                        IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
                    }
                }
                // Samples that are left out instead differ by up to 8.
                for line in thumbnails[0].outermostLines(against: thumbnails[1]) {
                    #expect(line < 3.5, "\(size) to \(side) px differ by \(line)")
                }
            }
        }
    }

    /// A complete decode rounds blocks without details, and what chroma adds to a colour. A smooth part of a picture has the same
    /// colour at every size.
    @Test func oneColorIsThatOfTheCompleteDecode() throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<25 {
            func level() -> UInt8 { .random(in: 0...255, using: &random) }
            let color = (level(), level(), level(), 255 as UInt8)
            let image = try Image.generated(width: 700, height: 525) { _, _ in color }
            var encoding = EncodingOptions()
            encoding.quality = .random(in: 0.4...0.98, using: &random)
            let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
            var options = DecodingOptions()
            func colors(_ use: JPEGThumbnailLoop.Use) throws -> Set<UInt32> {
                let pixels = try JPEGThumbnailLoop.$use.withValue(use) {
                    try ImageJPEGCoder.shared.decode(file, options: options).pixels
                }
                return pixels.withUnsafeBytes { bytes in
                    Set(
                        (0..<pixels.height).flatMap { y in
                            (0..<pixels.width).map { x in
                                bytes.loadUnaligned(fromByteOffset: y * pixels.bytesPerRow + x * 4, as: UInt32.self)
                            }
                        })
                }
            }
            let full = try colors(.never)
            for side in [226, 156, 125, 70, 40] where side < 132 || JPEGThumbnailLoop.isVectorized {
                options.thumbnailPixelSize = PixelSize(width: side, height: side)
                #expect(try colors(.always(windowBytes: 0, isRequired: true)) == full, "\(color) to \(side) px")
            }
        }
    }

    /// Waves of three pixels of the result have their full contrast, from planes of libjpeg-turbo and of the loop. A plane that
    /// is only as large as the result loses 5 % of it or more, and one of means that are not sharpened 3 %.
    @Test(arguments: [JPEGThumbnailLoop.Use.never, .always(windowBytes: 4096)])
    func fineDetailKeepsItsContrast(use: JPEGThumbnailLoop.Use) throws {
        var random = SeededRandom.printingSeed()
        for _ in 0..<8 {
            let (side, ratio) = (Int.random(in: 50...80, using: &random), Double.random(in: 2.1...9, using: &random))
            let width = Int(Double(side) * ratio)
            func waves(_ length: Double) -> [Double] {
                (0..<width).map { 42 * sin(2 * .pi * Double($0) / (length * ratio)) }
            }
            let (columns, rows) = (waves(3), waves(3.3))
            let image = try Image.generated(width: width, height: width * 4 / 5) { x, y in
                let value = UInt8((128 + columns[x] + rows[y]).rounded())
                return (value, value, value, 255)
            }
            var options = EncodingOptions()
            options.quality = 0.89
            let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: options)
            var decoding = DecodingOptions()
            let full = IdealPicture(try ImageJPEGCoder.shared.decode(file, options: decoding).pixels, hasAlpha: false)
            decoding.thumbnailPixelSize = PixelSize(width: side, height: side)
            let small = try JPEGThumbnailLoop.$use.withValue(use) {
                try ImageJPEGCoder.shared.decode(file, options: decoding)
            }
            let contrast = full.scaled(to: small.pixelSize).contrast(of: IdealPicture(small.pixels, hasAlpha: false))
            #expect(abs(contrast - 1) < 0.02, "\(image.pixelSize) to \(small.pixelSize): \(contrast)")
        }
    }

    /// The low coefficients of a block with hard edges swing below black and above white, and the filter needs these samples.
    /// If they are limited before, text on paper loses 4 to 15 dB here.
    @Test(arguments: [(5, 11), (9, 13)], [false, true])
    func hardEdgesAreThoseOfTheCompleteDecode(cell: (width: Int, height: Int), isColored: Bool) throws {
        var random = SeededRandom.printingSeed()
        let columns = 700 / cell.width + 1
        // A bit for each of red, green and blue. A quarter of the paper has ink, or all of it in eight colours.
        let colors = (0..<columns * (525 / cell.height + 1)).map { _ in
            isColored ? Int.random(in: 0...7, using: &random) : Int.random(in: 0...3, using: &random) == 0 ? 0 : 7
        }
        let image = try Image.generated(width: 700, height: 525) { x, y in
            let color = colors[y / cell.height * columns + x / cell.width]
            return (color & 1 != 0 ? 255 : 0, color & 2 != 0 ? 255 : 0, color & 4 != 0 ? 255 : 0, 255)
        }
        var encoding = EncodingOptions()
        encoding.quality = 0.92
        let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
        var options = DecodingOptions()
        func picture(_ use: JPEGThumbnailLoop.Use) throws -> IdealPicture {
            try JPEGThumbnailLoop.$use.withValue(use) {
                IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
            }
        }
        let full = try picture(.never)
        for side in [226, 156, 140, 125, 100, 70] {
            options.thumbnailPixelSize = PixelSize(width: side, height: side)
            let result = try picture(.always(windowBytes: 0, isRequired: true))
            let noise = full.scaled(to: result.size).psnr(against: result)
            #expect(noise > 40.3, "\(cell) to \(side) px: \(noise) dB")
        }
    }

    /// The noise of a coarse file goes below black in the dark. A complete decode limits it there, as do planes of complete
    /// blocks; in planes of fewer samples it would stay, and the picture would be darker.
    @Test func darkPicturesOfCoarseFilesAreAsLight() throws {
        var random = SeededRandom.printingSeed()
        let levels = (0..<900 * 675).map { _ in UInt8(max(0, Int.random(in: -60...40, using: &random))) }
        let image = try Image.generated(width: 900, height: 675) { x, y in
            let level = levels[y * 900 + x]
            return (level, level, level, 255)
        }
        for quality in [0.08, 0.15, 0.5] {
            var encoding = EncodingOptions()
            encoding.quality = quality
            let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
            let full = IdealPicture(try ImageJPEGCoder.shared.decode(file, options: .init()).pixels, hasAlpha: false)
            for (width, side) in [(112, 2), (360, 8)] {
                let status = PlaneSample.decode(
                    file, to: (width, width * 3 / 4), side: side, change: { $0.ignores_cost = 0 }
                ).status
                #expect((status == WEBIMAGE_JPEG_THUMBNAIL_RANGE) == (quality < 0.3 && side < 8))
                var options = DecodingOptions()
                options.thumbnailPixelSize = PixelSize(width: width, height: width)
                // Such a file has few bits: libjpeg-turbo is as fast.
                let use = side < 8 ? JPEGThumbnailLoop.Use.whereFaster : .always(windowBytes: 0)
                let result = try JPEGThumbnailLoop.$use.withValue(use) {
                    IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
                }
                let noise = full.scaled(to: result.size).psnr(against: result)
                // 54 to 56 dB from planes of 2 x 2 samples.
                #expect(noise > 56.3 || quality > 0.3, "quality \(quality) to \(width) px: \(noise) dB")
            }
        }
    }

    /// The same where libjpeg-turbo would decode to a quarter of the sides: the means of its blocks go below black as well.
    @Test(arguments: [false, true]) func darkPicturesOfCoarseFilesNeedLargePlanes(isProgressive: Bool) throws {
        var random = SeededRandom.printingSeed()
        let levels = (0..<1800 * 1350).map { _ in UInt8(max(0, Int.random(in: -60...40, using: &random))) }
        let image = try Image.generated(width: 1800, height: 1350) { x, y in
            let level = levels[y * 1800 + x]
            return (level, level, level, 255)
        }
        var encoding = EncodingOptions()
        (encoding.quality, encoding.progressive) = (0.1, isProgressive)
        let file = try ImageJPEGCoder.shared.encode(image, format: .jpeg, options: encoding)
        let full = IdealPicture(try ImageJPEGCoder.shared.decode(file, options: .init()).pixels, hasAlpha: false)
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 220, height: 220)
        let result = IdealPicture(try ImageJPEGCoder.shared.decode(file, options: options).pixels, hasAlpha: false)
        let noise = full.scaled(to: result.size).psnr(against: result)
        // 59.2 dB from a quarter.
        #expect(noise > 60, "\(noise) dB")
    }

    @Test func reasonsToPassAFileOn() throws {
        var sample = ThumbnailSample.plain(640, 480)
        let file = try #require(ThumbnailSample.file(sample))
        func status(
            _ file: Data, _ change: (inout webimage_jpeg_thumbnail_request) -> Void = { _ in },
            planes: (inout webimage_jpeg_thumbnail_planes) -> Void = { _ in }
        ) -> ThumbnailSample.Status {
            PlaneSample.decode(file, to: (80, 60), side: 2, change: change, changePlanes: planes).status
        }
        #expect(status(file) == WEBIMAGE_JPEG_THUMBNAIL_OK)
        sample.kind = Int32(WEBIMAGE_JPEG_SAMPLE_ARITHMETIC)
        #expect(status(try #require(ThumbnailSample.file(sample))) == WEBIMAGE_JPEG_THUMBNAIL_FRAME)
        sample.kind = 0
        sample.color = Int32(WEBIMAGE_JPEG_SAMPLE_RGB)
        let colors = try #require(ThumbnailSample.file(sample))
        #expect(status(colors, { $0.format = WEBIMAGE_JPEG_THUMBNAIL_GRAY }) == WEBIMAGE_JPEG_THUMBNAIL_COLOR)
        // A quantisation factor that the 16-bit products do not allow.
        sample.color = 0
        sample.quality = 1
        sample.is_baseline = 0
        #expect(status(try #require(ThumbnailSample.file(sample))) == WEBIMAGE_JPEG_THUMBNAIL_RANGE)
        // Numbers of the caller that do not fit the file.
        for change in [
            { $0.file_width = 641 }, { $0.side = 5 }, { $0.chroma_side = 1 }, { $0.x = 1 }, { $0.y = -1 },
            { $0.height = 0 },
            { $0.width = .nan }, { $0.side = 0 },
        ] as [(inout webimage_jpeg_thumbnail_planes) -> Void] {
            #expect(status(file, planes: change) == WEBIMAGE_JPEG_THUMBNAIL_MARKER)
        }
        #expect(status(file, planes: { $0.component = 4 }) == WEBIMAGE_JPEG_THUMBNAIL_COLOR)
        // Sampling factors that do not divide the largest one: libjpeg-turbo refuses them.
        var fraction = file
        let frame = try #require(file.range(of: Data([0xff, 0xc0])))
        fraction[frame.upperBound + 9] = 0x31
        fraction[frame.upperBound + 12] = 0x21
        #expect(status(fraction) == WEBIMAGE_JPEG_THUMBNAIL_SAMPLING)
        #expect(status(file, { $0.deadline = 0 }) == WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME)
        #expect(status(file, { $0.should_stop = { 1 } }) == WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_TIME)
    }

    @Test func everyPrefixOfAFileIsPassedOn() throws {
        for interval in [0, 3] {
            var sample = ThumbnailSample.plain(90, 60)
            sample.restart_interval = Int32(interval)
            let file = try #require(ThumbnailSample.file(sample))
            for length in 0..<file.count {
                let status = PlaneSample.decode(Data(file.prefix(length)), to: (12, 8), side: 3, of: (90, 60)).status
                #expect(status.rawValue > WEBIMAGE_JPEG_THUMBNAIL_OUT_OF_MEMORY.rawValue)
            }
            #expect(PlaneSample.decode(file, to: (12, 8), side: 3).status == WEBIMAGE_JPEG_THUMBNAIL_OK)
        }
    }

    @Test func timeLimitEndsTheDecode() throws {
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(640, 480)))
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 80, height: 80)
        options.limits.maxDecodeTime = .zero
        let error = #expect(throws: WebImageError.self) {
            try JPEGThumbnailLoop.$use.withValue(.always(windowBytes: 0, isRequired: true)) {
                try ImageJPEGCoder.shared.decode(file, options: options)
            }
        }
        #expect(error?.underlying == .limit(.decodeTime, actual: 0, allowed: 0))
    }
}
