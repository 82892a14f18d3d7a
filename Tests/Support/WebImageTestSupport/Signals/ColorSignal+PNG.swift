package import Foundation

extension ColorSignal {
    /// How a file declares the colour space of its values.
    package enum Declaration: String, Sendable, CaseIterable {
        case none, numbers, profile
    }

    /// The ICC profile of the space; nil for sRGB without need of one, and for PQ and HLG.
    package var profile: Data? {
        switch (space, model) {
        case (_, .cmyk), (.pq, _), (.hlg, _): nil
        case (.sRGB, .gray): ICCSample.sRGBGray
        case (.sRGB, .rgb): ICCSample.sRGB
        case (.displayP3, .gray): ICCSample.sRGBGray
        case (.displayP3, .rgb): ICCSample.displayP3
        case (.linear, .gray): ICCSample.linearGray
        case (.linear, .rgb): ICCSample.linearRGB
        }
    }

    /// Returns a PNG file. PNG holds no CMYK.
    ///
    /// - Parameter usesGamma: Whether the numbers are in the chunk `gAMA` instead of `cICP`. Only for linear light.
    package func png(_ declaration: Declaration, usesGamma: Bool = false) -> Data {
        precondition(model != .cmyk)
        var chunks = Data()
        switch declaration {
        case .none: break
        case .numbers where usesGamma: chunks = PNGBytes.chunk("gAMA", PNGBytes.bigEndian(100_000))
        case .numbers:
            chunks = PNGBytes.chunk(
                "cICP", Data([UInt8(space.codePoints.primaries), UInt8(space.codePoints.transfer), 0, 1]))
        case .profile:
            chunks = PNGBytes.chunk(
                "iCCP", Data([0x70, 0, 0]) + PNGBytes.deflated(raw: [UInt8](profile ?? Data())))
        }
        let color = (model == .gray ? 0 : 2) + (hasAlpha ? 4 : 0)
        return PNGBytes.file(
            header: PNGBytes.header(Self.side, Self.side, depth: bits, color: color), before: chunks, rows: rows())
    }
}
