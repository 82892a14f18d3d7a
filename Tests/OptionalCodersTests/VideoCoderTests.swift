import Foundation
import Testing
import WebImage
import WebImageGraphics
import WebImageTestTraits
import WebImageVideo

/// Posters, previews, turns and shapes, with videos that the command `ffmpeg` writes.
@Suite(.enabled(if: VideoSample.isThere)) struct VideoCoderTests {
    private static let lossless = "-c:v libx264 -preset veryfast -qp 0 -pix_fmt yuv420p"

    /// 50 grey frames, each lighter than the one before.
    private static let steps =
        "color=gray:size=64x48:rate=25:duration=2,format=yuv420p,geq=lum=40+3*N:cb=128:cr=128"

    private static func decode(_ data: Data, _ video: VideoOptions = VideoOptions()) throws -> Image {
        var options = VideoConformanceTests.options
        options.video = video
        return try ImageVideoCoder.shared.decode(data, options: options)
    }

    /// The number of a frame of ``steps``.
    private static func number(of image: Image) -> Int {
        let value = Double(color(image.pixels, image.pixels.width / 2, image.pixels.height / 2)[0])
        return Int(((value * 219 / 255 + 16 - 40) / 3).rounded())
    }

    private static func color(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [Int] {
        pixels.withUnsafeBytes { bytes in (0..<3).map { Int(bytes[y * pixels.bytesPerRow + x * 4 + $0]) } }
    }

    /// FFmpeg's own decoders of VP8 and VP9 ignore the alpha, which is a second picture beside each frame.
    @Test(arguments: ["-c:v libvpx -auto-alt-ref 0", "-c:v libvpx-vp9"]) func transparencyOfWebMIsKept(
        encoder: String
    ) throws {
        let source = "color=red@0.5:size=64x48:rate=25:duration=1,format=rgba"
        let data = try VideoSample("webm", encoder + " -pix_fmt yuva420p -g 10", source: source).data
        for time in [nil, 0.7] {
            let image = try Self.decode(data, VideoOptions(time: time))
            let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
            #expect(image.hasAlpha && info.hasAlpha)
            let pixel = image.pixels.withUnsafeBytes { bytes in
                (0..<4).map { Int(bytes[20 * image.pixels.bytesPerRow + 20 * 4 + $0]) }
            }
            #expect(abs(pixel[3] - 128) <= 2, "\(pixel)")
        }
        let opaque = try VideoSample("webm", encoder + " -pix_fmt yuv420p", source: source).data
        #expect(try !Self.decode(opaque).hasAlpha)
    }

    // MARK: Times

    /// The frame that is shown at a time, with few and many key frames, and with frames that are stored out of order.
    @Test(arguments: [
        VideoSample("mp4", lossless + " -g 250 -bf 3", source: steps), .init("mp4", lossless + " -g 10", source: steps),
        .init("mkv", lossless + " -g 250 -bf 3", source: steps), .init("ts", lossless + " -g 12 -bf 2", source: steps),
        .init("avi", "-c:v mpeg4 -q:v 1 -g 12", source: steps), .init("ogv", "-c:v libtheora -q:v 10", source: steps),
        .init("webm", "-c:v libvpx-vp9 -lossless 1 -g 20 -cpu-used 8", source: steps),
    ])
    func frameIsThatOfTheTime(sample: VideoSample) throws {
        let data = try sample.data
        // A time inside of a frame, because containers round times to milliseconds.
        for (number, part) in zip([0, 1, 13, 25, 26, 48, 49], [0, 0.1, 0.5, 0.8, 0.1, 0.5, 0.8]) {
            let image = try Self.decode(data, VideoOptions(time: (Double(number) + part) / 25))
            #expect(Self.number(of: image) == number, "\(number): \(Self.number(of: image))")
            #expect(!image.isAnimated)
        }
        #expect(try Self.number(of: Self.decode(data, VideoOptions(time: 1e9))) == 49)
        #expect(try Self.number(of: Self.decode(data, VideoOptions(time: -.infinity))) == 0)
    }

    @Test(arguments: ["mp4", "mkv", "ts"]) func previewsAreAtEqualDistances(container: String) throws {
        let data = try VideoSample(container, Self.lossless + " -g 12", source: Self.steps).data
        var options = VideoConformanceTests.options
        options.firstFrameOnly = false
        for (count, step) in [(10, 5), (5, 10)] {
            options.video.previewFrameCount = count
            let coder = try ImageVideoCoder(animation: data, options: options)
            #expect(coder.animatedImageFrameCount == count && coder.animatedImageLoopCount == 0)
            // Backwards too, and the poster again after others.
            for index in Array(0..<count) + [count - 1, 1, 0] {
                let number = Self.number(of: try coder.frame(at: index))
                #expect(abs(number - index * step) <= (container == "mp4" ? 0 : 1), "\(index): \(number)")
                #expect(coder.animatedImageDuration(at: index) == 0.5)
            }
            #expect(throws: WebImageError.self) { try coder.frame(at: count) }
        }
        let image = try ImageVideoCoder.shared.decode(data, options: options)
        #expect(image.isAnimated && image.imageFrameCount == 5)
        options.firstFrameOnly = true
        #expect(try !ImageVideoCoder.shared.decode(data, options: options).isAnimated)
        let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.frameCount == 10 && abs((info.mediaDuration ?? 0) - 2) < 0.05)
    }

    /// With 250 frames from key frame to key frame, the only one of this video is black.
    @Test(arguments: [10, 250]) func posterIsNotBlack(framesBetweenKeys: Int) throws {
        let graph =
            "color=black:size=64x48:rate=25:duration=1[a];color=0xC08040:size=64x48:rate=25:duration=1[b];[a][b]concat"
        let data = try VideoSample(
            "mp4", "-c:v libx264 -preset ultrafast -g \(framesBetweenKeys) -sc_threshold 0 -pix_fmt yuv420p",
            source: graph
        ).data
        let color = Self.color(try Self.decode(data).pixels, 30, 20)
        #expect(zip(color, [0xC0, 0x80, 0x40]).allSatisfy { abs($0 - $1) <= 4 }, "\(color)")
        #expect(try Self.color(Self.decode(data, VideoOptions(time: 0)).pixels, 30, 20) == [0, 0, 0])
        // A video that is black throughout has a black poster.
        let black = try VideoSample("mp4", "-c:v libx264 -preset ultrafast", source: VideoSample.color("black")).data
        #expect(try Self.color(Self.decode(black).pixels, 30, 20) == [0, 0, 0])
    }

    // MARK: Turns and shapes

    /// The eight matrices of a header, beside what the command does with them.
    @Test(arguments: [
        ([1, 0, 0, 1], ImageOrientation.up), ([-1, 0, 0, 1], .upMirrored), ([-1, 0, 0, -1], .down),
        ([1, 0, 0, -1], .downMirrored), ([0, 1, 1, 0], .leftMirrored), ([0, 1, -1, 0], .right),
        ([0, -1, -1, 0], .rightMirrored), ([0, -1, 1, 0], .left),
    ])
    func matrixTurnsThePicture(cells: [Int], orientation: ImageOrientation) throws {
        var data = try VideoSample("mp4", "-c:v libx264 -preset ultrafast -pix_fmt yuv420p -colorspace bt709").data
        let header = try #require(data.range(of: Data("tkhd".utf8))?.upperBound) + 40
        for (place, cell) in zip([0, 1, 3, 4], cells) {
            let number = UInt32(bitPattern: Int32(cell << 16))
            data.replaceSubrange(
                (header + place * 4)..<(header + place * 4 + 4),
                with: withUnsafeBytes(of: number.bigEndian) { Data($0) })
        }
        let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.orientation == orientation)
        let pixels = try Self.decode(data).pixels
        let swaps = cells[0] == 0
        #expect(pixels.width == (swaps ? 144 : 176) && pixels.height == (swaps ? 176 : 144))
        // The command turns before it converts, so that chroma is between other samples.
        let frame = try VideoSample.frame(
            of: data, container: "mp4",
            filters: "scale=\(pixels.width):\(pixels.height):flags=bicubic+accurate_rnd+full_chroma_int")
        let (_, mean) = VideoConformanceTests.difference(pixels, frame)
        #expect(mean < 4, "\(mean)")
    }

    @Test(arguments: [("64/45", 256, 144), ("1/2", 180, 288), ("1/1", 180, 144)])
    func pixelsThatAreNotSquareAreStretched(shape: String, width: Int, height: Int) throws {
        for container in ["mp4", "mkv", "ts"] {
            let data = try VideoSample(
                container, "-c:v libx264 -preset ultrafast -pix_fmt yuv420p",
                source: "testsrc2=size=180x144:rate=25:duration=1,setsar=\(shape)"
            ).data
            let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
            #expect(info.pixelSize == PixelSize(width: width, height: height))
            let pixels = try Self.decode(data).pixels
            #expect(pixels.width == width && pixels.height == height)
            var options = VideoConformanceTests.options
            options.thumbnailPixelSize = PixelSize(width: 64, height: 64)
            let small = try ImageVideoCoder.shared.decode(data, options: options).pixels
            #expect(max(small.width, small.height) == 64)
            #expect(abs(small.width * height - small.height * width) <= max(width, height))
        }
    }

    /// swscale has rows of its own for widths that are multiples of some numbers.
    @Test func everyWidthIsDecoded() throws {
        for width in Array(2...40) + [127, 129, 254, 258] {
            let data = try VideoSample(
                "avi", "-c:v mjpeg -pix_fmt yuvj444p",
                source: VideoSample.color("0x40A0C0", size: "320x6", seconds: 0.1)
                    + ",format=gbrp,crop=\(width):6:0:0,format=yuvj444p"
            ).data
            let pixels = try Self.decode(data).pixels
            #expect(pixels.width == width)
            for x in 0..<width {
                let color = Self.color(pixels, x, 3)
                #expect(zip(color, [0x40, 0xA0, 0xC0]).allSatisfy { abs($0 - $1) <= 4 }, "\(width): \(x): \(color)")
            }
        }
    }

    // MARK: Colours

    private struct Signal: Sendable {
        let matrix: String
        let range: String
        let layout: String
    }

    private static let signals = ["bt709", "smpte170m", "bt2020nc", "fcc", "smpte240m"].flatMap { matrix in
        ["tv", "pc"].flatMap { range in
            ["yuv444p", "yuv420p10le"].map { Signal(matrix: matrix, range: range, layout: $0) }
        }
    }

    /// A colour that is written by one matrix and range, and declared so, has the same red, green and blue again.
    @Test(arguments: signals.indices) func colorsAreThoseOfTheSignal(index: Int) throws {
        let signal = Self.signals[index]
        for color in [0x20C040, 0xE03020, 0x2030E0, 0x808080, 0xFFFFFF, 0x000000] {
            let hex = String(color, radix: 16)
            let text = "0x" + String(repeating: "0", count: 6 - hex.count) + hex
            let write = signal.matrix == "bt2020nc" ? "bt2020" : signal.matrix
            let data = try VideoSample(
                "mkv",
                "-c:v libx264 -preset ultrafast -qp 0 -colorspace \(signal.matrix) -color_range \(signal.range)",
                source: VideoSample.color(text, seconds: 0.1)
                    + ",format=gbrp,scale=out_color_matrix=\(write):out_range=\(signal.range),format=\(signal.layout)"
            ).data
            let found = Self.color(try Self.decode(data).pixels, 30, 20)
            let wanted = [color >> 16, color >> 8 & 255, color & 255]
            #expect(zip(found, wanted).allSatisfy { abs($0 - $1) <= 3 }, "\(signal): \(found), not \(wanted)")
        }
    }

    /// A video without a declared matrix has that of its resolution.
    @Test(arguments: [("64x48", "smpte170m"), ("720x576", "smpte170m"), ("1280x720", "bt709")])
    func matrixFollowsTheResolution(size: String, matrix: String) throws {
        let data = try VideoSample(
            "avi", "-c:v mpeg4 -q:v 1",
            source: VideoSample.color("0x20C040", size: size, seconds: 0.1)
                + ",format=gbrp,scale=out_color_matrix=\(matrix),format=yuv420p"
        ).data
        let found = Self.color(try Self.decode(data).pixels, 30, 20)
        #expect(zip(found, [0x20, 0xC0, 0x40]).allSatisfy { abs($0 - $1) <= 4 }, "\(found)")
    }

    /// The brightest light is written beside the frames (SEI), and decides how the picture is mapped to the standard range.
    @Test func brightestLightOfTheFramesCounts() throws {
        func picture(_ light: String, keeps: Bool) throws -> Image {
            let data = try VideoSample(
                "mkv",
                "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc smpte2084 -colorspace "
                    + "bt2020nc -x265-params log-level=none:hdr10=1:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc"
                    + light,
                source: "testsrc2=size=64x48:rate=25:duration=0.2"
            ).data
            var options = VideoConformanceTests.options
            if keeps { options.dynamicRange = .keep }
            return try ImageVideoCoder.shared.decode(data, options: options)
        }
        let light = try picture(":max-cll=4000,321", keeps: true).hdr?.contentLight
        #expect(light?.maximum == 4000 && light?.average == 321)
        #expect(try picture("", keeps: true).hdr?.contentLight == nil)
        // A curve for 4,000 nits leaves less for white than one for the usual 1,000.
        let (bright, usual) = try (
            picture(":max-cll=4000,321", keeps: false), picture(":max-cll=1000,321", keeps: false)
        )
        let points = (0..<768).map { CGPoint(x: $0 % 32 * 2, y: $0 / 32 * 2) }
        let sums = [bright, usual].map { image in
            points.reduce(0.0) { $0 + Double(image.color(at: $1).map { $0.red + $0.green + $0.blue } ?? 0) }
        }
        #expect(sums[0] < sums[1] * 0.99, "\(sums)")
    }

    /// PQ and HLG are mapped to the standard range like those of other formats, or kept.
    @Test(arguments: [("smpte2084", 16), ("arib-std-b67", 18)])
    func highRangeIsMappedOrKept(transfer: String, code: Int) throws {
        let data = try VideoSample(
            "mp4",
            "-c:v libx265 -preset ultrafast -pix_fmt yuv420p10le -color_primaries bt2020 -color_trc \(transfer) "
                + "-colorspace bt2020nc -x265-params log-level=none:colorprim=bt2020:transfer=\(transfer):"
                + "colormatrix=bt2020nc",
            source: "testsrc2=size=64x48:rate=25:duration=0.2"
        ).data
        let info = try ImageVideoCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.hdr?.transfer?.rawValue == code && info.hdr?.primaries == 9 && info.bitDepth == 10)
        var options = VideoConformanceTests.options
        options.dynamicRange = .keep
        let kept = try ImageVideoCoder.shared.decode(data, options: options)
        #expect(kept.pixels.format == .rgba16 && kept.hdr?.transfer?.rawValue == code)
        let profile = try #require(kept.colorProfile)
        let expected = try kept.pixels.convertedToSRGB(from: profile, isOpaque: true, narrows: true)
        let mapped = try Self.decode(data)
        #expect(mapped.hdr == nil && mapped.colorProfile == nil)
        #expect(try Samples.difference(mapped, Image(pixels: expected, hasAlpha: false)) <= 1)
    }
}
