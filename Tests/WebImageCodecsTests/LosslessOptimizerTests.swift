import CWebImageCodecShim
import CWebImageJPEGSamples
import Foundation
import Testing
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageCodecs

/// Files that become smaller while they show the same. Pixels of JPEG files are compared with those of libjpeg-turbo.
@Suite(.timeLimit(minutes: 3))
struct LosslessOptimizerTests {
    private func optimizer(
        effort: Int = 5, keepsMetadata: Bool = true, turnsUpright: Bool = false
    ) -> LosslessOptimizer {
        LosslessOptimizer(
            effort: effort, keepsMetadata: keepsMetadata, turnsUpright: turnsUpright, limits: .default)
    }

    /// Returns the smaller file. Nil if the file is kept.
    private func smaller(_ file: Data, _ optimizer: LosslessOptimizer) throws -> Data? {
        guard case .smaller(let new, _) = try optimizer.optimized(file) else { return nil }
        #expect(new.count < file.count)
        return new
    }

    // MARK: JPEG

    private func pixels(_ file: Data, bytes: Int32 = 3) -> Data? {
        ThumbnailSample.complete(file, bytes: bytes)?.pixels
    }

    @Test func everyKindOfJPEGKeepsItsPixels() throws {
        var random = SeededRandom.printingSeed()
        var (written, kept) = (0, 0)
        let restarts: [Int32] = [0, 0, 1, 7]
        for index in 0..<150 {
            var sample = ThumbnailSample.random(&random)
            sample.width = min(sample.width, 200)
            sample.kind = Int32(index % 5)
            sample.color = Int32(index / 5 % 4)
            sample.restart_interval = restarts[index % 4]
            // 4:1:1, which has four samples of light beside one of colour.
            if index % 7 == 0 { (sample.horizontal, sample.vertical) = ((4, 1, 1, 1), (1, 1, 1, 1)) }
            guard let file = ThumbnailSample.file(sample) else { continue }
            guard let new = try smaller(file, optimizer(keepsMetadata: index % 2 == 0)) else {
                kept += 1
                continue
            }
            written += 1
            let reading = sample.color == Int32(WEBIMAGE_JPEG_SAMPLE_GRAY) ? Int32(1) : 3
            guard sample.color != Int32(WEBIMAGE_JPEG_SAMPLE_CMYK) else {
                var options = DecodingOptions()
                options.pixelFormat = .rgba8
                let images = try [file, new].map { try ImageJPEGCoder.shared.decode($0, options: options) }
                #expect(Sample.values(images[0].pixels) == Sample.values(images[1].pixels), "\(sample)")
                continue
            }
            let before = try #require(pixels(file, bytes: reading))
            #expect(pixels(new, bytes: reading) == before, "\(sample)")
        }
        #expect(written > 60 && written > kept, "\(written) written, \(kept) kept")
    }

    /// Each orientation and sampling, with sides of whole blocks. A file that was turned upright and is turned back has the
    /// coefficients of the first one.
    @Test(arguments: 2...8, [(1, 1), (2, 1), (1, 2), (2, 2), (4, 1)] as [(UInt8, UInt8)])
    func jpegIsTurnedUprightWithoutLoss(_ orientation: Int, _ sampling: (UInt8, UInt8)) throws {
        var sample = ThumbnailSample.plain(128, 96)
        (sample.horizontal, sample.vertical) = ((sampling.0, 1, 1, 1), (sampling.1, 1, 1, 1))
        let turned = try #require(ImageOrientation(rawValue: orientation))
        let plain = try #require(ThumbnailSample.file(sample))
        let file = JPEGSample.inserting(0xE1, JPEGSample.exif(turned), into: plain)
        let new = try #require(try smaller(file, optimizer(turnsUpright: true)))
        let info = try ImageJPEGCoder.shared.imageInfo(of: new, limits: .default)
        #expect(info.orientation == .up)
        #expect(info.storedSize == (orientation > 4 ? .init(width: 96, height: 128) : .init(width: 128, height: 96)))
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let images = try [file, new].map { try ImageJPEGCoder.shared.decode($0, options: options) }
        // The inverse transform rounds columns and rows in another order.
        let difference = Sample.largestDifference(Sample.values(images[0].pixels), Sample.values(images[1].pixels))
        #expect(difference <= 8, "\(difference)")
        let back = [6: 8, 8: 6][orientation] ?? orientation
        let inverse = JPEGSample.inserting(
            0xE1, JPEGSample.exif(try #require(ImageOrientation(rawValue: back))),
            into: try #require(try written(new, keepsMarkers: false)))
        let again = try #require(try written(inverse, keepsMarkers: false, orientation: back))
        #expect(pixels(again) == pixels(plain))
    }

    /// Writes a file again, even if it does not become smaller.
    private func written(_ file: Data, keepsMarkers: Bool, orientation: Int = 1) throws -> Data? {
        var wanted = webimage_jpeg_rewriting()
        wanted.orientation = Int32(orientation)
        wanted.keeps_markers = keepsMarkers ? 1 : 0
        var bytes: UnsafeMutablePointer<UInt8>?
        var (count, rest) = (0, 0)
        var message = [CChar](repeating: 0, count: 200)
        let status = file.withUnsafeBytes { source in
            webimage_jpeg_rewrite(
                source.bindMemory(to: UInt8.self).baseAddress, source.count, 60_000_000_000, &wanted, &bytes, &count,
                &rest, &message)
        }
        guard status == WEBIMAGE_JPEG_OK, let bytes else { return nil }
        return Data(bytesNoCopy: bytes, count: count, deallocator: .free)
    }

    @Test func aJPEGWithCutBlocksIsNotTurned() throws {
        let plain = try #require(ThumbnailSample.file(ThumbnailSample.plain(100, 96)))
        let file = JPEGSample.inserting(0xE1, JPEGSample.exif(.leftMirrored), into: plain)
        for turned in [ImageOrientation.down, .upMirrored, .right, .left] {
            let file = JPEGSample.inserting(0xE1, JPEGSample.exif(turned), into: plain)
            let new = try #require(try smaller(file, optimizer(turnsUpright: true)))
            let orientation = try ImageJPEGCoder.shared.imageInfo(of: new, limits: .default).orientation
            // The height is whole, so that a turn which only mirrors rows is possible.
            #expect(orientation == (turned == .right ? .up : turned))
        }
        #expect(try smaller(file, optimizer(turnsUpright: true)) != nil)
    }

    @Test func droppedMetadataLeavesProfileAndOrientation() throws {
        let profile = Data(ICCSample.displayP3)
        var options = EncodingOptions()
        options.metadata = EmbeddedMetadata(
            exif: ExifSample.tiff(orientation: 1, bigEndian: false), xmp: Data("<x/>".utf8))
        options.metadata.orientation = .right
        let image = Image(
            pixels: try Sample.gradient(64, 48, .rgb8), colorProfile: ColorProfile(iccData: profile), hasAlpha: false)
        let coders: [(ImageFormat, any ImageCoder)] = [
            (.jpeg, ImageJPEGCoder.shared), (.png, ImagePNGCoder.shared),
        ]
        for (format, coder) in coders {
            let file = try coder.encode(image, format: format, options: options)
            let new = try #require(try smaller(file, optimizer(keepsMetadata: false)))
            let properties = try coder.imageProperties(of: new, limits: .default)
            #expect(properties.info.orientation == .right && properties.xmp == nil && properties.iccProfile == profile)
            let kept = try smaller(file, optimizer()) ?? file
            let all = try coder.imageProperties(of: kept, limits: .default)
            #expect(all.info.orientation == .right && all.xmp == Data("<x/>".utf8) && !all.tiff.isEmpty, "\(format)")
        }
    }

    @Test func bytesBehindAJPEGAreKeptWithItsMetadata() throws {
        let rest = Data("a film of the photo".utf8)
        let file = try #require(ThumbnailSample.file(ThumbnailSample.plain(64, 64))) + rest
        #expect(try smaller(file, optimizer())?.suffix(rest.count) == rest)
        #expect(try smaller(file, optimizer(keepsMetadata: false))?.suffix(2) == Data([0xFF, 0xD9]))
    }

    // MARK: PNG

    @Test func interlacedAndDeepPNGKeepTheirPixels() throws {
        let passes = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2), (0, 1, 1, 2)]
        let (width, height) = (45, 37)
        for (color, channels) in [(0, 1), (2, 3), (4, 2), (6, 4)] {
            for (depth, isNarrow) in [(8, false), (16, false), (16, true)] {
                let size = channels * depth / 8
                let pixel = { (x: Int, y: Int) -> [UInt8] in
                    (0..<channels).flatMap { channel -> [UInt8] in
                        let value = x * 5 + y * 3 * (channel + 1)
                        let high = UInt8(truncatingIfNeeded: value)
                        return depth == 8 ? [high] : [high, isNarrow ? high : UInt8(truncatingIfNeeded: value * 77)]
                    }
                }
                let plain = (0..<height).map { y in (0..<width).flatMap { pixel($0, y) } }
                let interlaced = passes.flatMap { pass in
                    stride(from: pass.1, to: height, by: pass.3).map { y in
                        stride(from: pass.0, to: width, by: pass.2).flatMap { pixel($0, y) }
                    }
                }
                for isInterlaced in [false, true] {
                    let file = PNGBytes.file(
                        header: PNGBytes.header(
                            width, height, depth: depth, color: color, interlaced: isInterlaced),
                        rows: isInterlaced ? interlaced : plain)
                    let new = try #require(try smaller(file, optimizer()), "\(color) \(depth)")
                    #expect(new[24] == (isNarrow || depth == 8 ? 8 : 16) && new[28] == 0)
                    #expect(plain[0].count == width * size)
                    var options = DecodingOptions()
                    options.pixelFormat = .rgba16
                    let images = try [file, new].map { try ImagePNGCoder.shared.decode($0, options: options) }
                    #expect(Sample.values(images[0].pixels) == Sample.values(images[1].pixels), "\(color) \(depth)")
                }
            }
        }
    }

    @Test func anAPNGStaysAnimated() throws {
        var options = EncodingOptions()
        options.effort = 1
        let frames = try (0..<5).map { index in
            ImageFrame(
                image: Image(
                    pixels: try Sample.buffer(60, 40, .rgba8) { x, y, channel in
                        channel == 3 ? 255 : (x + index) * 3 + y * channel
                    }, hasAlpha: false), duration: 0.03 + Double(index) / 10)
        }
        var file = try ImagePNGCoder.shared.encode(
            frameCount: 5, loopCount: 3, format: .png, options: options
        ) { index throws(WebImageError) in frames[index] }
        // A text between the frames stays where it is; its sequence numbers do not count it.
        file.insert(contentsOf: PNGBytes.chunk("tEXt", Data("Comment\0x".utf8)), at: file.count - 12)
        let new = try #require(try smaller(file, optimizer(effort: 8)))
        let info = try ImagePNGCoder.shared.imageInfo(of: new, limits: .default)
        #expect(info.format == .apng && info.frameCount == 5 && info.loopCount == 3)
        #expect(info.delaysMilliseconds.map { ($0 / 10).rounded() } == [3, 13, 23, 33, 43])
        #expect(new.range(of: Data("Comment".utf8)) != nil)
    }

    @Test func aChunkThatRefersToTheFormKeepsIt() throws {
        let value = { (x: Int, y: Int) -> UInt8 in
            let mixed = x * x + y * y * 3 + x * y
            return UInt8(mixed / 7 % 4 * 60)
        }
        let rows = (0..<60).map { (y: Int) -> [UInt8] in
            (0..<60).flatMap { (x: Int) -> [UInt8] in [value(x, y), value(x, y), 9] }
        }
        let header = PNGBytes.header(60, 60, color: 2)
        for (chunk, color) in [(Data(), 3), (PNGBytes.chunk("bKGD", Data([0, 1, 0, 2, 0, 3])), 2)] {
            let file = PNGBytes.file(header: header, before: chunk, rows: rows)
            // `smaller` is nil if the file's own form is the smallest already.
            #expect(Int(try smaller(file, optimizer())?[25] ?? 2) == color)
            #expect(try smaller(file, optimizer(keepsMetadata: false)).map { Int($0[25]) } == 3)
        }
    }

    // MARK: GIF

    /// Each way of compression, with every number of bits and codes of all lengths.
    @Test(arguments: [0, 1, 40, 1024, UInt32.max / 64])
    func codesOfGIFRoundTrip(_ window: UInt32) throws {
        var random = SeededRandom.printingSeed()
        for bits in 1...8 {
            for count in [0, 1, 2, 255, 4000, 60_000] {
                for isSmooth in [false, true] {
                    var value = 0
                    let indices = (0..<count).map { _ -> UInt8 in
                        if !isSmooth || Int.random(in: 0..<9, using: &random) == 0 {
                            value = .random(in: 0..<1 << bits, using: &random)
                        }
                        return UInt8(value)
                    }
                    var bytes: UnsafeMutablePointer<UInt8>?
                    var size = 0
                    #expect(cgif_compress(indices, count, window, &bytes, &size))
                    defer { free(bytes) }
                    let decoder = cgif_indices_create(bytes, size, count + 1)
                    defer { cgif_indices_destroy(decoder) }
                    var back: UnsafePointer<UInt8>?
                    // One more index than there are: the end code is where it belongs.
                    #expect(cgif_indices_next(decoder, count + 1, &back) == count, "\(bits) \(count)")
                    #expect(UnsafeBufferPointer(start: back, count: count).elementsEqual(indices), "\(bits) \(count)")
                }
            }
        }
    }

    @Test func aGIFKeepsItsFramesAndBlocks() throws {
        let comment: [UInt8] = [0x21, 0xFE, 2, 0x68, 0x69, 0]
        let indices = { (seed: Int) in (0..<80 * 60).map { UInt8(($0 / 7 + $0 % 80 / seed) % 128) } }
        let file = GIFBytes.file(
            GIFBytes.screen(80, 60), GIFBytes.loop(7), comment, GIFBytes.control(delay: 9, disposal: 2),
            GIFBytes.image(width: 80, height: 60, interlaced: true, indices: indices(3)),
            GIFBytes.control(delay: 0, disposal: 3, transparent: 5),
            GIFBytes.image(x: 10, y: 20, width: 40, height: 30, indices: Array(indices(9).prefix(1200))))
        for keepsMetadata in [true, false] {
            let new = try #require(try smaller(file, optimizer(keepsMetadata: keepsMetadata)))
            let info = try ImageGIFCoder.shared.imageInfo(of: new, limits: .default)
            #expect(info.loopCount == 7 && info.delaysMilliseconds == [90, 0])
            #expect((new.range(of: Data(comment)) != nil) == keepsMetadata)
        }
    }

    @Test func aDamagedFileIsAnError() throws {
        let gif = GIFBytes.file(
            GIFBytes.screen(8, 8), GIFBytes.image(width: 8, height: 8, indices: [UInt8](repeating: 1, count: 60)))
        let jpeg = try JPEGSample.gradient(64, 64)
        for file in [
            gif, jpeg.prefix(jpeg.count / 2), PNGBytes.file(header: PNGBytes.header(2, 1), rows: []).dropLast(12),
        ] {
            #expect(throws: WebImageError.self) { try optimizer().optimized(Data(file)) }
        }
        let first = try JPEGSample.gradient(64, 64, quality: 0.9)
        #expect(throws: WebImageError.self) {
            try LosslessOptimizer.check(
                try ImageJPEGCoder.shared.decode(first, options: .init()),
                equals: try ImageJPEGCoder.shared.decode(jpeg, options: .init()))
        }
    }
}
