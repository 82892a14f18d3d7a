import Foundation

/// The size in a sequence parameter set of HEVC (ITU-T H.265, §7.3.2.2).
struct HEVCParameters {
    /// Pixels that are decoded, including those that an encoder adds at the edges to fill its blocks.
    let codedPixelCount: Int
    /// The least number of pixels the picture can have: an encoder adds less than its largest block of 64×64 px.
    let pixelCount: Int

    /// nil for any other unit, or one that is cut off.
    init?(_ unit: some Collection<UInt8>) {
        var bits = HEVCBits(unit.prefix(512))
        guard let header = bits.read(16), header >> 9 & 63 == 33, header >> 3 & 63 == 0,
            bits.read(4) != nil, let subLayers = bits.read(3), bits.skip(1 + 96)
        else { return nil }
        // Flags for whether the lower layers have a profile and a level.
        var present: [Int] = []
        for _ in 0..<subLayers { present.append(bits.read(2) ?? 0) }
        if subLayers > 0 { _ = bits.skip(2 * (8 - subLayers)) }
        for flags in present { _ = bits.skip((flags & 2 != 0 ? 88 : 0) + (flags & 1 != 0 ? 8 : 0)) }
        guard bits.readGolomb() != nil, let chroma = bits.readGolomb() else { return nil }
        if chroma == 3 { _ = bits.skip(1) }
        guard let width = bits.readGolomb(), let height = bits.readGolomb() else { return nil }
        codedPixelCount = width * height
        pixelCount = max(1, width - 63) * max(1, height - 63)
    }
}

/// The bits of a unit without its emulation prevention bytes, which keep start codes out of the data (H.265, §7.4.2).
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

    /// An unsigned Exp-Golomb number (§9.2), less than 2³².
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
