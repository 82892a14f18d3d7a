import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 2))
struct JPEGDecodingTests {
    let coder = ImageJPEGCoder.shared

    private func decode(_ data: Data, _ change: (inout DecodingOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodingOptions()
        change(&options)
        return try coder.decode(data, options: options)
    }

    @Test(arguments: ImageOrientation.allCases)
    func everyOrientationDecodesUpright(orientation: ImageOrientation) throws {
        let plain = try JPEGSample.gradient(40, 24)
        let stored = try decode(plain).pixels
        for packet in [
            JPEGSample.exif(orientation),
            Data("http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation='\(orientation.rawValue)'/>".utf8),
        ] {
            let file = JPEGSample.inserting(0xe1, packet, into: plain)
            let image = try decode(file)
            #expect(Sample.values(image.pixels) == Sample.values(try stored.oriented(orientation)))
            let info = try coder.imageInfo(of: file, limits: .default)
            #expect(info.orientation == orientation && info.pixelSize == image.pixelSize)
            // The thumbnail box applies to the oriented image.
            let thumbnail = try decode(file) { $0.thumbnailPixelSize = PixelSize(width: 20, height: 1000) }
            #expect(thumbnail.pixelSize == PixelSize(width: 20, height: orientation.swapsSides ? 34 : 12))
        }
    }

    @Test func exifOrientationOverridesXMP() throws {
        let xmp = Data("http://ns.adobe.com/xap/1.0/\0<x tiff:Orientation='3'/>".utf8)
        let file = JPEGSample.inserting(0xe1, xmp, into: try JPEGSample.gradient(8, 8))
        let both = JPEGSample.inserting(0xe1, JPEGSample.exif(.right), into: file)
        #expect(try coder.imageInfo(of: both, limits: .default).orientation == .right)
    }

    @Test func everyLayoutShowsTheSamePicture() throws {
        let file = try JPEGSample.gradient(50, 30)
        let display = try decode(file)
        #expect(display.pixels.format == .bgra8Premultiplied && !display.hasAlpha)
        for format in PixelFormat.allCases {
            let image = try decode(file) { $0.pixelFormat = format }
            #expect(image.pixels.format == format)
            let same = try display.pixels.converted(to: format)
            #expect(Sample.largestDifference(Sample.values(image.pixels), Sample.values(same)) <= 1)
        }
    }

    @Test(arguments: [(1, 1), (7, 1000), (37, 37), (100, 75), (133, 100), (199, 149), (300, 300)])
    func thumbnailsHaveExactlyTheTargetSize(width: Int, height: Int) throws {
        let file = try JPEGSample.gradient(200, 150)
        let box = PixelSize(width: width, height: height)
        for preserves in [true, false] {
            let image = try decode(file) {
                $0.thumbnailPixelSize = box
                $0.preserveAspectRatio = preserves
            }
            let expected = ImageScaling.size(
                of: PixelSize(width: 200, height: 150), in: box, preserveAspectRatio: preserves, allowsEnlarging: false)
            #expect(image.pixelSize == expected)
        }
    }

    @Test func thumbnailsLookLikeTheFullPicture() throws {
        let file = try JPEGSample.gradient(200, 150)
        let full = try decode(file).pixels.scaled(to: PixelSize(width: 64, height: 48))
        let thumbnail = try decode(file) { $0.thumbnailPixelSize = PixelSize(width: 64, height: 48) }
        #expect(Sample.largestDifference(Sample.values(full), Sample.values(thumbnail.pixels)) <= 6)
    }

    @Test(arguments: [JPEGSample.progressive, (try? JPEGSample.gradient(24, 16, quality: 0.5)) ?? Data()])
    func truncatedAtEveryLengthIsATypedError(file: Data) throws {
        _ = try decode(file)
        // A file that lacks only its end marker (2 bytes) counts as complete.
        for length in 0..<file.count - 2 {
            let error = #expect(throws: WebImageError.self) { try decode(file.prefix(length)) }
            #expect(error?.code == .badImageData && error?.hint != nil)
        }
        _ = try decode(file.dropLast(2))
        let slice = (Data("before".utf8) + file).dropFirst(6)
        #expect(try decode(slice).pixelSize == decode(file).pixelSize)
    }

    @Test func damageNeverTraps() throws {
        var generator = SeededRandom.printingSeed()
        for file in [JPEGSample.progressive, JPEGSample.cmyk, try JPEGSample.gradient(33, 17)] {
            for _ in 0..<500 {
                var damaged = file
                for _ in 0..<Int.random(in: 1...8, using: &generator) {
                    damaged[Int.random(in: 2..<damaged.count, using: &generator)] = .random(
                        in: 0...255, using: &generator)
                }
                _ = try? decode(damaged) { $0.limits.maxPixels = 1_000_000 }
                _ = try? coder.imageInfo(of: damaged, limits: .default)
            }
        }
    }

    @Test func aHeaderThatLiesIsRefusedBeforeAllocating() throws {
        let file = JPEGSample.lying(65500, 65500, in: try JPEGSample.gradient(16, 16))
        let units = ProcessorTime.units {
            for _ in 0..<10 {
                let error = #expect(throws: WebImageError.self) { try decode(file) }
                #expect(error?.code == .limitExceeded)
                #expect(error?.underlying == .limit(.pixels, actual: 65500 * 65500, allowed: 100_000_000))
            }
        }
        #expect(units < 100)
    }

    @Test func everyLimitNamesItself() throws {
        let file = try JPEGSample.gradient(16, 16)
        let metadata = (0..<3).reduce(file) { data, _ in JPEGSample.inserting(0xe1, Data(count: 60000), into: data) }
        let profiles = (0..<3).reduce(file) { data, _ in JPEGSample.inserting(0xe2, Data(count: 60000), into: data) }
        func limit(_ data: Data, _ change: (inout DecodingLimits) -> Void) -> DecodingLimits.Limit? {
            let error = #expect(throws: WebImageError.self) { try decode(data) { change(&$0.limits) } }
            guard case .limit(let limit, _, _) = error?.underlying else { return nil }
            return limit
        }
        #expect(limit(file) { $0.maxEncodedBytes = 10 } == .encodedBytes)
        #expect(limit(file) { $0.maxPixels = 255 } == .pixels)
        #expect(limit(file) { $0.maxDecodeTime = .zero } == .decodeTime)
        #expect(limit(profiles) { $0.maxAncillaryBytes = 100_000 } == .ancillaryBytes)
        #expect(throws: Never.self) { try decode(profiles) }
        // Metadata over the limit is left out. The picture is the same.
        let whole = Sample.values(try decode(file).pixels)
        #expect(Sample.values(try decode(metadata) { $0.limits.maxAncillaryBytes = 100_000 }.pixels) == whole)
        let long = (0..<160).reduce(file) { data, _ in JPEGSample.inserting(0xe1, Data(count: 60000), into: data) }
        #expect(Sample.values(try decode(long).pixels) == whole)
    }

    @Test func cmykConvertsToRGB() throws {
        // A JPEG stores CMYK inverted. An RGB channel is therefore the stored colour × the stored black / 255.
        let expected = [200 * 150 / 255, 100 * 150 / 255, 50 * 150 / 255, 255]
        let image = try decode(JPEGSample.cmyk) { $0.pixelFormat = .rgba8 }
        #expect(Sample.largestDifference(Sample.pixel(image.pixels, 3, 4), expected) <= 2)
        #expect(!image.hasAlpha)

        // Files without the marker of Adobe store CMYK inverted as well, as libvips, Pillow and browsers read them.
        var plain = JPEGSample.cmyk
        plain.removeSubrange(2..<18)
        let other = try decode(plain) { $0.pixelFormat = .rgba8 }
        #expect(Sample.largestDifference(Sample.pixel(other.pixels, 3, 4), expected) <= 2)
        let small = try decode(JPEGSample.cmyk) { $0.thumbnailPixelSize = PixelSize(width: 3, height: 3) }
        #expect(small.pixelSize == PixelSize(width: 3, height: 3))
    }

    @Test func progressiveShowsItsPicture() throws {
        let image = try decode(JPEGSample.progressive) { $0.pixelFormat = .rgb8 }
        let pixel = Sample.pixel(image.pixels, 12, 5)
        #expect(abs(pixel[0] - 120) < 40 && abs(pixel[1] - 50) < 40)
    }

    @Test func otherFormatsAreDeclined() {
        #expect(!coder.canDecode(from: Data()))
        #expect(!coder.canDecode(from: Data()))
        #expect(!coder.canDecode(from: Data("GIF89a".utf8)))
        #expect(coder.canDecode(from: JPEGSample.progressive))
        #expect(coder.decodedImage(with: Data("GIF89a".utf8), options: nil) == nil)
    }
}
