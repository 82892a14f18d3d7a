import Foundation

/// Parameters of libwebp's encoder beside quality; nil means the library's default.
///
/// Names and ranges are those of `WebPConfig` (webp/encode.h).
public struct WebPEncodingOptions: Sendable, Hashable {
    /// Effort, from 0 (fast) to 6 (small).
    public var method: Int?
    /// Passes over the image, 1 to 10.
    public var pass: Int?
    /// Filter before encoding: 0 none, 1 segment smoothing, 2 dithering.
    public var preprocessing: Int?
    /// Target peak signal-to-noise ratio in dB, instead of the quality.
    public var targetPSNR: Double?
    /// 1 lets the encoder use a second thread.
    public var threadLevel: Int?
    /// Whether less memory and more time is used.
    public var lowMemory: Bool?
    /// Segments with different quantisation, 1 to 4.
    public var segments: Int?
    /// Spatial noise shaping, 0 to 100.
    public var snsStrength: Int?
    /// Strength of the deblocking filter, 0 to 100.
    public var filterStrength: Int?
    /// Sharpness of the deblocking filter, 0 sharpest to 7.
    public var filterSharpness: Int?
    /// Type of the deblocking filter: 0 simple, 1 strong.
    public var filterType: Int?
    /// Whether the filter's strength is chosen automatically.
    public var autofilter: Bool?
    /// Whether alpha is compressed.
    public var alphaCompression: Bool?
    /// Predictive filter of alpha: 0 none, 1 fast, 2 best.
    public var alphaFiltering: Int?
    /// Quality of alpha, 0 to 100.
    public var alphaQuality: Int?
    /// Whether the compressed image is exported back into the input: for the library's own tools.
    public var showCompressed: Bool?
    /// log2 of the number of token partitions, 0 to 3.
    public var partitions: Int?
    /// The quality that may be sacrificed to fit the first partition, 0 to 100.
    public var partitionLimit: Int?
    /// Whether the slower, sharper conversion to YUV is used.
    public var useSharpYuv: Bool?

    /// Makes options with the library's defaults.
    public init() {}
}

extension WebPEncodingOptions {
    // Unsafe is true for both tables: they are constants, and these key paths capture nothing.
    private nonisolated(unsafe) static let integers: [(ImageCoderOption, WritableKeyPath<Self, Int?>)] = [
        (.encodeWebPMethod, \.method), (.encodeWebPPass, \.pass), (.encodeWebPPreprocessing, \.preprocessing),
        (.encodeWebPThreadLevel, \.threadLevel), (.encodeWebPSegments, \.segments),
        (.encodeWebPSnsStrength, \.snsStrength), (.encodeWebPFilterStrength, \.filterStrength),
        (.encodeWebPFilterSharpness, \.filterSharpness), (.encodeWebPFilterType, \.filterType),
        (.encodeWebPAlphaFiltering, \.alphaFiltering), (.encodeWebPAlphaQuality, \.alphaQuality),
        (.encodeWebPPartitions, \.partitions), (.encodeWebPPartitionLimit, \.partitionLimit),
    ]  // Unsafe because key paths are not Sendable; the list never changes.

    private nonisolated(unsafe) static let switches: [(ImageCoderOption, WritableKeyPath<Self, Bool?>)] = [
        (.encodeWebPLowMemory, \.lowMemory), (.encodeWebPAutofilter, \.autofilter),
        (.encodeWebPAlphaCompression, \.alphaCompression), (.encodeWebPShowCompressed, \.showCompressed),
        (.encodeWebPUseSharpYuv, \.useSharpYuv),
    ]  // Unsafe because key paths are not Sendable; the list never changes.

    /// Reads an option dictionary; a value of the wrong type is logged once, and the library's default applies.
    init(_ options: ImageCoderOptions) {
        self.init()
        for (key, path) in Self.integers {
            self[keyPath: path] = options.readNumber(key).flatMap { Int(exactly: $0.rounded()) }
        }
        for (key, path) in Self.switches { self[keyPath: path] = options.readNumber(key).map { $0 != 0 } }
        targetPSNR = options.readNumber(.encodeWebPTargetPSNR)
    }

    /// The equivalent option dictionary.
    var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [:]
        for (key, path) in Self.integers { options[key] = self[keyPath: path] }
        for (key, path) in Self.switches { options[key] = self[keyPath: path] }
        options[.encodeWebPTargetPSNR] = targetPSNR
        return options
    }
}
