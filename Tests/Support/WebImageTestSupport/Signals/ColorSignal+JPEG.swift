package import Foundation

extension ColorSignal {
    package enum JPEGLayout: String, Sendable, CaseIterable {
        case gray, rgb, ycc, cmyk, cmykWithoutMarker, ycck

        package var model: Model { self == .gray ? .gray : self == .rgb || self == .ycc ? .rgb : .cmyk }
    }

    /// Returns a baseline JPEG. Every block is flat and every quantisation factor is 1, so the file has no coding error
    /// except the rounding of YCC. CMYK is stored inverted, as in every known file.
    ///
    /// - Parameters:
    ///   - profile: An ICC profile. It is split into segments of `segmentLength` bytes.
    ///   - firstSegment: The number of the first segment. The format requires 1.
    package func jpeg(
        _ layout: JPEGLayout, profile: Data? = nil, segmentLength: Int = 60_000, firstSegment: Int = 1
    ) -> Data {
        precondition(layout.model == model && bits == 8 && !hasAlpha)
        var file = Data([0xFF, 0xD8])
        let transform: UInt8? =
            switch layout {
            case .gray, .ycc, .cmykWithoutMarker: nil
            case .rgb, .cmyk: 0
            case .ycck: 2
            }
        if let transform { file += Self.segment(0xEE, Data("Adobe".utf8) + Data([0, 100, 0, 0, 0, 0, transform])) }
        if let profile { file += Self.segments(of: profile, length: segmentLength, first: firstSegment) }
        let count = channelCount
        let components = (1...count).map { UInt8($0) }
        file += Self.segment(0xDB, Data([0] + Array(repeating: 1, count: 64)))
        let side = UInt8(Self.side)
        file += Self.segment(0xC0, Data([8, 0, side, 0, side, UInt8(count)] + components.flatMap { [$0, 0x11, 0] }))
        // The code of a DC category is its number in four bits. The only AC code, a single 0, ends the block.
        file += Self.segment(0xC4, Data([0x00] + [0, 0, 0, 12] + Array(repeating: 0, count: 12) + (0..<12)))
        file += Self.segment(0xC4, Data([0x10] + [1] + Array(repeating: 0, count: 15) + [0]))
        file += Self.segment(0xDA, Data([UInt8(count)] + components.flatMap { [$0, 0] } + [0, 63, 0]))
        return file + scan(layout) + Data([0xFF, 0xD9])
    }

    private func scan(_ layout: JPEGLayout) -> Data {
        var bits: [Bool] = []
        func append(_ value: Int, _ count: Int) {
            for place in (0..<count).reversed() { bits.append(value >> place & 1 == 1) }
        }
        var before = Array(repeating: 0, count: channelCount)
        let blocks = Self.side / 8
        for block in 0..<blocks * blocks {
            let patch = Self.patch(atX: block % blocks * 8, y: block / blocks * 8)
            for (channel, value) in components(layout, stored(patch)).enumerated() {
                // The DC coefficient of a flat block is eight times its value.
                let coefficient = 8 * (value - 128)
                let difference = coefficient - before[channel]
                before[channel] = coefficient
                let category = Int.bitWidth - abs(difference).leadingZeroBitCount
                append(category, 4)
                append(difference < 0 ? difference + (1 << category) - 1 : difference, category)
                append(0, 1)
            }
        }
        while bits.count % 8 != 0 { bits.append(true) }
        var data = Data()
        for start in stride(from: 0, to: bits.count, by: 8) {
            let byte = bits[start..<start + 8].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
            data.append(byte)
            if byte == 0xFF { data.append(0) }
        }
        return data
    }

    /// Returns the values of a pixel's components.
    private func components(_ layout: JPEGLayout, _ values: [Int]) -> [Int] {
        switch layout {
        case .gray, .rgb: return values
        case .ycc: return Self.ycc(values)
        case .cmyk, .cmykWithoutMarker: return values.map { 255 - $0 }
        // libjpeg converts YCC to RGB and inverts the result, so that the inks are inverted like the black.
        case .ycck: return Self.ycc(Array(values.prefix(3))) + [255 - values[3]]
        }
    }

    private static func ycc(_ rgb: [Int]) -> [Int] {
        let (r, g, b) = (Double(rgb[0]), Double(rgb[1]), Double(rgb[2]))
        return [
            0.299 * r + 0.587 * g + 0.114 * b, 128 - 0.168736 * r - 0.331264 * g + 0.5 * b,
            128 + 0.5 * r - 0.418688 * g - 0.081312 * b,
        ].map { min(max(Int($0.rounded()), 0), 255) }
    }

    private static func segments(of profile: Data, length: Int, first: Int) -> Data {
        let starts = Array(stride(from: 0, to: profile.count, by: length))
        return starts.enumerated().reduce(Data()) { file, part in
            let bytes = profile.dropFirst(part.element).prefix(length)
            return file
                + segment(
                    0xE2, Data("ICC_PROFILE\0".utf8) + Data([UInt8(first + part.offset), UInt8(starts.count)]) + bytes)
        }
    }

    private static func segment(_ marker: UInt8, _ payload: Data) -> Data {
        Data([0xFF, marker, UInt8((payload.count + 2) >> 8), UInt8((payload.count + 2) & 255)]) + payload
    }
}
