import Foundation

/// One picture whose displayed colours are known, for tests that compare formats. The signal can be written in every
/// format and layout that holds it. Each decode must show ``shown(_:)``, within the error of the coding.
///
/// The picture has 64×64 px: 16 patches of 16×16 px. A patch has one colour, so that the blocks of a JPEG are flat and that
/// a thumbnail of half the size has pixels on which no other patch has an influence.
package struct ColorSignal: Sendable, Hashable, CustomStringConvertible {
    package enum Model: String, Sendable, CaseIterable { case gray, rgb, cmyk }

    /// The colour space of the stored values.
    package enum Space: String, Sendable, CaseIterable {
        case sRGB, displayP3, linear, pq, hlg

        /// The code points of ITU-T H.273: primaries and transfer characteristics.
        package var codePoints: (primaries: Int, transfer: Int) {
            switch self {
            case .sRGB: (1, 13)
            case .displayP3: (12, 13)
            case .linear: (1, 8)
            case .pq: (9, 16)
            case .hlg: (9, 18)
            }
        }

        /// Whether this package writes an ICC profile for the space.
        package var hasProfile: Bool { self != .pq && self != .hlg }
    }

    package var model: Model
    package var space: Space
    /// The bits of a stored sample: 8 or 16.
    package var bits: Int
    package var hasAlpha: Bool

    package init(_ model: Model, _ space: Space = .sRGB, bits: Int = 8, hasAlpha: Bool = false) {
        (self.model, self.space, self.bits, self.hasAlpha) = (model, space, bits, hasAlpha)
    }

    package var description: String {
        "\(model.rawValue) \(space.rawValue) \(bits) bits\(hasAlpha ? " with alpha" : "")"
    }

    package static let side = 64
    package static let patchSide = 16
    package static let patchCount = 16

    /// The number of stored samples of a pixel.
    package var channelCount: Int { (model == .gray ? 1 : model == .rgb ? 3 : 4) + (hasAlpha ? 1 : 0) }

    /// The greatest stored value.
    package var maximum: Int { bits == 16 ? 65535 : 255 }

    /// The patch at a position of the full-size picture.
    package static func patch(atX x: Int, y: Int) -> Int { y / patchSide * 4 + x / patchSide }

    /// The centre of a patch in a picture of this side length.
    package static func center(ofPatch patch: Int, side: Int = side) -> (x: Int, y: Int) {
        let step = side / 4
        return (patch % 4 * step + step / 2, patch / 4 * step + step / 2)
    }

    /// The displayed colour of a patch: red, green, blue and alpha in sRGB, each from 0 to 255. It is computed from the
    /// rounded stored values.
    package func shown(_ patch: Int) -> [Int] {
        let alpha = hasAlpha ? Self.alphas[patch] : 255
        guard model != .cmyk else {
            let ink = Self.inks[patch]
            return (0..<3).map { (255 - ink[$0]) * (255 - ink[3]) / 255 } + [alpha]
        }
        let values = stored(patch).map { Double($0) / Double(maximum) }
        let light = decoded(model == .gray ? Array(repeating: values[0], count: 3) : Array(values.prefix(3)))
        return matrix.inverted.map { row in
            let value = min(max(zip(row, light).reduce(0) { $0 + $1.0 * $1.1 }, 0), 1)
            return Int((Self.sRGB(value) * 255).rounded())
        } + [alpha]
    }

    /// The stored values of a patch, with straight alpha: each from 0 to ``maximum``. The values of CMYK are inks.
    package func stored(_ patch: Int) -> [Int] {
        let scale = Double(maximum)
        let alpha = hasAlpha ? [Int((Double(Self.alphas[patch]) / 255 * scale).rounded())] : []
        guard model != .cmyk else { return Self.inks[patch].map { $0 * maximum / 255 } + alpha }
        let wanted = model == .gray ? Array(repeating: Self.grays[patch], count: 3) : Self.colors[patch]
        // Light up to 88 nits is not compressed in PQ and HLG. The sRGB value of this light is 175.
        let most = space == .pq || space == .hlg ? 170.0 / 255 : 1
        let light = wanted.map { Self.linear(Double($0) / 255 * most) }
        let own = encoded(matrix.map { row in zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } })
            .map { Int((min(max($0, 0), 1) * scale).rounded()) }
        return (model == .gray ? [own[0]] : own) + alpha
    }

    /// The values, from 0 to 255, with which this signal's space stores a displayed colour of three channels. They are not
    /// rounded. The space must not be that of CMYK.
    package func stored(showing color: [Int]) -> [Double] {
        let light = color.map { Self.linear(Double($0) / 255) }
        return encoded(matrix.map { row in zip(row, light).reduce(0) { $0 + $1.0 * $1.1 } }).map { 255 * $0 }
    }

    /// The values, on a scale to 255, in which JPEG XL codes a displayed colour: the cube roots of three mixtures of light
    /// (ISO/IEC 18181-1 §L.2).
    package static func mixtures(of color: [Int]) -> [Double] {
        let light = color.map { linear(Double($0) / 255) }
        return [[0.3, 0.622, 0.078], [0.23, 0.692, 0.078], [0.243423, 0.204767, 0.551810]].map { row in
            255 * cbrt(zip(row, light).reduce(0.003793) { $0 + $1.0 * $1.1 })
        }
    }

    /// The stored rows.
    ///
    /// - Parameter isPremultiplied: Whether the colours are multiplied by alpha.
    package func rows(
        isBigEndian: Bool = true, isPremultiplied: Bool = false, isInverted: Bool = false
    ) -> [[UInt8]] {
        let patches = (0..<Self.patchCount).map { patch -> [UInt8] in
            var values = stored(patch)
            if isPremultiplied, hasAlpha, let alpha = values.last {
                for index in values.indices.dropLast() {
                    values[index] = (values[index] * alpha + maximum / 2) / maximum
                }
            }
            if isInverted { values = values.map { maximum - $0 } }
            guard bits == 16 else { return values.map { UInt8($0) } }
            return values.flatMap { value -> [UInt8] in
                let pair = [UInt8(value >> 8), UInt8(value & 255)]
                return isBigEndian ? pair : pair.reversed()
            }
        }
        return (0..<Self.side).map { y in (0..<Self.side).flatMap { patches[Self.patch(atX: $0, y: y)] } }
    }

    /// The matrix from linear light with the primaries of sRGB to the primaries of the space.
    private var matrix: [[Double]] {
        guard model == .rgb else { return [[1, 0, 0], [0, 1, 0], [0, 0, 1]] }
        return switch space {
        case .sRGB, .linear: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
        case .displayP3: [[0.822462, 0.177538, 0], [0.033194, 0.966806, 0], [0.017083, 0.072397, 0.910520]]
        // ITU-R BT.2087.
        case .pq, .hlg:
            [[0.627404, 0.329283, 0.043313], [0.069097, 0.919540, 0.011362], [0.016391, 0.088013, 0.895595]]
        }
    }

    /// Converts the light of three channels to the stored values, both from 0 to 1. Light of 1 is the reference white; in PQ
    /// and HLG it has 203 nits.
    private func encoded(_ light: [Double]) -> [Double] {
        guard space == .hlg else { return light.map { encoded($0) } }
        // ITU-R BT.2100 on a display of 1,000 nits: the light of the display is that of the scene times a power of the
        // scene's luminance, 1.2 − 1.
        let luminance = max(Self.luminance(light), 0) * 203 / 1_000
        let factor = luminance > 0 ? pow(luminance, 1 / 1.2 - 1) * 203 / 1_000 : 0
        return light.map { channel in
            let scene = max(channel, 0) * factor
            return scene <= 1.0 / 12 ? (3 * scene).squareRoot() : 0.17883277 * log(12 * scene - 0.28466892) + 0.55991073
        }
    }

    /// The inverse of ``encoded(_:)``.
    private func decoded(_ values: [Double]) -> [Double] {
        guard space == .hlg else { return values.map { decoded($0) } }
        let scene = values.map { $0 <= 0.5 ? $0 * $0 / 3 : (exp(($0 - 0.55991073) / 0.17883277) + 0.28466892) / 12 }
        let luminance = Self.luminance(scene)
        return scene.map { luminance > 0 ? $0 * pow(luminance, 0.2) * 1_000 / 203 : 0 }
    }

    /// The luminance of light with the primaries of BT.2020.
    private static func luminance(_ light: [Double]) -> Double {
        0.2627 * light[0] + 0.6780 * light[1] + 0.0593 * light[2]
    }

    private func encoded(_ light: Double) -> Double {
        switch space {
        case .sRGB, .displayP3: return Self.sRGB(light)
        case .linear, .hlg: return light
        case .pq:
            // SMPTE ST 2084.
            let power = pow(max(light, 0) * 203 / 10_000, 0.1593017578125)
            return pow((0.8359375 + 18.8515625 * power) / (1 + 18.6875 * power), 78.84375)
        }
    }

    private func decoded(_ value: Double) -> Double {
        switch space {
        case .sRGB, .displayP3: return Self.linear(value)
        case .linear, .hlg: return value
        case .pq:
            let root = pow(value, 1 / 78.84375)
            return pow(max(root - 0.8359375, 0) / (18.8515625 - 18.6875 * root), 1 / 0.1593017578125) * 10_000 / 203
        }
    }

    private static func sRGB(_ light: Double) -> Double {
        light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    private static func linear(_ value: Double) -> Double {
        value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    private static let grays = [0, 255, 128, 64, 32, 200, 16, 100, 240, 8, 180, 90, 150, 48, 220, 75]
    private static let alphas = [255, 128, 64, 255, 200, 100, 255, 32, 255, 128, 160, 255, 96, 255, 192, 224]
    private static let colors = [
        [255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255], [0, 0, 0], [128, 128, 128], [200, 100, 50],
        [51, 204, 76], [30, 60, 120], [250, 240, 30], [16, 16, 16], [220, 30, 180], [90, 150, 200], [60, 20, 10],
        [180, 180, 90], [8, 32, 64],
    ]
    /// Cyan, magenta, yellow and black.
    private static let inks = [
        [200, 60, 20, 10], [0, 0, 0, 0], [0, 0, 0, 255], [255, 0, 0, 0], [0, 255, 0, 0], [0, 0, 255, 0],
        [255, 255, 0, 0], [0, 255, 255, 0], [255, 0, 255, 0], [100, 100, 100, 100], [40, 80, 120, 30],
        [10, 200, 90, 60],
        [90, 30, 10, 150], [0, 0, 0, 128], [128, 0, 64, 0], [255, 255, 255, 0],
    ]
}

extension [[Double]] {
    /// The inverse of a matrix of three rows and columns.
    fileprivate var inverted: [[Double]] {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b, c, d) = ((row + 1) % 3, (row + 2) % 3, (column + 1) % 3, (column + 2) % 3)
            return self[a][c] * self[b][d] - self[a][d] * self[b][c]
        }
        let determinant = (0..<3).reduce(0) { $0 + self[0][$1] * minor(0, $1) }
        return (0..<3).map { row in (0..<3).map { minor($0, row) / determinant } }
    }
}
