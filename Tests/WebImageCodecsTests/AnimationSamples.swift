import Foundation
import WebImageCodecs
import WebImageCore
import WebImageTestSupport

/// One frame of a generated animation. It consists of straight RGBA pixels and their position on the canvas.
struct SampleFrame {
    enum Disposal: Int, CaseIterable { case none, background, previous }

    var x: Int
    var y: Int
    var width: Int
    var height: Int
    var disposal: Disposal
    var isBlended: Bool
    /// The red, green, blue and alpha values of each pixel.
    var pixels: [[UInt8]]
}

/// A generated animation. It provides the file in each format, and the expected frames. A simple reference
/// implementation computes the expected frames.
struct SampleAnimation {
    var width = 6
    var height = 4
    var frames: [SampleFrame]

    /// Creates frames that are overlapping rectangles. The first frame and every third frame after it cover the canvas.
    ///
    /// The pixels are grey, because the GIF palette contains only greys. Pixels are partially transparent only if
    /// `hasHalfAlpha` is true, because GIF has no partial transparency. The coordinates are even, because WebP requires
    /// this.
    init(disposals: [SampleFrame.Disposal], blends: [Bool], hasHalfAlpha: Bool) {
        let rectangles = [(0, 0, 6, 4), (2, 0, 3, 3), (0, 2, 4, 2), (0, 0, 6, 4), (4, 2, 2, 2), (2, 2, 2, 1)]
        frames = zip(disposals, blends).enumerated().map { index, kind in
            let (x, y, width, height) = rectangles[index % rectangles.count]
            let pixels = (0..<width * height).map { (place: Int) -> [UInt8] in
                let grey = UInt8((place * 7 + index * 31) % 120 * 2)
                let alphas: [UInt8] = hasHalfAlpha ? [255, 128, 0, 60] : [255, 255, 0]
                let alpha = alphas[(place + index) % alphas.count]
                return alpha == 0 ? [0, 0, 0, 0] : [grey, grey, grey, alpha]
            }
            return SampleFrame(
                x: x, y: y, width: width, height: height, disposal: kind.0, isBlended: kind.1, pixels: pixels)
        }
    }

    /// The expected frames, composited on the canvas, as straight RGBA.
    var shown: [[Int]] {
        var canvas = [[UInt8]](repeating: [0, 0, 0, 0], count: width * height)
        return frames.map { frame in
            let before = canvas
            for row in 0..<frame.height {
                for column in 0..<frame.width {
                    let place = (frame.y + row) * width + frame.x + column
                    let pixel = frame.pixels[row * frame.width + column]
                    canvas[place] = frame.isBlended ? Self.over(pixel, canvas[place]) : pixel
                }
            }
            let result = canvas.flatMap { $0.map(Int.init) }
            switch frame.disposal {
            case .none: break
            case .background:
                for row in 0..<frame.height {
                    for column in 0..<frame.width {
                        canvas[(frame.y + row) * width + frame.x + column] = [0, 0, 0, 0]
                    }
                }
            case .previous: canvas = before
            }
            return result
        }
    }

    /// Blends two pixels by the formula of the PNG specification.
    private static func over(_ above: [UInt8], _ below: [UInt8]) -> [UInt8] {
        if above[3] == 0 { return below }
        if above[3] == 255 || below[3] == 0 { return above }
        let own = Int(above[3]) * 255
        let rest = (255 - Int(above[3])) * Int(below[3])
        return (0..<3).map { UInt8((Int(above[$0]) * own + Int(below[$0]) * rest) / (own + rest)) }
            + [UInt8((own + rest) / 255)]
    }

    var gif: Data {
        let parts = frames.flatMap { frame -> [UInt8] in
            let indices = frame.pixels.map { $0[3] == 0 ? UInt8(127) : $0[0] / 2 }
            return GIFBytes.control(delay: 5, disposal: frame.disposal.rawValue + 1, transparent: 127)
                + GIFBytes.image(x: frame.x, y: frame.y, width: frame.width, height: frame.height, indices: indices)
        }
        return GIFBytes.file(GIFBytes.screen(width, height), GIFBytes.loop(3), parts)
    }

    var png: Data {
        var chunks = PNGBytes.animationControl(frames: frames.count, plays: 3)
        var sequence = 0
        for (index, frame) in frames.enumerated() {
            let place = [sequence, frame.width, frame.height, frame.x, frame.y].reduce(Data()) {
                $0 + PNGBytes.bigEndian($1)
            }
            chunks += PNGBytes.chunk(
                "fcTL",
                place + Data([0, 50, 3, 232, UInt8(frame.disposal.rawValue), frame.isBlended ? 1 : 0]))
            let rows = (0..<frame.height).map { row in
                frame.pixels[row * frame.width..<(row + 1) * frame.width].flatMap { $0 }
            }
            sequence += 1
            if index == 0 {
                chunks += PNGBytes.chunk("IDAT", PNGBytes.deflated(rows))
            } else {
                chunks += PNGBytes.frameData(sequence, rows: rows)
                sequence += 1
            }
        }
        return PNGBytes.signature + PNGBytes.header(width, height) + chunks + PNGBytes.chunk("IEND")
    }

    func webP() throws -> Data {
        var chunks = WebPBytes.extended(width, height, flags: 0x12) + WebPBytes.animation(loops: 3)
        for frame in frames {
            let pixels = try Sample.buffer(frame.width, frame.height, .rgba8) { x, y, channel in
                Int(frame.pixels[y * frame.width + x][channel])
            }
            let place = [frame.x / 2, frame.y / 2, frame.width - 1, frame.height - 1, 50].reduce(Data()) {
                $0 + WebPBytes.littleEndian($1, byteCount: 3)
            }
            let flags = UInt8((frame.isBlended ? 0 : 2) | (frame.disposal == .background ? 1 : 0))
            chunks += WebPBytes.chunk("ANMF", place + Data([flags]) + (try WebPBytes.bitstream(pixels)))
        }
        return WebPBytes.riff(chunks)
    }
}

/// The animated formats of the built-in coders.
enum AnimatedFormat: String, CaseIterable, Sendable {
    case gif, png, webP

    var format: ImageFormat { self == .gif ? .gif : self == .png ? .png : .webP }

    func open(
        _ data: Data, _ pixelFormat: PixelFormat = .rgba8, _ change: (inout DecodingOptions) -> Void = { _ in }
    ) throws -> any AnimatedImageCoder {
        var options = DecodingOptions()
        options.pixelFormat = pixelFormat
        change(&options)
        return switch self {
        case .gif: try ImageGIFCoder(animation: data, options: options)
        case .png: try ImagePNGCoder(animation: data, options: options)
        case .webP: try ImageWebPCoder(animation: data, options: options)
        }
    }

    var encoder: any ImageCoder {
        switch self {
        case .gif: ImageGIFCoder.shared
        case .png: ImagePNGCoder.shared
        case .webP: ImageWebPCoder.shared
        }
    }

    func file(_ animation: SampleAnimation) throws -> Data {
        switch self {
        case .gif: animation.gif
        case .png: animation.png
        case .webP: try animation.webP()
        }
    }

    /// Returns one animation with `frameCount` frames for each sequence of disposals and blends that the format
    /// supports.
    func samples(frameCount: Int) -> [SampleAnimation] {
        let disposals = SampleFrame.Disposal.allCases.filter { self != .webP || $0 != .previous }
        let kinds = disposals.flatMap { disposal in
            (self == .gif ? [true] : [true, false]).map { (disposal, $0) }
        }
        let count = (0..<frameCount).reduce(1) { product, _ in product * kinds.count }
        return (0..<count).map { number in
            var rest = number
            let chosen = (0..<frameCount).map { _ in
                defer { rest /= kinds.count }
                return kinds[rest % kinds.count]
            }
            return SampleAnimation(
                disposals: chosen.map(\.0), blends: chosen.map(\.1), hasHalfAlpha: self != .gif)
        }
    }

    /// Returns a long animation in which each frame depends on all earlier frames.
    func long(frameCount: Int) -> SampleAnimation {
        var animation = SampleAnimation(
            disposals: .init(repeating: .none, count: frameCount), blends: .init(repeating: true, count: frameCount),
            hasHalfAlpha: false)
        for index in animation.frames.indices.dropFirst() where animation.frames[index].width == 6 {
            animation.frames[index].width = 2
            animation.frames[index].pixels.removeLast(16)
        }
        return animation
    }
}
