import Foundation
import WebImage
import WebImageTestSupport

/// A TIFF file of one structure, and the picture that it contains: computed, and not read by any decoder.
struct TIFFStructure: Sendable, CustomStringConvertible {
    enum Colors: Int, CaseIterable {
        case gray = 1
        case invertedGray = 0
        case palette = 3
        case rgb = 2
        case ink = 5
        case lab = 8
        case iccLab = 9

        var channelCount: Int { self == .ink ? 4 : [.rgb, .lab, .iccLab].contains(self) ? 3 : 1 }
    }

    enum Alpha: Int, CaseIterable {
        case none = -1
        /// An extra sample without the field that declares its meaning.
        case undeclared = -2
        case unspecified = 0
        case multiplied = 1
        case straight = 2
    }

    enum Arrangement: CaseIterable {
        case oneStrip, strips, tiles, largeTiles

        var tile: PixelSize? {
            switch self {
            case .oneStrip, .strips: nil
            case .tiles: PixelSize(width: 16, height: 16)
            // Its byte counts are no multiples of 1024.
            case .largeTiles: PixelSize(width: 48, height: 48)
            }
        }
    }

    struct Page: Sendable {
        var size = PixelSize(width: 19, height: 17)
        var subfileType: Int?
        var oldSubfileType: Int?
        var orientation = 1
    }

    var colors = Colors.rgb
    var bits = 8
    /// 1 for whole numbers, 2 for numbers with a sign, 3 for real numbers.
    var sampleFormat = 1
    var alpha = Alpha.none
    var arrangement = Arrangement.strips
    var isPlanar = false
    var isBigEndian = false
    var isBigTIFF = false
    var isDeflated = false
    var pages = [Page()]
    /// Replaces or adds fields, for files of kinds that are not read.
    var fields: [Int: Int] = [:]
    /// The profile of RGB, or ``ICCSample/linearInk`` of inks.
    var profile: Data?

    var description: String {
        "\(colors) \(bits) bits format \(sampleFormat) \(alpha) \(arrangement)\(isPlanar ? " planar" : "")"
            + "\(isBigEndian ? " big-endian" : "")\(isBigTIFF ? " BigTIFF" : "")\(isDeflated ? " deflated" : "")"
            + (profile == nil ? "" : " with a profile")
    }

    var isFloat: Bool { sampleFormat == 3 }
    private var samplesPerPixel: Int { colors.channelCount + (alpha == .none ? 0 : 1) }

    // MARK: The signal

    /// The opacity at a place, as stored.
    func opacity(_ x: Int, _ y: Int) -> Double {
        alpha == .none ? 1 : stored(0.25 + 0.75 * Double((x * 3 + y * 5) % 17) / 16)
    }

    /// The largest whole number of this depth. Numbers of 64 bits are not read, so that their values are not compared.
    private var largest: Double { bits < 64 ? Double(UInt64(1) << UInt64(bits) - 1) : 0x1p62 }

    /// The number that a sample of this depth stores for a value from 0 to 1.
    private func stored(_ value: Double) -> Double {
        switch (isFloat, bits) {
        case (true, 16): return Double(Float16(value))
        case (true, 32): return Double(Float(value))
        case (true, _): return value
        default:
            let largest = largest
            return (value * largest).rounded() / largest
        }
    }

    private func signal(_ x: Int, _ y: Int, _ size: PixelSize) -> [Double] {
        let across = Double(x) / Double(max(size.width - 1, 1))
        let down = Double(y) / Double(max(size.height - 1, 1))
        let both = (across + down) / 2
        switch colors {
        case .gray, .invertedGray: return [across]
        case .palette: return [across]
        case .rgb: return [across, down, both]
        case .ink: return [across, down, both, down * 0.3]
        // L*, a* and b* inside of sRGB, as parts of the range of each.
        case .lab, .iccLab: return [0.3 + across * 0.5, (down - 0.5) * 30, (both - 0.5) * 24]
        }
    }

    private func paletteColor(_ index: Int, _ channel: Int) -> Int {
        [index &* 40503, index &* 25173 + 9000, 65535 - index &* 30011].map { $0 & 0xFFFF }[channel]
    }

    /// The samples of a pixel as the file stores them: parts of the range, or a position in the palette.
    private func samples(_ x: Int, _ y: Int, _ size: PixelSize) -> [Double] {
        let opacity = opacity(x, y)
        var values = signal(x, y, size).map { value in
            let inverted = colors == .invertedGray ? 1 - value : value
            return alpha == .multiplied ? stored(inverted * opacity) : stored(inverted)
        }
        if colors == .palette { values = [Double(Int(signal(x, y, size)[0] * Double(1 << bits - 1)))] }
        if colors == .lab || colors == .iccLab {
            let scale = bits == 8 ? 1.0 : 256.0
            let largest = bits == 8 ? 255.0 : colors == .lab ? 65535 : 65280
            values = signal(x, y, size)
            values[0] = (values[0] * largest).rounded() / largest
            for channel in 1...2 { values[channel] = (values[channel] * scale).rounded() / scale }
        }
        if alpha != .none { values.append(opacity) }
        return values
    }

    /// The straight RGBA of a pixel from 0 to 1: what the stored samples mean.
    func expected(_ x: Int, _ y: Int, _ size: PixelSize) -> [Double] {
        var values = samples(x, y, size)
        let opacity = alpha == .none ? 1 : values.removeLast()
        if alpha == .multiplied, colors != .palette { values = values.map { opacity == 0 ? 0 : min($0 / opacity, 1) } }
        switch colors {
        case .gray: return [values[0], values[0], values[0], opacity]
        case .invertedGray: return Array(repeating: 1 - values[0], count: 3) + [opacity]
        case .palette: return (0..<3).map { Double(paletteColor(Int(values[0]), $0)) / 65535 } + [opacity]
        case .rgb: return values + [opacity]
        case .ink where profile != nil: return Self.sRGB(lab: ICCSample.lab(ofInk: values)) + [opacity]
        case .ink: return (0..<3).map { (1 - values[$0]) * (1 - values[3]) } + [opacity]
        case .lab, .iccLab: return Self.sRGB(lab: [values[0] * 100, values[1], values[2]]) + [opacity]
        }
    }

    /// CIE 15:2004 for L*a*b* with the white D50, the inverse matrix of IEC 61966-2-1 adapted to D50, and its curve.
    private static func sRGB(lab: [Double]) -> [Double] {
        let fy = (lab[0] + 16) / 116
        let parts = [fy + lab[1] / 500, fy, fy - lab[2] / 200]
        let xyz = zip(parts, [0.9642, 1, 0.8249]).map { part, white in
            white * (part > 6 / 29 ? part * part * part : 3 * (6 / 29) * (6 / 29) * (part - 4 / 29))
        }
        let matrix = [
            [3.1338561, -1.6168667, -0.4906146], [-0.9787684, 1.9161415, 0.0334540],
            [0.0719453, -0.2289914, 1.4052427],
        ]
        return matrix.map { row in
            let linear = min(max(zip(row, xyz).map { $0 * $1 }.reduce(0, +), 0), 1)
            return linear <= 0.0031308 ? linear * 12.92 : 1.055 * pow(linear, 1 / 2.4) - 0.055
        }
    }

    // MARK: The file

    func file() -> Data {
        var file = Bytes(isBigEndian: isBigEndian)
        file.data = Data(isBigEndian ? "MM".utf8 : "II".utf8)
        file.add(isBigTIFF ? 43 : 42, bytes: 2)
        if isBigTIFF {
            file.add(8, bytes: 2)
            file.add(0, bytes: 2)
        }
        file.add(isBigTIFF ? 16 : 8, bytes: isBigTIFF ? 8 : 4)
        for (index, page) in pages.enumerated() { add(page, isLast: index == pages.count - 1, to: &file) }
        return file.data
    }

    private func add(_ page: Page, isLast: Bool, to file: inout Bytes) {
        let segments = segments(page.size)
        var values: [Int: (type: Int, values: [Int])] = [
            256: (4, [page.size.width]), 257: (4, [page.size.height]),
            258: (3, Array(repeating: bits, count: samplesPerPixel)), 259: (3, [isDeflated ? 8 : 1]),
            262: (3, [colors.rawValue]), 274: (3, [page.orientation]), 277: (3, [samplesPerPixel]),
            284: (3, [isPlanar ? 2 : 1]), 339: (3, Array(repeating: sampleFormat, count: samplesPerPixel)),
        ]
        if let tile = arrangement.tile {
            values[322] = (4, [tile.width])
            values[323] = (4, [tile.height])
        } else {
            values[278] = (4, [stripRows(page.size)])
        }
        if let type = page.subfileType { values[254] = (4, [type]) }
        if let type = page.oldSubfileType { values[255] = (3, [type]) }
        if alpha.rawValue >= 0 { values[338] = (3, [alpha.rawValue]) }
        if colors == .palette {
            values[320] = (3, (0..<3).flatMap { channel in (0..<1 << bits).map { paletteColor($0, channel) } })
        }
        if let profile { values[34675] = (7, profile.map { Int($0) }) }
        for (tag, value) in fields { values[tag] = (3, [value]) }
        let offsets = arrangement.tile == nil ? 273 : 324
        values[offsets == 273 ? 279 : 325] = (4, segments.map(\.count))
        values[offsets] = (4, segments.map { _ in 0 })

        let tags = values.keys.sorted()
        let inlineBytes = isBigTIFF ? 8 : 4
        func byteCount(_ tag: Int) -> Int {
            values[tag]!.values.count * [3: 2, 4: 4, 7: 1][values[tag]!.type]!
        }
        let head = (isBigTIFF ? 16 : 6) + tags.count * (isBigTIFF ? 20 : 12)
        var place = file.data.count + head
        var places: [Int: Int] = [:]
        for tag in tags where byteCount(tag) > inlineBytes {
            places[tag] = place
            place += byteCount(tag) + byteCount(tag) % 2
        }
        values[offsets]!.values = segments.map { segment in
            defer { place += segment.count + segment.count % 2 }
            return place
        }
        file.add(tags.count, bytes: isBigTIFF ? 8 : 2)
        for tag in tags {
            let (type, numbers) = values[tag]!
            file.add(tag, bytes: 2)
            file.add(type, bytes: 2)
            file.add(numbers.count, bytes: inlineBytes)
            if let place = places[tag] {
                file.add(place, bytes: inlineBytes)
            } else {
                let start = file.data.count
                for number in numbers { file.add(number, bytes: [3: 2, 4: 4, 7: 1][type]!) }
                file.data.append(Data(count: inlineBytes - (file.data.count - start)))
            }
        }
        file.add(isLast ? 0 : place, bytes: inlineBytes)
        for tag in tags where places[tag] != nil {
            for number in values[tag]!.values { file.add(number, bytes: [3: 2, 4: 4, 7: 1][values[tag]!.type]!) }
            if file.data.count % 2 == 1 { file.data.append(0) }
        }
        for segment in segments { file.data.append(segment + Data(count: segment.count % 2)) }
    }

    private func stripRows(_ size: PixelSize) -> Int { arrangement == .oneStrip ? size.height : 5 }

    private func segments(_ size: PixelSize) -> [Data] {
        let step = arrangement.tile ?? PixelSize(width: size.width, height: stripRows(size))
        let planes = isPlanar ? (0..<samplesPerPixel).map { [$0] } : [Array(0..<samplesPerPixel)]
        var segments: [Data] = []
        for plane in planes {
            for top in stride(from: 0, to: size.height, by: step.height) {
                for left in stride(from: 0, to: size.width, by: step.width) {
                    var bytes = Bytes(isBigEndian: isBigEndian)
                    let rows = arrangement.tile == nil ? min(step.height, size.height - top) : step.height
                    for y in top..<top + rows {
                        for x in left..<left + step.width {
                            // The part of a tile outside of the picture repeats the last pixel.
                            let values = samples(min(x, size.width - 1), min(y, size.height - 1), size)
                            for sample in plane { add(values[sample], sample: sample, to: &bytes) }
                        }
                        bytes.endRow()
                    }
                    segments.append(isDeflated ? Self.zlib(bytes.data) : bytes.data)
                }
            }
        }
        return segments
    }

    private func add(_ value: Double, sample: Int, to bytes: inout Bytes) {
        let isColor = sample < colors.channelCount
        if isColor, colors == .palette { return bytes.addBits(UInt64(value), count: bits) }
        if isColor, colors == .lab || colors == .iccLab {
            return bytes.addBits(
                UInt64(truncatingIfNeeded: labNumber(value, sample)) & (1 << UInt64(bits) - 1), count: bits)
        }
        switch (isFloat, bits) {
        case (true, 16): bytes.addBits(UInt64(Float16(value).bitPattern), count: 16)
        case (true, 32): bytes.addBits(UInt64(Float(value).bitPattern), count: 32)
        case (true, _): bytes.addBits(value.bitPattern, count: 64)
        default: bytes.addBits(UInt64((value * largest).rounded()), count: bits)
        }
    }

    /// TIFF 6.0, section 23, and the ICC encodings of version 2 for the two photometric interpretations.
    private func labNumber(_ value: Double, _ sample: Int) -> Int {
        let scale = bits == 8 ? 1.0 : 256.0
        if sample > 0 { return Int(((value + (colors == .lab ? 0 : 128)) * scale).rounded()) }
        return Int((value * (bits == 8 ? 255 : colors == .lab ? 65535 : 65280)).rounded())
    }

    /// RFC 1950 and 1951: stored blocks.
    private static func zlib(_ bytes: Data) -> Data {
        var result = Data([0x78, 0x01])
        var rest = bytes[...]
        repeat {
            let part = rest.prefix(65535)
            rest = rest.dropFirst(part.count)
            result.append(rest.isEmpty ? 1 : 0)
            for number in [part.count, part.count ^ 0xFFFF] {
                result.append(contentsOf: [UInt8(number & 0xFF), UInt8(number >> 8)])
            }
            result.append(part)
        } while !rest.isEmpty
        var (first, second) = (1, 0)
        for byte in bytes {
            first = (first + Int(byte)) % 65521
            second = (second + first) % 65521
        }
        result.append(contentsOf: [second >> 8, second & 0xFF, first >> 8, first & 0xFF].map { UInt8($0) })
        return result
    }
}

/// Writes numbers in a byte order, and samples of any number of bits.
private struct Bytes {
    let isBigEndian: Bool
    var data = Data()
    private var bits: UInt64 = 0
    private var bitCount = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ value: Int, bytes count: Int) {
        for index in 0..<count {
            data.append(UInt8(truncatingIfNeeded: value >> (8 * (isBigEndian ? count - 1 - index : index))))
        }
    }

    mutating func addBits(_ value: UInt64, count: Int) {
        if count % 8 == 0 { return add(Int(bitPattern: UInt(value)), bytes: count / 8) }
        for index in (0..<count).reversed() {
            bits = bits << 1 | value >> UInt64(index) & 1
            bitCount += 1
            if bitCount == 8 { endRow() }
        }
    }

    /// Fills the last byte of a row.
    mutating func endRow() {
        guard bitCount > 0 else { return }
        data.append(UInt8(truncatingIfNeeded: bits << UInt64(8 - bitCount)))
        (bits, bitCount) = (0, 0)
    }
}
