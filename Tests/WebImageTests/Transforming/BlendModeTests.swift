import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Compares all 28 blend modes with the floating-point formulas of PDF 1.7 §11.3.5 and of Porter and Duff.
@Suite(.timeLimit(minutes: 1))
struct BlendModeTests {
    /// The red, green, blue and alpha of a pixel that is not premultiplied.
    private typealias Color = SIMD4<Double>
    private typealias RGB = SIMD3<Double>

    private static let backdrops: [(UInt8, UInt8, UInt8, UInt8)] = [
        (40, 80, 120, 255), (255, 255, 255, 255), (0, 0, 0, 255), (100, 20, 60, 128), (0, 0, 0, 0), (10, 200, 30, 255),
    ]
    private static let sources: [ImageColor] = [
        ImageColor(red: 0.8, green: 0.3, blue: 0.1), ImageColor(red: 0.2, green: 0.9, blue: 0.6, alpha: 0.5), .white,
        ImageColor(white: 0, alpha: 0.25), ImageColor(white: 0.5),
    ]

    @Test(arguments: BlendMode.allCases) func everyModeFollowsItsFormula(_ mode: BlendMode) throws {
        for backdrop in Self.backdrops {
            let image = try TestImages.solid(
                blue: backdrop.0, green: backdrop.1, red: backdrop.2, alpha: backdrop.3)
            let alpha = Double(backdrop.3) / 255
            let straight = [backdrop.2, backdrop.1, backdrop.0].map { alpha > 0 ? Double($0) / 255 / alpha : 0 }
            let under = Color(straight[0], straight[1], straight[2], alpha)
            for source in Self.sources {
                let over = Color(source.red, source.green, source.blue, source.alpha)
                let expected = Self.blended(over, under, mode)
                let result = try #require(image.tintedImage(with: source, blendMode: mode))
                let pixel = result.pixels.withUnsafeBytes { Array($0.prefix(4)) }
                let mine = [pixel[2], pixel[1], pixel[0], pixel[3]].map { Double($0) }
                let theirs = [expected.x, expected.y, expected.z, expected.w].map { $0 * 255 }
                for (a, b) in zip(mine, theirs) {
                    #expect(abs(a - b) <= 2.5, "\(source.hexString) on \(backdrop): \(mine), not \(theirs)")
                }
            }
        }
    }

    /// JPEG has gain maps of opaque pictures only, and formats with alpha store it if the image has it.
    @Test(arguments: BlendMode.allCases) func resultHasAlphaWhereItIsTransparent(_ mode: BlendMode) throws {
        let opaque = try Image.generated(width: 4, height: 4) { x, y in (UInt8(60 * x), UInt8(60 * y), 90, 255) }
        for alpha in [1, 0.5] {
            for hasAlpha in [false, true] {
                let image = Image(pixels: opaque.pixels, hasAlpha: hasAlpha)
                let color = ImageColor(red: 0.2, green: 0.5, blue: 0.7, alpha: alpha)
                let result = try #require(image.tintedImage(with: color, blendMode: mode))
                let isTransparent = result.pixels.withUnsafeBytes { bytes in
                    (0..<16).contains { bytes[$0 / 4 * result.pixels.bytesPerRow + 4 * ($0 % 4) + 3] < 255 }
                }
                #expect(result.hasAlpha == (hasAlpha || isTransparent), "\(mode) \(alpha) \(hasAlpha)")
            }
        }
    }

    /// Returns the blended colour, premultiplied.
    private static func blended(_ over: Color, _ under: Color, _ mode: BlendMode) -> Color {
        let (source, backdrop) = (RGB(over.x, over.y, over.z), RGB(under.x, under.y, under.z))
        let (a, b) = (over.w, under.w)
        if let mixed = separable(mode) ?? whole(mode) {
            let (alone, beneath, both): (Double, Double, Double) = (a * (1 - b), b * (1 - a), a * b)
            var color: RGB = source * alone
            color += backdrop * beneath
            color += mixed(backdrop, source) * both
            return Color(color.x, color.y, color.z, a + beneath)
        }
        let s = Color(source.x * a, source.y * a, source.z * a, a)
        let d = Color(backdrop.x * b, backdrop.y * b, backdrop.z * b, b)
        let (notA, notB): (Double, Double) = (1 - a, 1 - b)
        switch mode {
        case .clear: return .zero
        case .copy: return s
        case .sourceIn: return s * b
        case .sourceOut: return s * notB
        case .sourceAtop: return added(s * b, d * notA)
        case .destinationOver: return added(d, s * notB)
        case .destinationIn: return d * a
        case .destinationOut: return d * notA
        case .destinationAtop: return added(d * a, s * notB)
        case .xor: return added(s * notB, d * notA)
        case .plusLighter: return added(s, d).clamped(lowerBound: .zero, upperBound: .one)
        case .plusDarker:
            let alpha = min(1, a + b)
            let light: Color = added(s, d)
            let lack: Double = alpha - a - b
            let color = added(light, Color(repeating: lack)).clamped(lowerBound: .zero, upperBound: .one)
            return Color(color.x, color.y, color.z, alpha)
        default: return .zero
        }
    }

    private static func added(_ a: Color, _ b: Color) -> Color { a + b }

    /// Returns the formula of a mode that blends each channel separately; nil for other modes. The arguments of the
    /// formula are backdrop and source.
    private static func separable(_ mode: BlendMode) -> ((RGB, RGB) -> RGB)? {
        func hardLight(_ b: Double, _ s: Double) -> Double { s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1) }
        func softLight(_ b: Double, _ s: Double) -> Double {
            if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
            let d = b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()
            return b + (2 * s - 1) * (d - b)
        }
        func colorDodge(_ b: Double, _ s: Double) -> Double { b == 0 ? 0 : s >= 1 ? 1 : min(1, b / (1 - s)) }
        func colorBurn(_ b: Double, _ s: Double) -> Double { b >= 1 ? 1 : s <= 0 ? 0 : 1 - min(1, (1 - b) / s) }
        let one: (Double, Double) -> Double
        switch mode {
        case .normal: one = { _, s in s }
        case .multiply: one = { b, s in b * s }
        case .screen: one = { b, s in b + s - b * s }
        case .overlay: one = { b, s in hardLight(s, b) }
        case .darken: one = { b, s in min(b, s) }
        case .lighten: one = { b, s in max(b, s) }
        case .colorDodge: one = colorDodge
        case .colorBurn: one = colorBurn
        case .softLight: one = softLight
        case .hardLight: one = hardLight
        case .difference: one = { b, s in abs(b - s) }
        case .exclusion: one = { b, s in b + s - 2 * b * s }
        default: return nil
        }
        return { b, s in RGB(one(b.x, s.x), one(b.y, s.y), one(b.z, s.z)) }
    }

    /// Returns the formula of a hue, saturation, colour or luminosity mode.
    private static func whole(_ mode: BlendMode) -> ((RGB, RGB) -> RGB)? {
        func light(_ c: RGB) -> Double { 0.3 * c.x + 0.59 * c.y + 0.11 * c.z }
        func saturation(_ c: RGB) -> Double { c.max() - c.min() }
        func toward(_ c: RGB, _ grey: Double, _ part: Double) -> RGB {
            let from = RGB(repeating: grey)
            let way: RGB = c - from
            return from + way * part
        }
        func clipped(_ c: RGB) -> RGB {
            let (l, low, high) = (light(c), c.min(), c.max())
            var c = c
            if low < 0 { c = toward(c, l, l / (l - low)) }
            if high > 1 { c = toward(c, l, (1 - l) / (high - l)) }
            return c
        }
        func setLight(_ c: RGB, _ l: Double) -> RGB {
            let more = RGB(repeating: l - light(c))
            return clipped(c + more)
        }
        func setSaturation(_ c: RGB, _ s: Double) -> RGB {
            let (low, high) = (c.min(), c.max())
            guard high > low else { return .zero }
            let above: RGB = c - RGB(repeating: low)
            return above * (s / (high - low))
        }
        switch mode {
        case .hue: return { b, s in setLight(setSaturation(s, saturation(b)), light(b)) }
        case .saturation: return { b, s in setLight(setSaturation(b, saturation(s)), light(b)) }
        case .color: return { b, s in setLight(s, light(b)) }
        case .luminosity: return { b, s in setLight(b, light(s)) }
        default: return nil
        }
    }
}
