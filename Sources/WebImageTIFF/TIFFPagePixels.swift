import Foundation
import WebImageCore
import WebImageGraphics

/// The picture of a page while its rows arrive. Converts stored samples to channels of 8 or 16 bits.
struct TIFFPagePixels {
    private let layout: TIFFLayout
    private let samples: TIFFSamples
    private let palette: [[UInt16]]
    /// Grey, RGB or RGBA; also ink, and L*a*b* with alpha, until ``finished(profile:)``.
    private let pixels: PixelBuffer
    /// Alpha beside four channels of ink.
    private let alpha: PixelBuffer?
    private let isDeep: Bool
    /// Nine rows of 16-bit numbers: one for each stored channel, then three of palette colours, then one of the largest
    /// value.
    private let rows: PixelBuffer

    /// - Parameter isDeep: Whether the result has 16 bits per channel.
    init(_ layout: TIFFLayout, palette: [[UInt16]]?, size: PixelSize, isDeep: Bool) throws(WebImageError) {
        if layout.color == .palette, palette == nil { throw .badData("libtiff", "the palette is missing") }
        self.layout = layout
        self.palette = palette ?? []
        self.isDeep = isDeep
        samples = TIFFSamples(bits: layout.bits, isFloat: layout.isFloat, isIndex: layout.color == .palette)
        let hasAlpha = layout.alpha != .none
        let format: PixelFormat =
            switch layout.color {
            case .lab: .rgba16
            case .ink: .rgba8
            case _ where isDeep: .rgba16
            case .gray where !hasAlpha: .gray8
            default: hasAlpha ? .rgba8 : .rgb8
            }
        pixels = try PixelBuffer(width: size.width, height: size.height, format: format)
        let isInk = layout.color == .ink
        alpha = isInk && hasAlpha ? try PixelBuffer(width: size.width, height: size.height, format: .gray8) : nil
        rows = try PixelBuffer(width: size.width * 2, height: 9, format: .gray8)
        memset(rows.baseAddress, 0xFF, rows.byteCount)
    }

    /// Whether stored rows are rows of ``row(_:)``, without a conversion.
    var isStored: Bool { layout.isPicture && !isDeep }

    /// The place of a row.
    func row(_ y: Int) -> UnsafeMutableRawPointer { pixels.baseAddress + y * pixels.bytesPerRow }

    /// Whether colours stay multiplied by alpha. Only 8-bit grey and RGB do, because a division loses less in 16 bits.
    private var staysMultiplied: Bool {
        guard case .multiplied = layout.alpha, layout.bits == 8, !isDeep else { return false }
        return layout.color == .rgb || layout.color == .gray(isInverted: false)
    }

    /// Converts `count` pixels.
    ///
    /// - Parameter stored: The stored rows: one, or one for each channel if the file stores planes.
    func convert(_ stored: [UnsafeRawPointer], x: Int, y: Int, count: Int) {
        if isStored {
            let step = pixels.format.bytesPerPixel
            memcpy(row(y) + x * step, stored[0], count * step)
            return
        }
        let channels = (0..<9).map { index in
            UnsafeMutableBufferPointer(
                start: (rows.baseAddress + index * rows.bytesPerRow).assumingMemoryBound(to: UInt16.self), count: count)
        }
        for (index, sample) in layout.samples.enumerated() {
            if layout.isPlanar {
                samples.read(stored[index], first: 0, step: 1, to: channels[index])
            } else {
                samples.read(stored[0], first: sample, step: layout.samplesPerPixel, to: channels[index])
            }
        }
        let opacity = channels[layout.alpha == .none ? 8 : layout.color.channelCount]
        var colors = Array(channels[..<layout.color.channelCount])
        if layout.color == .palette {
            lookUp(colors[0], alpha: layout.alpha == .none ? nil : opacity, into: Array(channels[5..<8]))
            colors = Array(channels[5..<8])
        }
        if case .multiplied = layout.alpha, !staysMultiplied {
            for color in colors { Self.divide(color, by: opacity) }
        }
        switch layout.color {
        case .gray(isInverted: true): for index in 0..<count { colors[0][index] = ~colors[0][index] }
        case .lab(let isSigned): encodeLab(colors, isSigned: isSigned)
        default: break
        }
        if colors.count == 1, pixels.format != .gray8 { colors = [colors[0], colors[0], colors[0]] }
        if colors.count == 3, pixels.format.channelCount == 4 { colors.append(opacity) }
        Self.write(colors, to: row(y) + x * pixels.format.bytesPerPixel, isDeep: pixels.format == .rgba16)
        if let alpha {
            Self.write([opacity], to: alpha.baseAddress + y * alpha.bytesPerRow + x, isDeep: false)
        }
    }

    /// Replaces positions in the palette by colours.
    private func lookUp(
        _ positions: UnsafeMutableBufferPointer<UInt16>, alpha: UnsafeMutableBufferPointer<UInt16>?,
        into colors: [UnsafeMutableBufferPointer<UInt16>]
    ) {
        for (color, target) in zip(palette, colors) {
            for index in 0..<positions.count { target[index] = color[Int(positions[index])] }
        }
        guard let alpha, layout.bits < 16 else { return }
        // Alpha was read as stored, as the positions were.
        let largest = UInt32(1) << UInt32(layout.bits) - 1
        for index in 0..<alpha.count { alpha[index] = UInt16((UInt32(alpha[index]) * 65535 + largest / 2) / largest) }
    }

    /// The finished pixels. They are straight, with one exception: 8-bit colours that the file stores multiplied by
    /// alpha have the premultiplied format.
    func finished(profile: ColorProfile?, _ deadline: DecodeDeadline) throws(WebImageError) -> PixelBuffer {
        switch layout.color {
        case .ink:
            let converted = try pixels.convertedFromCMYK(isInverted: false, profile: profile)
            if let alpha { try PackedRows.setAlpha(of: converted, from: alpha) }
            return converted
        case .lab: return try pixels.convertedFromLab(to: isDeep ? .rgba16 : .rgba8, deadline)
        default:
            // `isOpaque: true` prevents a second multiplication: the conversion only swaps red and blue.
            return staysMultiplied ? try pixels.converted(to: .bgra8Premultiplied, isOpaque: true) : pixels
        }
    }

    private static func divide(
        _ color: UnsafeMutableBufferPointer<UInt16>, by opacity: UnsafeMutableBufferPointer<UInt16>
    ) {
        for index in 0..<color.count {
            let alpha = UInt64(opacity[index])
            guard alpha < 65535 else { continue }
            color[index] = alpha == 0 ? 0 : UInt16(min((UInt64(color[index]) * 65535 + alpha / 2) / alpha, 65535))
        }
    }

    /// Converts L*a*b* to the encoding of ICC version 4 with 16 bits: L* from 0 to 65535, a* and b* with the offset 128
    /// and 257 steps for each whole number.
    private func encodeLab(_ channels: [UnsafeMutableBufferPointer<UInt16>], isSigned: Bool) {
        let (lightness, a, b) = (channels[0], channels[1], channels[2])
        for index in 0..<lightness.count {
            for channel in [a, b] {
                // Changing the highest bit adds the offset to a signed number.
                let value = isSigned ? channel[index] ^ 0x8000 : channel[index]
                let whole = layout.bits == 8 ? UInt32(value >> 8) * 257 : UInt32(value) * 257 / 256
                channel[index] = UInt16(min(whole, 65535))
            }
            // ICC version 2, which ICCLab refers to, ends at 0xFF00.
            guard layout.bits == 16, !isSigned else { continue }
            lightness[index] = UInt16(min(UInt32(lightness[index]) * 65535 / 65280, 65535))
        }
    }

    private static func write(
        _ channels: [UnsafeMutableBufferPointer<UInt16>], to target: UnsafeMutableRawPointer, isDeep: Bool
    ) {
        let step = channels.count
        for (offset, channel) in channels.enumerated() {
            if isDeep {
                let words = target.assumingMemoryBound(to: UInt16.self) + offset
                for index in 0..<channel.count { words[index * step] = channel[index] }
            } else {
                let bytes = target.assumingMemoryBound(to: UInt8.self) + offset
                // Rounds to the nearest of 256 values.
                for index in 0..<channel.count {
                    bytes[index * step] = UInt8(truncatingIfNeeded: (UInt32(channel[index]) * 255 + 32895) >> 16)
                }
            }
        }
    }
}
