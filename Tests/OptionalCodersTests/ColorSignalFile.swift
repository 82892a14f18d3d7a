import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageCodecs
import WebImageGraphics
import WebImageHEIF
import WebImageJXL
import WebImageTIFF
import WebImageTestSupport

/// A file of a ``ColorSignal``.
struct ColorSignalFile: Sendable, CustomTestStringConvertible {
    let name: String
    let signal: ColorSignal
    let data: Data
    /// The largest error of the coding in a channel, from 0 to 255.
    var tolerance = 2

    var testDescription: String { "\(name): \(signal)" }

    init(_ name: String, _ signal: ColorSignal, tolerance: Int = 2, _ data: Data) {
        (self.name, self.signal, self.data, self.tolerance) = (name, signal, data, tolerance)
    }

    static let coders = ImageCodersManager(coders: [
        ImageJPEGCoder.shared, ImagePNGCoder.shared, ImageGIFCoder.shared, ImageWebPCoder.shared, ImageBMPCoder.shared,
        ImageICOCoder.shared, ImageAVIFCoder.shared, ImageHEICCoder.shared, ImageJPEGXLCoder.shared,
        ImageTIFFCoder.shared,
    ])

    /// Returns the message of the largest difference between an image and the signal; nil if no difference exceeds the
    /// tolerance. Compares the centre of each patch. The image's own profile must describe its pixels.
    func difference(_ image: Image, tolerance: Int? = nil) throws -> String? {
        var pixels = image.pixels
        if let profile = image.colorProfile {
            pixels = try pixels.converted(to: pixels.format.bitsPerComponent > 8 ? .rgba16 : pixels.format)
                .convertedToSRGB(from: profile, isOpaque: !image.hasAlpha)
        }
        pixels = try pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha)
        guard pixels.width == pixels.height, pixels.width >= 32 else { return "the size is \(image.pixelSize)" }
        var worst: (difference: Int, message: String)?
        for patch in 0..<ColorSignal.patchCount {
            let center = ColorSignal.center(ofPatch: patch, side: pixels.width)
            let seen = pixels.withUnsafeBytes { bytes in
                (0..<4).map { Int(bytes[center.y * pixels.bytesPerRow + center.x * 4 + $0]) }
            }
            let wanted = signal.shown(patch)
            // A colour that was multiplied by alpha has lost precision in proportion to its transparency.
            let weights = [wanted[3], wanted[3], wanted[3], 255]
            let difference = zip(zip(seen, wanted), weights).map { abs($0.0 - $0.1) * $1 / 255 }.max() ?? 0
            if difference > (tolerance ?? self.tolerance), difference > worst?.difference ?? 0 {
                worst = (difference, "patch \(patch) is \(seen) instead of \(wanted)")
            }
        }
        return worst?.message
    }

    func decode(_ change: (inout DecodingOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodingOptions()
        change(&options)
        return try Self.coders.decode(data, options: options)
    }

    /// The stored values as an image with the signal's profile. Nil for CMYK, PQ and HLG.
    static func image(of signal: ColorSignal, expandsGray: Bool = false) throws -> Image? {
        guard signal.model != .cmyk, signal.space.hasProfile else { return nil }
        let format: PixelFormat =
            signal.bits == 16
            ? .rgba16
            : signal.hasAlpha ? .rgba8 : signal.model == .gray && !expandsGray ? .gray8 : .rgb8
        let pixels = try PixelBuffer(width: ColorSignal.side, height: ColorSignal.side, format: format)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<ColorSignal.side {
                for x in 0..<ColorSignal.side {
                    var values = signal.stored(ColorSignal.patch(atX: x, y: y))
                    if signal.model == .gray, format != .gray8 { values = [values[0], values[0]] + values }
                    if !signal.hasAlpha { values.append(signal.maximum) }
                    let start = y * pixels.bytesPerRow + x * format.bytesPerPixel
                    for channel in 0..<format.channelCount {
                        if signal.bits == 16 {
                            bytes.storeBytes(
                                of: UInt16(values[channel]), toByteOffset: start + channel * 2, as: UInt16.self)
                        } else {
                            bytes[start + channel] = UInt8(values[channel])
                        }
                    }
                }
            }
        }
        let profile = signal.space == .sRGB ? nil : signal.profile.map(ColorProfile.init(iccData:))
        return Image(pixels: pixels, colorProfile: profile, hasAlpha: signal.hasAlpha)
    }
}

extension ColorSignalFile {
    static let png: [Self] = ColorSignal.signals.flatMap { signal -> [Self] in
        var files: [Self] = []
        if signal.space == .sRGB { files.append(Self("PNG", signal, signal.png(.none))) }
        files.append(Self("PNG, cICP", signal, signal.png(.numbers)))
        if signal.space == .linear { files.append(Self("PNG, gAMA", signal, signal.png(.numbers, usesGamma: true))) }
        if signal.space.hasProfile { files.append(Self("PNG, iCCP", signal, signal.png(.profile))) }
        return files
    }

    static let jpeg: [Self] = {
        var files: [Self] = []
        for layout in ColorSignal.JPEGLayout.allCases {
            let tolerance = layout == .ycc || layout == .ycck ? 4 : 2
            for space in layout.model == .cmyk ? [ColorSignal.Space.sRGB] : [.sRGB, .displayP3, .linear] {
                // The smallest error of dark linear light has 13 steps.
                if layout == .ycc, space == .linear { continue }
                let signal = ColorSignal(layout.model, space)
                let name = "JPEG \(layout.rawValue)"
                if space == .sRGB { files.append(Self(name, signal, tolerance: tolerance, signal.jpeg(layout))) }
                guard let profile = signal.profile else { continue }
                for first in [1, 0] {
                    let data = signal.jpeg(layout, profile: profile, segmentLength: 200, firstSegment: first)
                    files.append(Self("\(name), profile from segment \(first)", signal, tolerance: tolerance, data))
                }
            }
        }
        return files
    }()

    /// Files of the coders whose formats no writer of this test writes.
    static let coded: [Self] = {
        var files: [Self] = []
        var options = EncodingOptions()
        options.lossless = true
        for signal in ColorSignal.signals where signal.bits == 8 && signal.space.hasProfile {
            for format in [ImageFormat.webP, .avif, .jpegXL] {
                guard let image = try? image(of: signal),
                    let data = try? coders.encode(image, format: format, options: options)
                else { continue }
                files.append(Self(format.name ?? "", signal, data))
            }
        }
        return files
    }()

    static let tiff: [Self] = ColorSignal.signals.filter { $0.space.hasProfile && $0.bits == 8 && !$0.hasAlpha }
        .flatMap { signal in
            let profile = signal.space == .sRGB ? nil : signal.profile
            return [false, true].map { big in
                Self("TIFF", signal, signal.tiff(.init(isBigEndian: big), profile: profile))
            }
        }
}

extension ColorSignal {
    /// The signals of grey and RGB in every space.
    static let signals: [Self] = [Model.gray, .rgb].flatMap { model in
        Space.allCases.flatMap { space in
            [8, 16].flatMap { bits in
                [false, true].map { Self(model, space, bits: bits, hasAlpha: $0) }
            }
        }
    }.filter { $0.bits == 16 || $0.space.hasProfile }
}
