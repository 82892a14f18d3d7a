import Foundation
import WebImageCore
import WebImageGraphics

extension PNGChunks {
    /// The profile the pixels are meant in; nil is sRGB. `reader` has read the header.
    ///
    /// The first of `cICP`, `iCCP`, `sRGB` and `gAMA` with `cHRM` counts (PNG third edition, §4.3). All but `iCCP` are
    /// looked at only for conversion to sRGB, since as stored there is no profile to hand on.
    func profile(_ reader: PNGReader, _ options: DecodingOptions) -> ColorProfile? {
        if options.colorConversion == .sRGB, let described { return described.profile }
        return iccProfile == nil ? nil : reader.profile
    }

    /// The same from the bytes up to the pixels.
    func profile(in bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws(WebImageError) -> ColorProfile? {
        if options.colorConversion == .sRGB, let described { return described.profile }
        return try storedProfile(in: bytes, limits: options.limits)
    }

    /// The profile in the file.
    func storedProfile(
        in bytes: UnsafeRawBufferPointer, limits: DecodingLimits
    ) throws(WebImageError) -> ColorProfile? {
        guard iccProfile != nil else { return nil }
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: limits)
        return reader.profile
    }

    /// The colours described by the chunks without a profile, if those chunks apply.
    private var described: (profile: ColorProfile?, Void)? {
        if let codes = colors?.codes { return (codes.isSRGB ? nil : codes.profile(isGray: header.isGray), ()) }
        guard iccProfile == nil, !isMarkedSRGB, let colors = colors?.measured else { return nil }
        return (colors.isSRGB ? nil : colors.profile(isGray: header.isGray), ())
    }
}

/// What a PNG file says its colours are, beside a profile.
struct PNGColors: Sendable {
    /// `cICP`, when this library supports its values.
    var codes: ColorDescription?
    /// `gAMA` with `cHRM` or sRGB's primaries.
    var measured: ColorDescription?

    init(_ bytes: UnsafeRawBufferPointer, gamma: Range<Int>?, chromaticities: Range<Int>?, codePoints: Range<Int>?) {
        // Colours as red, green and blue over the full range are all that PNG allows.
        if let start = codePoints?.lowerBound, bytes.byte(at: start + 2) == 0, bytes.byte(at: start + 3) == 1 {
            codes = ColorDescription(primariesCode: Int(bytes[start]), transferCode: Int(bytes[start + 1]))
        }
        guard let start = gamma?.lowerBound, let stored = bytes.bigEndian32(at: start), (1000...1_000_000) ~= stored
        else { return }
        measured = ColorDescription(
            primaries: chromaticities.flatMap { Self.primaries(bytes, at: $0.lowerBound) } ?? .bt709,
            transfer: .power(100_000 / Double(stored)))
    }

    private static func primaries(_ bytes: UnsafeRawBufferPointer, at start: Int) -> ColorDescription.Primaries? {
        let numbers = (0..<8).compactMap { bytes.bigEndian32(at: start + 4 * $0).map { Double($0) / 100_000 } }
        guard numbers.count == 8, numbers.allSatisfy({ $0 < 1 }), [1, 3, 5, 7].allSatisfy({ numbers[$0] > 0.001 })
        else { return nil }
        func pair(_ index: Int) -> [Double] { Array(numbers[2 * index..<2 * index + 2]) }
        return .init(white: pair(0), red: pair(1), green: pair(2), blue: pair(3))
    }
}
