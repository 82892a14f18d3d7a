import Foundation
import WebImageCore

/// The picture size that an HEVC sequence parameter set declares (ITU-T H.265, §7.3.2.2).
struct HEVCParameters {
    /// The number of decoded pixels, including the padding that an encoder adds at the edges to fill its blocks.
    let codedPixelCount: Int
    /// The minimum number of pixels that the picture can have without the padding. An encoder adds at most 63 px to the
    /// width and at most 63 px to the height, because its largest block has 64×64 px.
    let pixelCount: Int

    /// Parses a unit. Returns nil if the unit is not a sequence parameter set or is truncated.
    init?(_ unit: some Collection<UInt8>) {
        var bits = HEVCBits(unit.prefix(512))
        guard let header = bits.read(16), header >> 9 & 63 == 33, header >> 3 & 63 == 0,
            bits.read(4) != nil, let subLayers = bits.read(3), bits.skip(1 + 96)
        else { return nil }
        // Each lower layer has two bits. Bit 1 is set if the layer has a profile. Bit 0 is set if the layer has a
        // level.
        var present: [Int] = []
        for _ in 0..<subLayers { present.append(bits.read(2) ?? 0) }
        if subLayers > 0 { _ = bits.skip(2 * (8 - subLayers)) }
        for flags in present { _ = bits.skip((flags & 2 != 0 ? 88 : 0) + (flags & 1 != 0 ? 8 : 0)) }
        guard bits.readGolomb() != nil, let chroma = bits.readGolomb() else { return nil }
        if chroma == 3 { _ = bits.skip(1) }
        guard let width = bits.readGolomb(), let height = bits.readGolomb() else { return nil }
        // Width and height can be numbers of 33 bits, so a plain product could overflow.
        codedPixelCount = PixelSize(width: width, height: height).pixelCount
        pixelCount = PixelSize(width: max(1, width - 63), height: max(1, height - 63)).pixelCount
    }
}

/// Reads the bits of a unit. Skips the emulation prevention bytes (H.265, §7.4.2). Encoders insert these bytes so that
/// the data contains no start code.
private struct HEVCBits {
    private var bytes: [UInt8] = []
    private var position = 0

    init(_ unit: some Collection<UInt8>) {
        var zeros = 0
        for byte in unit {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            bytes.append(byte)
        }
    }

    mutating func read(_ count: Int) -> Int? {
        guard position + count <= bytes.count * 8 else { return nil }
        var value = 0
        for _ in 0..<count {
            value = value << 1 | Int(bytes[position / 8] >> (7 - position % 8) & 1)
            position += 1
        }
        return value
    }

    mutating func skip(_ count: Int) -> Bool {
        position += count
        return position <= bytes.count * 8
    }

    /// Reads an unsigned Exp-Golomb number (H.265, §9.2). Returns nil if the data ends or if the number has more than
    /// 32 leading zero bits.
    mutating func readGolomb() -> Int? {
        var zeros = 0
        while true {
            guard let bit = read(1), zeros <= 32 else { return nil }
            if bit == 1 { break }
            zeros += 1
        }
        guard let rest = read(zeros) else { return nil }
        return (1 << zeros) - 1 + rest
    }
}
