import Foundation
import WebImageCore
import WebImageGraphics

extension PNGChunks {
    /// Returns the colour profile of the pixels, or nil for sRGB. `reader` must have read the header.
    ///
    /// The first existing chunk of this list applies: `cICP`, `iCCP`, `sRGB`, `gAMA` with `cHRM` (PNG third edition,
    /// §4.3). Only `iCCP` contains a profile that can be attached to the image. The other chunks are used only if the
    /// options request conversion to sRGB.
    func profile(_ reader: PNGReader, _ options: DecodingOptions) -> ColorProfile? {
        if options.colorConversion == .sRGB, let described { return described.profile }
        return iccProfile == nil ? nil : reader.profile
    }

    /// Returns the same profile as ``profile(_:_:)``, but creates the reader instead of receiving a reader. The reader
    /// reads only the chunks before the pixels, so `bytes` is allowed to end where the pixels begin.
    func profile(in bytes: UnsafeRawBufferPointer, _ options: DecodingOptions) throws(WebImageError) -> ColorProfile? {
        if options.colorConversion == .sRGB, let described { return described.profile }
        return try storedProfile(in: bytes, limits: options.limits)
    }

    /// Returns the profile in the `iCCP` chunk. Returns nil if the file has no such chunk or the profile is invalid.
    func storedProfile(
        in bytes: UnsafeRawBufferPointer, limits: DecodingLimits
    ) throws(WebImageError) -> ColorProfile? {
        guard iccProfile != nil else { return nil }
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: limits)
        return reader.profile
    }

    /// The profile for the colours that the file declares with numbers. A usable `cICP` chunk applies first. If there
    /// is none, `gAMA` and `cHRM` apply, but only if the file has neither `iCCP` nor `sRGB`. If no chunk applies, the
    /// value is nil. In the tuple, `profile` is nil for sRGB. The second element is unused; Swift has no tuples of one
    /// element.
    private var described: (profile: ColorProfile?, Void)? {
        if let codes = colors?.codes { return (codes.isSRGB ? nil : codes.profile(isGray: header.isGray), ()) }
        guard iccProfile == nil, !isMarkedSRGB, let colors = colors?.measured else { return nil }
        return (colors.isSRGB ? nil : colors.profile(isGray: header.isGray), ())
    }
}

/// The colours that a PNG file declares with numbers instead of an ICC profile.
struct PNGColors: Sendable {
    /// The colours in `cICP`. Nil if the file has no such chunk, or if this package does not support the codes in it.
    var codes: ColorDescription?
    /// The transfer function in `gAMA` with the primaries in `cHRM`. If the file has no `cHRM`, the primaries are those
    /// of sRGB.
    var measured: ColorDescription?

    init(_ bytes: UnsafeRawBufferPointer, gamma: Range<Int>?, chromaticities: Range<Int>?, codePoints: Range<Int>?) {
        // PNG allows only matrix 0 (RGB) and range 1 (full).
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
