import CWebImageTIFF

/// Converts stored samples to numbers of 16 bits, where 65535 is the largest value.
struct TIFFSamples {
    let bits: Int
    let isFloat: Bool
    /// Whether the numbers are returned as stored, because they are positions in a palette.
    let isIndex: Bool

    /// Reads `target.count` samples from a row of samples.
    ///
    /// - Parameters:
    ///   - first: The position of the first sample in the row.
    ///   - step: The distance between two samples of the same channel.
    func read(
        _ row: UnsafeRawPointer, first: Int, step: Int, to target: UnsafeMutableBufferPointer<UInt16>
    ) {
        switch (bits, isFloat) {
        case (16, true):
            read(row, first: first, step: step, to: target) { (value: Float16) in Self.whole(Double(value)) }
        case (32, true): read(row, first: first, step: step, to: target) { (value: Float) in Self.whole(Double(value)) }
        case (64, true): read(row, first: first, step: step, to: target) { (value: Double) in Self.whole(value) }
        case (8, _):
            let scale: UInt16 = isIndex ? 1 : 257
            read(row, first: first, step: step, to: target) { (value: UInt8) in UInt16(value) &* scale }
        case (16, _): read(row, first: first, step: step, to: target) { (value: UInt16) in value }
        case (32, _):
            read(row, first: first, step: step, to: target) { (value: UInt32) in
                Self.rounded(UInt64(value), 0xFFFF_FFFF)
            }
        default: readBits(row, first: first, step: step, to: target)
        }
    }

    private func read<Stored>(
        _ row: UnsafeRawPointer, first: Int, step: Int, to target: UnsafeMutableBufferPointer<UInt16>,
        _ convert: (Stored) -> UInt16
    ) {
        let source = row.assumingMemoryBound(to: Stored.self) + first
        for index in 0..<target.count { target[index] = convert(source[index * step]) }
    }

    /// Reads samples that do not start at bytes. The first bit is the highest one; libtiff has reversed files with
    /// another order.
    private func readBits(
        _ row: UnsafeRawPointer, first: Int, step: Int, to target: UnsafeMutableBufferPointer<UInt16>
    ) {
        let bytes = row.assumingMemoryBound(to: UInt8.self)
        let largest = UInt64(1) << UInt64(bits) - 1
        if bits == 24 {
            // libtiff returns numbers of 24 bits in the byte order of this machine, which is little-endian.
            for index in 0..<target.count {
                let at = (first + index * step) * 3
                let value = UInt64(bytes[at + 2]) << 16 | UInt64(bytes[at + 1]) << 8 | UInt64(bytes[at])
                target[index] = Self.rounded(value, 0xFF_FFFF)
            }
            return
        }
        for index in 0..<target.count {
            let start = (first + index * step) * bits
            var value: UInt64 = 0
            for at in start / 8...(start + bits - 1) / 8 { value = value << 8 | UInt64(bytes[at]) }
            value = value >> UInt64(7 - (start + bits - 1) % 8) & largest
            target[index] = isIndex ? UInt16(value) : Self.rounded(value, largest)
        }
    }

    private static func rounded(_ value: UInt64, _ largest: UInt64) -> UInt16 {
        UInt16((value * 65535 + largest / 2) / largest)
    }

    /// Limits a real number to 0…1. A value that is no number becomes 0.
    private static func whole(_ value: Double) -> UInt16 {
        value > 0 ? UInt16(min(value, 1) * 65535 + 0.5) : 0
    }
}
