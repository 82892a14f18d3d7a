import Foundation
import WebImageCore

/// Maps the light of PQ and HLG to the range of sRGB: the curve of ITU-R BT.2390 (§5.4.1) from the brightest light of the
/// picture to 203 nits, the reference white of ITU-R BT.2408.
///
/// Light below a knee is unchanged: 88 nits for a picture of 1,000 nits, 58 for one of 4,000. Light of 1 is 203 nits, which
/// is the white of sRGB.
struct ToneCurve: Sendable {
    private let transfer: HDRDescription.Transfer
    /// The brightest light of the picture, as a PQ signal.
    private let peakSignal: Double
    private let peak: Double

    /// The brightest light of a picture that does not declare it, in nits.
    private static let usualPeak = 1_000.0
    private static let white = HDRDescription.whiteNits

    init(_ transfer: HDRDescription.Transfer, light: ContentLightLevel?) {
        self.transfer = transfer
        // An HLG signal has at most 1,000 nits on the display that the conversion assumes.
        let most = transfer == .hybridLogGamma ? Self.usualPeak : 10_000
        peak = min(max(light.map { Double($0.maximum) } ?? Self.usualPeak, Self.white), most)
        peakSignal = PQ.signal(nits: peak)
    }

    /// Returns the light of a stored value from 0 to 1: of the display for PQ, of the scene for HLG.
    func light(_ value: Double) -> Double {
        transfer == .perceptualQuantizer ? PQ.nits(signal: value) / Self.white : HLG.sceneLight(signal: value)
    }

    /// Returns the factor for a pixel whose luminance in ``light(_:)`` is `luminance`.
    func gain(luminance: Double) -> Double {
        guard luminance > 0 else { return 0 }
        switch transfer {
        case .perceptualQuantizer: return mapped(luminance) / luminance
        case .hybridLogGamma:
            let (factor, exponent) = displayLight
            return mapped(pow(luminance, Double(exponent)) * Double(factor)) / luminance
        }
    }

    /// The light of the display is the luminance of ``light(_:)`` to the power `exponent`, times `factor`. The system gamma
    /// of HLG on a display of 1,000 nits is 1.2 (ITU-R BT.2100).
    var displayLight: (factor: Float, exponent: Float) {
        transfer == .perceptualQuantizer ? (1, 1) : (Float(Self.usualPeak / Self.white), 1.2)
    }

    /// Returns the light that a grey pixel with a stored value from 0 to 1 has in sRGB.
    func gray(_ value: Double) -> Double {
        let light = light(value)
        return light * gain(luminance: light)
    }

    /// Maps the light of the display, from 0 to ``peak``, to 0…1.
    private func mapped(_ light: Double) -> Double {
        let signal = PQ.signal(nits: min(light * Self.white, peak)) / peakSignal
        let most = PQ.signal(nits: Self.white) / peakSignal
        let knee = 1.5 * most - 0.5
        guard signal > knee, knee < 1 else { return light }
        let place = (signal - knee) / (1 - knee)
        let (square, cube) = (place * place, place * place * place)
        let bent =
            (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + place) * (1 - knee)
            + (3 * square - 2 * cube) * most
        return PQ.nits(signal: bent * peakSignal) / Self.white
    }
}

/// The transfer function of SMPTE ST 2084.
enum PQ {
    private static let (m1, m2, c1, c2, c3) = (2610.0 / 16384, 2523.0 / 32, 3424.0 / 4096, 2413.0 / 128, 2392.0 / 128)

    static func nits(signal: Double) -> Double {
        let root = pow(max(signal, 0), 1 / m2)
        return 10_000 * pow(max(root - c1, 0) / (c2 - c3 * root), 1 / m1)
    }

    static func signal(nits: Double) -> Double {
        let power = pow(max(nits, 0) / 10_000, m1)
        return pow((c1 + c2 * power) / (1 + c3 * power), m2)
    }
}

/// The transfer function of HLG (ITU-R BT.2100).
enum HLG {
    private static let (a, b, c) = (0.17883277, 0.28466892, 0.55991073)

    /// Returns the light of the scene, from 0 to 1.
    static func sceneLight(signal: Double) -> Double {
        signal <= 0.5 ? signal * signal / 3 : (exp((signal - c) / a) + b) / 12
    }

    static func signal(sceneLight light: Double) -> Double {
        light <= 1.0 / 12 ? (3 * max(light, 0)).squareRoot() : a * log(12 * light - b) + c
    }
}
