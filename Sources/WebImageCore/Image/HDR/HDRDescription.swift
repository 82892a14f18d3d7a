import Foundation

/// How an image or its file goes beyond standard dynamic range: with a gain map beside a base picture, or with a transfer
/// function for bright light.
///
/// Light is relative to the white of standard dynamic range, which has 203 nits (ITU-R BT.2408). A headroom is the
/// brightest light that a picture has or a display shows, as a multiple of this white.
public struct HDRDescription: Sendable, Hashable {
    /// A transfer function of ITU-R BT.2100, by its code in ITU-T H.273.
    public enum Transfer: Int, Sendable, Hashable {
        /// PQ (SMPTE ST 2084): a value stands for a number of nits, up to 10,000.
        case perceptualQuantizer = 16
        /// HLG: a value stands for the light of the scene.
        case hybridLogGamma = 18
    }

    /// The gain map beside the base picture; nil if there is none.
    public var gainMap: GainMap?
    /// The transfer function of the pixels; nil for the pixels of standard dynamic range beside a gain map.
    public var transfer: Transfer?
    /// The code of the pixels' primaries in ITU-T H.273, such as 9 for BT.2020; nil if unknown.
    public var primaries: Int?
    /// The light level that the file declares; nil if it declares none.
    public var contentLight: ContentLightLevel?

    /// Makes a description. A description without gain map and without transfer function stands for standard dynamic range.
    public init(
        gainMap: GainMap? = nil, transfer: Transfer? = nil, primaries: Int? = nil,
        contentLight: ContentLightLevel? = nil
    ) {
        self.gainMap = gainMap
        self.transfer = transfer
        self.primaries = primaries
        self.contentLight = contentLight
    }

    /// The brightest light of the picture, as a multiple of the white of standard dynamic range; at least 1. Nil if the
    /// file does not declare it.
    public var headroom: Double? {
        if let gainMap { return gainMap.metadata.headroom }
        return contentLight.map { max(Double($0.maximum) / Self.whiteNits, 1) }
    }

    /// The light of the white of standard dynamic range, in nits.
    package static let whiteNits = 203.0
}

/// The brightest light of a picture (CTA-861.3), in nits.
public struct ContentLightLevel: Sendable, Hashable {
    /// The brightest pixel of all frames (MaxCLL).
    public var maximum: Int
    /// The mean of the brightest frame (MaxFALL); 0 if unknown.
    public var average: Int

    /// Makes a light level from its two numbers.
    public init(maximum: Int, average: Int = 0) {
        self.maximum = maximum
        self.average = average
    }
}

/// A gain map: a picture whose values are the logarithms of factors, and the numbers that give the values their meaning
/// (ISO 21496-1). The base picture times the factors is the alternate picture, which has more dynamic range, or less.
public struct GainMap: Sendable, Hashable {
    /// The meaning of the values.
    public var metadata: GainMapMetadata
    /// Width and height of the map in pixels. A map covers the whole base picture, and often has fewer pixels.
    public var size: PixelSize
    /// The number of channels: 1 for the same factor in all channels, or 3.
    public var channelCount: Int
    /// The upright values, as ``PixelFormat/gray8`` or ``PixelFormat/rgb8``. Nil if only the metadata was read.
    public var pixels: PixelBuffer?
    /// The profile of the alternate picture, if the file has one for it.
    package var alternateProfile: ColorProfile?

    /// Makes a gain map from its values.
    public init(metadata: GainMapMetadata, pixels: PixelBuffer) {
        self.metadata = metadata
        self.pixels = pixels
        size = PixelSize(width: pixels.width, height: pixels.height)
        channelCount = pixels.format.channelCount == 1 ? 1 : 3
    }

    /// Makes the description of a gain map whose values were not read.
    public init(metadata: GainMapMetadata, size: PixelSize, channelCount: Int) {
        self.metadata = metadata
        self.size = size
        self.channelCount = channelCount
    }

    /// Compares the metadata, and whether both have the same object as values.
    public static func == (left: Self, right: Self) -> Bool {
        left.metadata == right.metadata && left.size == right.size && left.channelCount == right.channelCount
            && left.pixels === right.pixels
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(metadata)
        hasher.combine(size)
        hasher.combine(pixels.map(ObjectIdentifier.init))
    }
}

/// The meaning of the values of a gain map (ISO 21496-1 §5). All headrooms and gains are logarithms to the base 2.
public struct GainMapMetadata: Sendable, Hashable {
    /// The numbers of one channel.
    public struct Channel: Sendable, Hashable {
        /// The logarithm of the factor for the value 0, and for the greatest value.
        public var minimum: Double, maximum: Double
        /// A value is stored as its power with this exponent.
        public var gamma: Double
        /// Added to the light of the base before the factor applies.
        public var baseOffset: Double
        /// Subtracted from the light of the alternate picture after the factor applied.
        public var alternateOffset: Double

        /// Makes the numbers of a channel. The defaults are those of Adobe's specification.
        public init(
            minimum: Double = 0, maximum: Double = 1, gamma: Double = 1, baseOffset: Double = 1.0 / 64,
            alternateOffset: Double = 1.0 / 64
        ) {
            self.minimum = minimum
            self.maximum = maximum
            self.gamma = gamma
            self.baseOffset = baseOffset
            self.alternateOffset = alternateOffset
        }
    }

    /// One element for all channels, or three for red, green and blue.
    public var channels: [Channel]
    /// The logarithm of the headroom for which the base picture is meant; 0 for standard dynamic range.
    public var baseHeadroom: Double
    /// The logarithm of the headroom for which the alternate picture is meant.
    public var alternateHeadroom: Double
    /// Whether the factors apply to the channels of the base picture. If false, they apply to those of the alternate
    /// picture.
    public var usesBaseColorSpace: Bool

    /// Makes metadata. Use ``isUsable`` to check numbers that come from a file.
    public init(
        channels: [Channel], baseHeadroom: Double = 0, alternateHeadroom: Double, usesBaseColorSpace: Bool = true
    ) {
        self.channels = channels
        self.baseHeadroom = baseHeadroom
        self.alternateHeadroom = alternateHeadroom
        self.usesBaseColorSpace = usesBaseColorSpace
    }

    /// Whether the base picture has the higher dynamic range.
    public var isBaseHDR: Bool { baseHeadroom > alternateHeadroom }

    /// The greater headroom of the two pictures, as a multiple of the white of standard dynamic range.
    public var headroom: Double { exp2(max(baseHeadroom, alternateHeadroom, 0)) }

    /// How much of the gain applies on a display: 0 shows the base, 1 or −1 the alternate picture.
    ///
    /// - Parameter headroom: The headroom of the display, as a multiple of the white of standard dynamic range.
    public func weight(headroom: Double) -> Double {
        guard baseHeadroom != alternateHeadroom else { return 0 }
        let place = (log2(max(headroom, 1)) - baseHeadroom) / (alternateHeadroom - baseHeadroom)
        let weight = min(max(place, 0), 1)
        return isBaseHDR ? -weight : weight
    }

    /// Whether all numbers are finite and in the range of real pictures: gains and headrooms of at most 64 stops, a
    /// positive gamma, and one or three channels.
    public var isUsable: Bool {
        [1, 3].contains(channels.count) && [baseHeadroom, alternateHeadroom].allSatisfy { (0...64).contains($0) }
            && channels.allSatisfy { channel in
                channel.minimum <= channel.maximum && [channel.minimum, channel.maximum].allSatisfy { abs($0) <= 64 }
                    && (1e-4...1e4).contains(channel.gamma)
                    && [channel.baseOffset, channel.alternateOffset].allSatisfy { abs($0) <= 64 }
            }
    }
}
