import Foundation
import WebImageCore

/// The chunk `pHYs` of a PNG file (PNG third edition, §11.3.4.3): the pixels on a metre.
enum PNGDensity {
    private static let inchesPerMetre = 1 / 0.0254
    private static let (tag, pixels) = ("pHYs" as FourCC, "IDAT" as FourCC)

    /// Returns the density that the first chunk of this kind declares; nil if it declares the shape of a pixel alone.
    static func read(_ bytes: UnsafeRawBufferPointer) -> PixelDensity? {
        var offset = 8
        while let length = bytes.bigEndian32(at: offset), let name = bytes.tag(at: offset + 4), name != pixels,
            let payload = bytes.range(at: offset + 8, count: length)
        {
            offset = payload.upperBound + 4
            guard name == tag else { continue }
            guard length == 9, bytes[payload.upperBound - 1] == 1,
                let horizontal = bytes.bigEndian32(at: payload.lowerBound),
                let vertical = bytes.bigEndian32(at: payload.lowerBound + 4)
            else { return nil }
            return PixelDensity(horizontal: perInch(horizontal), vertical: perInch(vertical))
        }
        return nil
    }

    /// The chunk counts whole pixels on a metre, so that it cannot tell 300 pixels on an inch from 299.9994.
    private static func perInch(_ perMetre: Int) -> Double {
        let whole = (Double(perMetre) / inchesPerMetre).rounded()
        return Int((whole * inchesPerMetre).rounded()) == perMetre ? whole : Double(perMetre) / inchesPerMetre
    }

    static func payload(of density: PixelDensity) -> [UInt8] {
        [density.horizontal, density.vertical].flatMap {
            PNGChunkWriter.bigEndian(UInt32(($0 * inchesPerMetre).rounded()))
        } + [1]
    }
}
