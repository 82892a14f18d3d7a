import Foundation

/// A blurred preview of an image in about 30 characters. It is a placeholder that can be shown before the
/// image is downloaded. It contains no transparency.
///
/// The algorithm is that of blurha.sh (description of 2020). It is a cosine transform of linear light. A hash
/// contains the factors of the transform in base 83. The hash is a value type, safe on any thread.
public struct BlurHash: Sendable, Hashable, CustomStringConvertible {
    /// The number of horizontal cosine waves, 1…9. More waves show more detail.
    public let horizontalComponents: Int
    /// The number of vertical cosine waves, 1…9. More waves show more detail.
    public let verticalComponents: Int
    /// The encoded hash.
    public let description: String
    /// The factors of the waves, row by row, as red, green and blue in linear light. The first factor is the
    /// mean colour.
    let factors: [SIMD3<Double>]

    /// Reads a hash. Returns nil if the string has a wrong length, an invalid character or a value out of range.
    public init?(_ string: String) {
        // Reject long strings without reading them. The longest valid hash has 166 characters.
        guard string.utf8.count <= 166, let digits = Base83.digits(of: string), digits.count >= 6, digits[0] < 81 else {
            return nil
        }
        let (columns, rows) = (digits[0] % 9 + 1, digits[0] / 9 + 1)
        guard digits.count == 4 + 2 * columns * rows else { return nil }
        let mean = Base83.value(digits[2..<6])
        guard mean <= 0xFF_FFFF else { return nil }
        let largest = Double(digits[1] + 1) / 166
        var factors = [SIMD3(16, 8, 0).map { LinearLight.decoding[mean >> $0 & 255] }]
        for start in stride(from: 6, to: digits.count, by: 2) {
            let value = Base83.value(digits[start..<start + 2])
            guard value < 19 * 19 * 19 else { return nil }
            factors.append(
                SIMD3(361, 19, 1).map { divisor in
                    let part = Double(value / divisor % 19 - 9) / 9
                    return part * abs(part) * largest
                })
        }
        self.factors = factors
        (horizontalComponents, verticalComponents, description) = (columns, rows, string)
    }

    /// Makes a hash from the factors of an image's cosine transform.
    init(factors: [SIMD3<Double>], columns: Int, rows: Int) {
        let waves = factors.dropFirst()
        let largest = waves.map { max(abs($0.x), abs($0.y), abs($0.z)) }.max() ?? 0
        let step = waves.isEmpty ? 0 : min(max(Int((largest * 166 - 0.5).rounded(.down)), 0), 82)
        let unit = waves.isEmpty ? 1 : Double(step + 1) / 166
        let mean = factors[0].map { LinearLight.encodedByte($0) }
        var text = Base83.text(columns - 1 + (rows - 1) * 9, count: 1) + Base83.text(step, count: 1)
        text += Base83.text(mean.x << 16 | mean.y << 8 | mean.z, count: 4)
        for wave in waves {
            let parts = wave.map { part in
                let root = (abs(part) / unit).squareRoot() * (part < 0 ? -1 : 1)
                return min(max(Int((root * 9 + 9.5).rounded(.down)), 0), 18)
            }
            text += Base83.text(parts.x * 361 + parts.y * 19 + parts.z, count: 2)
        }
        self.factors = factors
        (horizontalComponents, verticalComponents, description) = (columns, rows, text)
    }

    /// The mean colour of the image.
    public var averageColor: ImageColor {
        let mean = factors[0].map { LinearLight.encoded($0) }
        return ImageColor(red: mean.x, green: mean.y, blue: mean.z)
    }

    /// Returns whether both hashes have the same encoded form.
    public static func == (left: Self, right: Self) -> Bool { left.description == right.description }
    /// Hashes the encoded form.
    public func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// The base-83 digits of BlurHash.
enum Base83 {
    private static let alphabet = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)
    private static let values: [Int8] = {
        var values = [Int8](repeating: -1, count: 256)
        for (value, digit) in alphabet.enumerated() { values[Int(digit)] = Int8(value) }
        return values
    }()

    /// Returns the value of each character; nil when a character is not a digit of base 83.
    static func digits(of string: String) -> [Int]? {
        let digits = string.utf8.map { Int(values[Int($0)]) }
        return digits.contains(-1) ? nil : digits
    }

    static func value(_ digits: ArraySlice<Int>) -> Int { digits.reduce(0) { $0 * 83 + $1 } }

    static func text(_ value: Int, count: Int) -> String {
        var digits: [UInt8] = []
        var rest = value
        for _ in 0..<count {
            digits.append(alphabet[rest % 83])
            rest /= 83
        }
        return String(decoding: digits.reversed(), as: UTF8.self)
    }
}

/// Conversion between sRGB (IEC 61966-2-1) and linear light.
enum LinearLight {
    /// The linear light, 0…1, for each sRGB byte.
    static let decoding: [Double] = (0...255).map { byte in
        let value = Double(byte) / 255
        return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }

    /// Returns the sRGB value, 0…1, for linear light. The light is clamped to 0…1.
    static func encoded(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
    }

    static func encodedByte(_ light: Double) -> Int { Int(encoded(light) * 255 + 0.5) }
}

extension SIMD3 {
    /// Applies a function to each component.
    func map<Result: SIMDScalar>(_ change: (Scalar) -> Result) -> SIMD3<Result> {
        SIMD3<Result>(change(x), change(y), change(z))
    }
}
