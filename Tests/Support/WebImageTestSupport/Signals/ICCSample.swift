package import Foundation

/// ICC profiles with a matrix and curves, built byte by byte (ICC.1:2001-04).
package enum ICCSample {
    package static let adobeColorants = [
        [0.60974, 0.31111, 0.01947], [0.20528, 0.62567, 0.06087], [0.14919, 0.06322, 0.74457],
    ]
    private static let sRGBColorants = [
        [0.43607, 0.22249, 0.01392], [0.38515, 0.71687, 0.09708], [0.14307, 0.06061, 0.71410],
    ]

    /// A profile with the colorants of Adobe RGB and a gamma of 563/256.
    package static let adobeLike = rgb(adobeColorants, curve: gamma(563))
    /// A profile with the colorants and the curve of sRGB.
    package static let sRGB = rgb(sRGBColorants, curve: sRGBCurve)
    /// A grey profile whose values are proportional to light.
    package static let linearGray = profile("GRAY", [("wtpt", white), ("kTRC", gamma(256))])
    /// A grey profile with the curve of sRGB.
    package static let sRGBGray = profile("GRAY", [("wtpt", white), ("kTRC", sRGBCurve)])
    /// A profile with the colorants of sRGB, whose values are proportional to light.
    package static let linearRGB = rgb(sRGBColorants, curve: gamma(256))
    /// A profile with the colorants of Display P3 and the curve of sRGB.
    package static let displayP3 = rgb(
        [[0.51512, 0.24120, -0.00105], [0.29198, 0.69225, 0.04189], [0.15710, 0.06657, 0.78407]], curve: sRGBCurve)

    /// A profile with the colorants of BT.2020 (adapted to D50) and the curve of PQ, whose light is 1 at 10,000 nits. It has no
    /// tag `cicp`, as profiles that older programs write.
    package static let perceptualQuantizer: Data = {
        var curve = Data("curv".utf8) + number(0, 4) + number(1024, 4)
        for index in 0..<1024 {
            let root = pow(Double(index) / 1023, 1 / 78.84375)
            let light = pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125)
            curve += number(Int((light * 65535).rounded()), 2)
        }
        return rgb(
            [[0.67346, 0.27903, -0.00193], [0.16568, 0.67535, 0.02998], [0.12505, 0.04561, 0.79686]], curve: curve)
    }()

    /// A CMYK profile of version 2 whose L*a*b* is a linear function of the inks, so that every interpolation gives the same
    /// result (``lab(ofInk:)``).
    package static let linearInk: Data = {
        let ramp = Data((0...255).map { UInt8($0) })
        var table = Data("mft1".utf8) + number(0, 4) + Data([4, 3, 2, 0])
        for index in 0..<9 { table += fixed(index % 4 == 0 ? 1 : 0) }
        for _ in 0..<4 { table += ramp }
        for corner in 0..<16 {
            let ink = (0..<4).map { Double(corner >> (3 - $0) & 1) }
            let lab = lab(ofInk: ink)
            table += Data([UInt8((lab[0] * 2.55).rounded()), UInt8(lab[1] + 128), UInt8(lab[2] + 128)])
        }
        for _ in 0..<3 { table += ramp }
        return profile("CMYK", [("wtpt", white), ("A2B0", table)], class: "prtr", connection: "Lab ")
    }()

    /// The L*a*b* of four inks from 0 to 1 in ``linearInk``. Each number of a corner fits into a byte.
    package static func lab(ofInk ink: [Double]) -> [Double] {
        let light = 255 - 80 * ink[0] - 60 * ink[1] - 25 * ink[2] - 90 * ink[3]
        return [light / 2.55, 16 * (ink[1] - ink[0]), 16 * (ink[2] - ink[0])]
    }

    private static let white = xyz([0.9642, 1, 0.8249])

    private static var sRGBCurve: Data {
        var curve = Data("para".utf8)
        curve += number(0, 4)
        curve += number(3, 2)
        curve += number(0, 2)
        let parameters: [Double] = [2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045]
        for parameter in parameters { curve += fixed(parameter) }
        return curve
    }

    private static func rgb(_ colorants: [[Double]], curve: Data) -> Data {
        var tags = [("wtpt", white)]
        for (name, colorant) in zip(["rXYZ", "gXYZ", "bXYZ"], colorants) { tags.append((name, xyz(colorant))) }
        for name in ["rTRC", "gTRC", "bTRC"] { tags.append((name, curve)) }
        return profile("RGB ", tags)
    }

    private static func profile(
        _ colorSpace: String, _ tags: [(String, Data)], class: String = "mntr", connection: String = "XYZ "
    ) -> Data {
        let start = 132 + 12 * tags.count
        var table = Data(number(tags.count, 4))
        var values = Data()
        for (name, value) in tags {
            table += Data(name.utf8)
            table += number(start + values.count, 4)
            table += number(value.count, 4)
            values += value
            values += Data(count: (4 - value.count % 4) % 4)
        }
        var header = Data(number(start + values.count, 4))
        header += Data(count: 4)
        header += number(0x0210_0000, 4)
        header += Data("\(`class`)\(colorSpace)\(connection)".utf8)
        header += Data(count: 12)
        header += Data("acsp".utf8)
        header += Data(count: 28)
        header += white.dropFirst(8)
        header += Data(count: 48)
        return header + table + values
    }

    private static func xyz(_ values: [Double]) -> Data {
        var data = Data("XYZ ".utf8)
        data += number(0, 4)
        for value in values { data += fixed(value) }
        return data
    }

    /// Returns a curve with one exponent. `value` is the exponent × 256.
    private static func gamma(_ value: Int) -> Data {
        var curve = Data("curv".utf8)
        curve += number(0, 4)
        curve += number(1, 4)
        curve += number(value, 2)
        return curve
    }

    private static func fixed(_ value: Double) -> [UInt8] { number(Int((value * 65536).rounded()), 4) }

    private static func number(_ value: Int, _ byteCount: Int) -> [UInt8] {
        (0..<byteCount).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
