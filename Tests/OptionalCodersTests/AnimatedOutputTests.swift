import Foundation
import Testing
import WebImageAVIF
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageJXL
import WebImageTestTraits

/// Animations in every format that has them: frames, delays, plays, and what an unchanged frame costs.
@Suite(.timeLimit(minutes: 3))
struct AnimatedOutputTests {
    typealias Coder = any (ImageCoder & AnimatedImageCoder)

    static let formats: [ImageFormat] = [.gif, .png, .webP, .avif, .jpegXL]

    private func coder(_ format: ImageFormat) -> Coder {
        switch format {
        case .gif: ImageGIFCoder.shared
        case .png: ImagePNGCoder.shared
        case .webP: ImageWebPCoder.shared
        case .avif: ImageAVIFCoder.shared
        default: ImageJPEGXLCoder.shared
        }
    }

    private func open(_ data: Data, _ format: ImageFormat) throws -> Coder {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        switch format {
        case .gif: return try ImageGIFCoder(animation: data, options: options)
        case .png: return try ImagePNGCoder(animation: data, options: options)
        case .webP: return try ImageWebPCoder(animation: data, options: options)
        case .avif: return try ImageAVIFCoder(animation: data, options: options)
        default: return try ImageJPEGXLCoder(animation: data, options: options)
        }
    }

    /// A square that moves over a gradient; with alpha, the left half of odd frames is transparent.
    private func frame(_ index: Int, hasAlpha: Bool = false, side: Int = 48) throws(WebImageError) -> Image {
        let pixels = try PixelBuffer(width: side, height: side, format: .rgba8)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<side {
                for x in 0..<side {
                    let place = y * pixels.bytesPerRow + 4 * x
                    let isSquare = (index * 8..<index * 8 + 8).contains(x) && (16..<24).contains(y)
                    let isClear = hasAlpha && index % 2 == 1 && x < side / 2
                    bytes[place] = isClear ? 0 : isSquare ? 255 : UInt8(x * 2 & 255)
                    bytes[place + 1] = isClear ? 0 : isSquare ? 0 : UInt8(y * 2 & 255)
                    bytes[place + 2] = isClear ? 0 : 64
                    bytes[place + 3] = isClear ? 0 : 255
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: hasAlpha && index % 2 == 1)
    }

    /// The pixels in rows. The colour behind transparent ones does not count.
    private func pixels(_ image: Image) throws -> [UInt8] {
        let buffer = try image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha)
        var values = buffer.withUnsafeBytes { bytes in
            (0..<buffer.height).flatMap { bytes[$0 * buffer.bytesPerRow..<$0 * buffer.bytesPerRow + buffer.width * 4] }
        }
        for pixel in stride(from: 0, to: values.count, by: 4) where values[pixel + 3] == 0 {
            (values[pixel], values[pixel + 1], values[pixel + 2]) = (0, 0, 0)
        }
        return values
    }

    private static let delays = [0.07, 0.13, 0.03, 0.25, 0.04]

    @Test(arguments: formats, [0, 1, 2, 7])
    func framesDelaysAndPlaysAreKept(_ format: ImageFormat, plays: Int) throws {
        for (hasAlpha, lossless) in [(false, true), (true, true), (false, false), (true, false)] {
            var options = EncodingOptions()
            options.quality = 0.95
            options.lossless = lossless
            let file = try coder(format).encode(
                frameCount: Self.delays.count, loopCount: plays, format: format, options: options
            ) { index throws(WebImageError) in
                ImageFrame(image: try frame(index, hasAlpha: hasAlpha), duration: Self.delays[index])
            }
            let info = try coder(format).imageInfo(of: file, limits: .default)
            #expect(info.frameCount == Self.delays.count)
            #expect(info.delaysMilliseconds.map { $0.rounded() } == Self.delays.map { ($0 * 1000).rounded() })
            let animation = try open(file, format)
            let played = animation.animatedImagePlayCount
            #expect(played == plays, "\(format) \(played)")
            for index in Self.delays.indices {
                let (wanted, got) = (
                    try pixels(try frame(index, hasAlpha: hasAlpha)),
                    try pixels(try animation.frame(at: index))
                )
                let error = zip(wanted, got).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
                // GIF is not exact either. A frame in a wrong place or order would differ by more than 10 on average.
                let isExact = format == .png || (lossless && format != .gif)
                let limit = isExact ? 0 : 3 * wanted.count
                #expect(error <= limit, "\(format) frame \(index) alpha \(hasAlpha): \(error) of \(wanted.count)")
            }
        }
    }

    /// Many GIF files have delays of 0, which players show as 100 ms. JPEG XL draws a frame of no duration onto the next one.
    @Test(arguments: formats)
    func framesWithoutADelayStayFrames(_ format: ImageFormat) throws {
        let file = try coder(format).encode(
            frameCount: 3, loopCount: 0, format: format, options: EncodingOptions()
        ) { index throws(WebImageError) in
            ImageFrame(image: try frame(index), duration: 0)
        }
        #expect(try coder(format).imageInfo(of: file, limits: .default).frameCount == 3)
    }

    @Test(arguments: formats)
    func anUnchangedFrameCostsNearlyNothing(_ format: ImageFormat) throws {
        var options = EncodingOptions()
        options.quality = 0.8
        func size(_ count: Int) throws -> Int {
            try coder(format).encode(
                frameCount: count, loopCount: 0, format: format, options: options
            ) { _ throws(WebImageError) in
                ImageFrame(image: try frame(1, side: 200), duration: 0.05)
            }.count
        }
        let added = Double(try size(62) - size(2)) / 60
        #expect(added < 110, "\(format): \(added) bytes for each further frame")
    }
}
