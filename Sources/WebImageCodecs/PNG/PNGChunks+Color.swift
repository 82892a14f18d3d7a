import Foundation
import WebImageCore
import WebImageGraphics

extension PNGChunks {
    /// Returns the colour profile of the pixels, or nil for sRGB. `reader` must have read the header.
    ///
    /// The first usable chunk of this list applies: `cICP`, `iCCP`, `sRGB`, `gAMA` with `cHRM` (PNG third edition, §4.3).
    /// For colours that the file declares with numbers, the profile is created from the numbers. Therefore an image that
    /// keeps the stored values always has the description of these values.
    func profile(_ reader: PNGReader) -> ColorProfile? { profile { reader.profile } }

    /// Returns the same profile as ``profile(_:)``, but creates the reader instead of receiving a reader. The reader
    /// reads only the chunks before the pixels, so `bytes` is allowed to end where the pixels begin.
    func profile(in bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) -> ColorProfile? {
        let stored = colors?.codes == nil ? try storedProfile(in: bytes, limits: limits) : nil
        return profile { stored }
    }

    private func profile(stored: () -> ColorProfile?) -> ColorProfile? {
        if let codes = colors?.codes {
            return ColorProfile(primaries: codes.primaries, transfer: codes.transfer, light: colors?.contentLight)
        }
        if iccProfile != nil, let stored = stored() { return stored }
        guard !isMarkedSRGB, let measured = colors?.measured, !measured.isSRGB else { return nil }
        return measured.profile(isGray: header.isGray)
    }

    /// The dynamic range that `cICP` declares; nil for standard dynamic range.
    var hdr: HDRDescription? {
        guard let codes = colors?.codes, let transfer = HDRDescription.Transfer(rawValue: codes.transfer) else {
            return nil
        }
        return HDRDescription(transfer: transfer, primaries: codes.primaries, contentLight: colors?.contentLight)
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
}

/// The colours that a PNG file declares with numbers instead of an ICC profile.
struct PNGColors: Sendable {
    /// The colours in `cICP`. Nil if the file has no such chunk, or if this package does not support the codes in it.
    var codes: (primaries: Int, transfer: Int)?
    /// The transfer function in `gAMA` with the primaries in `cHRM`. If the file has no `cHRM`, the primaries are those
    /// of sRGB.
    var measured: ColorDescription?
    /// The brightest light in `cLLI`, or that of the display in `mDCV`. Nil if the file declares neither.
    private(set) var contentLight: ContentLightLevel?

    init(_ bytes: UnsafeRawBufferPointer, gamma: Range<Int>?, chromaticities: Range<Int>?, codePoints: Range<Int>?) {
        // PNG allows only matrix 0 (RGB) and range 1 (full).
        if let start = codePoints?.lowerBound, bytes.byte(at: start + 2) == 0, bytes.byte(at: start + 3) == 1 {
            let declared = (primaries: Int(bytes[start]), transfer: Int(bytes[start + 1]))
            if ColorProfile.supports(primaries: declared.primaries, transfer: declared.transfer) { codes = declared }
        }
        guard let start = gamma?.lowerBound, let stored = bytes.bigEndian32(at: start), (1000...1_000_000) ~= stored
        else { return }
        measured = ColorDescription(
            primaries: chromaticities.flatMap { Self.primaries(bytes, at: $0.lowerBound) } ?? .bt709,
            gamma: 100_000 / Double(stored))
    }

    /// Both chunks count in units of 0.0001 nits (PNG third edition, §11.3.2.7 and §11.3.2.8).
    mutating func setLight(_ bytes: UnsafeRawBufferPointer, level: Range<Int>?, display: Range<Int>?) {
        func nits(_ chunk: Range<Int>?, _ offset: Int) -> Int {
            chunk.flatMap { bytes.bigEndian32(at: $0.lowerBound + offset) }.map { ($0 + 9999) / 10_000 } ?? 0
        }
        if nits(level, 0) > 0 {
            contentLight = ContentLightLevel(maximum: nits(level, 0), average: nits(level, 4))
        } else if nits(display, 16) > 0 {
            contentLight = ContentLightLevel(maximum: nits(display, 16))
        }
    }

    private static func primaries(_ bytes: UnsafeRawBufferPointer, at start: Int) -> ColorDescription.Primaries? {
        let numbers = (0..<8).compactMap { bytes.bigEndian32(at: start + 4 * $0).map { Double($0) / 100_000 } }
        guard numbers.count == 8, numbers.allSatisfy({ $0 < 1 }), [1, 3, 5, 7].allSatisfy({ numbers[$0] > 0.001 })
        else { return nil }
        func pair(_ index: Int) -> [Double] { Array(numbers[2 * index..<2 * index + 2]) }
        return .init(white: pair(0), red: pair(1), green: pair(2), blue: pair(3))
    }
}
