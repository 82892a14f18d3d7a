public import Foundation

/// A blurred preview of an image in about 25 bytes. It includes the aspect ratio and the transparency of the image.
/// The preview is a placeholder that can be shown before the image is downloaded.
///
/// The algorithm is Evan Wallace's ThumbHash: cosine transforms of lightness, two colour axes and alpha. The
/// hash is a value type, safe on any thread.
public struct ThumbHash: Sendable, Hashable, CustomStringConvertible {
    /// The encoded hash.
    public let data: Data
    let channels: Channels

    /// Reads a hash. Returns nil if the data is too short, is longer than 64 bytes, or declares no waves along the
    /// shorter side.
    public init?(_ data: Data) {
        // The longest valid hash has 25 bytes. Padding can follow the hash.
        guard data.count <= 64, let channels = Channels(Array(data)) else { return nil }
        (self.data, self.channels) = (data, channels)
    }

    /// Reads a hash written in base 64, with or without padding. Returns nil for an invalid string.
    public init?(_ string: String) {
        guard string.utf8.count <= 88 else { return nil }
        let bare = string.prefix { $0 != "=" }
        let padded = bare + String(repeating: "=", count: (4 - bare.count % 4) % 4)
        guard let data = Data(base64Encoded: String(padded)) else { return nil }
        self.init(data)
    }

    /// The hash in base 64.
    public var description: String { data.base64EncodedString() }

    /// The approximate aspect ratio: width divided by height.
    public var aspectRatio: Double { channels.aspectRatio }

    /// Whether any part of the image is transparent.
    public var hasAlpha: Bool { channels.alpha != nil }

    /// The mean colour of the image.
    public var averageColor: ImageColor {
        Channels.color(
            lightness: channels.lightness.mean, yellowBlue: channels.yellowBlue.mean, redGreen: channels.redGreen.mean,
            alpha: channels.alpha?.mean ?? 1)
    }

    /// Returns whether both hashes have the same bytes.
    public static func == (left: Self, right: Self) -> Bool { left.data == right.data }
    /// Hashes the bytes.
    public func hash(into hasher: inout Hasher) { hasher.combine(data) }
}

extension ThumbHash {
    /// The cosine transform of one channel: its mean and the factors of its waves, row by row. Later rows
    /// have fewer waves.
    struct Channel: Sendable {
        var columns: Int
        var rows: Int
        var mean: Double
        var scale = 0.0
        var factors: [Double] = []

        /// Returns the waves that a hash stores for a channel: the low frequencies, without the mean (0, 0).
        static func waves(columns: Int, rows: Int) -> [(x: Int, y: Int)] {
            (0..<rows).flatMap { y in
                (0..<columns).filter { ($0 > 0 || y > 0) && $0 * rows < columns * (rows - y) }.map { ($0, y) }
            }
        }
    }

    /// The channels of a hash. The bytes of a hash contain the channels with the least significant bit first.
    struct Channels: Sendable {
        var lightness: Channel
        /// The colour axis from blue to yellow: (red + green) / 2 − blue.
        var yellowBlue: Channel
        var redGreen: Channel
        var alpha: Channel?
        var isLandscape: Bool
        /// The number of cosine waves along the shorter side.
        var shorterWaves: Int

        private var longerWaves: Int { alpha == nil ? 7 : 5 }
        var aspectRatio: Double {
            let ratio = Double(longerWaves) / Double(shorterWaves)
            return isLandscape ? ratio : 1 / ratio
        }

        init?(_ bytes: [UInt8]) {
            guard bytes.count >= 5 else { return nil }
            let first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
            let second = Int(bytes[3]) | Int(bytes[4]) << 8
            let hasAlpha = first >> 23 == 1
            isLandscape = second >> 15 == 1
            shorterWaves = second & 7
            guard shorterWaves > 0, !hasAlpha || bytes.count >= 6 else { return nil }
            let longer = hasAlpha ? 5 : 7
            lightness = Channel(
                columns: max(3, isLandscape ? longer : shorterWaves),
                rows: max(3, isLandscape ? shorterWaves : longer), mean: Double(first & 63) / 63,
                scale: Double(first >> 18 & 31) / 31)
            // Increase the stored colour factors by 25 %, to compensate for the quantisation.
            yellowBlue = Channel(
                columns: 3, rows: 3, mean: Double(first >> 6 & 63) / 31.5 - 1,
                scale: Double(second >> 3 & 63) / 63 * 1.25)
            redGreen = Channel(
                columns: 3, rows: 3, mean: Double(first >> 12 & 63) / 31.5 - 1,
                scale: Double(second >> 9 & 63) / 63 * 1.25)
            alpha =
                hasAlpha
                ? Channel(columns: 5, rows: 5, mean: Double(bytes[5] & 15) / 15, scale: Double(bytes[5] >> 4) / 15)
                : nil
            var nibbles = bytes.dropFirst(hasAlpha ? 6 : 5).flatMap { [Int($0 & 15), Int($0 >> 4)] }[...]
            func take(_ channel: Channel) -> [Double]? {
                let count = Channel.waves(columns: channel.columns, rows: channel.rows).count
                guard nibbles.count >= count else { return nil }
                defer { nibbles = nibbles.dropFirst(count) }
                return nibbles.prefix(count).map { (Double($0) / 7.5 - 1) * channel.scale }
            }
            guard let light = take(lightness), let yellow = take(yellowBlue), let red = take(redGreen) else {
                return nil
            }
            (lightness.factors, yellowBlue.factors, redGreen.factors) = (light, yellow, red)
            if let own = alpha {
                guard let factors = take(own) else { return nil }
                alpha?.factors = factors
            }
        }

        /// Converts lightness and the two colour axes back to red, green and blue.
        static func color(lightness: Double, yellowBlue: Double, redGreen: Double, alpha: Double) -> ImageColor {
            let blue = lightness - 2 / 3 * yellowBlue
            let red = (3 * lightness - blue + redGreen) / 2
            return ImageColor(red: red, green: red - redGreen, blue: blue, alpha: alpha)
        }
    }
}
