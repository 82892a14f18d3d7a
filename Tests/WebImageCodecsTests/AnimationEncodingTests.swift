import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits

@Suite(.timeLimit(minutes: 2))
struct AnimationEncodingTests {
    private static let durations = [0.05, 0.1, 0.33]

    private func frames(_ sample: SampleAnimation) throws -> [ImageFrame] {
        try zip(sample.shown, Self.durations).map { values, duration in
            let pixels = try Sample.buffer(sample.width, sample.height, .rgba8) { x, y, channel in
                values[(y * sample.width + x) * 4 + channel]
            }
            return ImageFrame(image: Image(pixels: pixels), duration: duration)
        }
    }

    private func lossless() -> EncodingOptions {
        var options = EncodingOptions()
        options.lossless = true
        return options
    }

    @Test(arguments: AnimatedFormat.allCases, [0, 1, 7])
    func framesDelaysAndLoopsRoundTrip(format: AnimatedFormat, loops: Int) throws {
        for sample in format.samples(frameCount: 3) {
            let frames = try frames(sample)
            let file = try format.encoder.encode(
                frames, loopCount: loops, format: format.format, options: lossless())
            let info = try format.encoder.imageInfo(of: file, limits: .default)
            #expect(info.frameCount == 3 && info.delaysMilliseconds == [50, 100, 330])
            let animation = try format.open(file)
            #expect(animation.animatedImagePlayCount == loops)
            for index in 0..<3 {
                let values = Sample.values(try animation.frame(at: index).pixels)
                #expect(values == sample.shown[index], "\(sample.frames) at \(index)")
            }
        }
    }

    @Test(arguments: AnimatedFormat.allCases)
    func equalFramesAreNotMerged(format: AnimatedFormat) throws {
        let image = Image(pixels: try Sample.gradient(9, 7, .rgba8), hasAlpha: false)
        let frames = [ImageFrame](repeating: ImageFrame(image: image, duration: 0.2), count: 4)
        let file = try format.encoder.encode(frames, loopCount: 0, format: format.format, options: lossless())
        let animation = try format.open(file)
        #expect(animation.animatedImageFrameCount == 4)
        #expect(try !animation.frame(at: 3).hasAlpha)
        #expect(Sample.values(try animation.frame(at: 3).pixels) == Sample.values(image.pixels))
    }

    @Test(arguments: AnimatedFormat.allCases)
    func firstFrameOnlyIsWrittenAsAStill(format: AnimatedFormat) throws {
        var options = lossless()
        options.firstFrameOnly = true
        let frames = try frames(format.samples(frameCount: 3)[0])
        let file = try format.encoder.encode(frames, loopCount: 0, format: format.format, options: options)
        let info = try format.encoder.imageInfo(of: file, limits: .default)
        #expect(info.frameCount == 1)
        #expect(throws: WebImageError.self) {
            try format.encoder.encode([], loopCount: 0, format: format.format, options: options)
        }
        #expect(format.encoder.encodedData(with: frames, loopCount: 0, format: .jpeg, options: nil) == nil)
    }

    @Test func sixteenBitsAndFrameRateRoundTripInAPNG() throws {
        let images = try (0..<2).map { index in
            Image(
                pixels: try Sample.buffer(5, 4, .rgba16) { x, y, channel in
                    channel == 3 ? 40000 + index : x * 9001 + y * 77 + index * 5
                })
        }
        let frames = images.map { ImageFrame(image: $0, duration: 1.0 / 30) }
        let file = try ImagePNGCoder.shared.encode(frames, loopCount: 0, format: .png, options: EncodingOptions())
        let animation = try AnimatedFormat.png.open(file, .rgba16)
        for index in 0..<2 {
            #expect(Sample.values(try animation.frame(at: index).pixels) == Sample.values(images[index].pixels))
        }
        #expect(abs(animation.animatedImageDuration(at: 1) - 1.0 / 30) < 1e-9)
    }

    @Test func gifDelaysKeepTheirSum() throws {
        let image = Image(pixels: try Sample.gradient(2, 2, .rgba8), hasAlpha: false)
        let frames = [0.333, 0.334, 0.333].map { ImageFrame(image: image, duration: $0) }
        let file = try ImageGIFCoder.shared.encode(frames, loopCount: 0, format: .gif, options: EncodingOptions())
        let delays = try ImageGIFCoder.shared.imageInfo(of: file, limits: .default).delaysMilliseconds
        #expect(delays.reduce(0, +) == 1000)
    }

    @Test func photoIn256ColoursIsCloseToItsSource() throws {
        let picture = try Sample.buffer(200, 150, .rgba8) { x, y, channel in
            [x * 255 / 199, y * 255 / 149, (x * y / 40 + x) % 256, 255][channel]
        }
        let file = try ImageGIFCoder.shared.encode(
            Image(pixels: picture, hasAlpha: false), format: .gif, options: EncodingOptions())
        let back = try AnimatedFormat.gif.open(file).frame(at: 0)
        #expect(!back.hasAlpha)
        // Dithering adds noise to single pixels, so compare the means of 4 × 4 squares.
        let (small, other) = (means(picture), means(back.pixels))
        let error = zip(small, other).map { ($0 - $1) * ($0 - $1) }.reduce(0, +) / Double(small.count)
        #expect(10 * log10(255 * 255 / error) > 34, "PSNR of 4×4 means \(10 * log10(255 * 255 / error))")
    }

    /// Returns the mean of each colour channel in each square of 4 × 4 px.
    private func means(_ pixels: PixelBuffer) -> [Double] {
        (0..<pixels.height / 4).flatMap { row in
            (0..<pixels.width / 4).flatMap { column in
                let values = (0..<16).map { Sample.pixel(pixels, column * 4 + $0 % 4, row * 4 + $0 / 4) }
                return (0..<3).map { channel in Double(values.map { $0[channel] }.reduce(0, +)) / 16 }
            }
        }
    }

    @Test func webPOptionsAreReadCheckedAndChangeTheFile() throws {
        let frames = try frames(AnimatedFormat.png.samples(frameCount: 3)[0])
        let coder = ImageWebPCoder.shared
        func size(_ options: ImageCoderOptions) -> Int? {
            coder.encodedData(with: frames, loopCount: 0, format: .webP, options: options)?.count
        }
        let lossy = try #require(size([.encodeCompressionQuality: 0.3]))
        #expect(try #require(size([.encodeWebPLossless: true])) != lossy)
        #expect(size([.encodeCompressionQuality: 0.3, .encodeWebPAlphaQuality: 0, .encodeWebPMethod: 6]) != lossy)
        #expect(size([.encodeWebPMethod: 99]) == nil)
        let options: ImageCoderOptions = [
            .encodeWebPMethod: 2, .encodeWebPUseSharpYuv: true, .encodeWebPTargetPSNR: 40.5, .encodeWebPPass: 3,
        ]
        let read = EncodingOptions(options)
        #expect(read.webP.method == 2 && read.webP.useSharpYuv == true && read.webP.targetPSNR == 40.5)
        #expect(EncodingOptions(read.dictionary) == read)
    }

    @Test(arguments: AnimatedFormat.allCases)
    func framesFitTheRequestedBox(format: AnimatedFormat) throws {
        var options = lossless()
        options.maxPixelSize = PixelSize(width: 3, height: 3)
        let frames = try frames(format.samples(frameCount: 3)[0])
        let file = try format.encoder.encode(frames, loopCount: 2, format: format.format, options: options)
        let info = try format.encoder.imageInfo(of: file, limits: .default)
        #expect(info.storedSize == PixelSize(width: 3, height: 2) && info.frameCount == 3)
    }
}
