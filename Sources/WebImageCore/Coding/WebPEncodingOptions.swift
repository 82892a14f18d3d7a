import Foundation

/// Parameters of libwebp's encoder in addition to the quality. Nil means the default of libwebp.
///
/// Names and ranges are those of `WebPConfig` (webp/encode.h).
public struct WebPEncodingOptions: Sendable, Hashable {
    /// The encoding effort: 0 is the fastest, 6 makes the smallest file.
    public var method: Int?
    /// The number of passes that the encoder makes over the image, 1 to 10.
    public var pass: Int?
    /// Filter before encoding: 0 none, 1 segment smoothing, 2 dithering.
    public var preprocessing: Int?
    /// Target peak signal-to-noise ratio in dB, instead of the quality.
    public var targetPSNR: Double?
    /// 1 lets the encoder use a second thread.
    public var threadLevel: Int?
    /// Whether the encoder uses less memory and more time.
    public var lowMemory: Bool?
    /// The maximum number of segments with different quantisation, 1 to 4.
    public var segments: Int?
    /// Spatial noise shaping, 0 to 100.
    public var snsStrength: Int?
    /// Strength of the deblocking filter, 0 to 100.
    public var filterStrength: Int?
    /// Sharpness of the deblocking filter, from 0 (sharpest) to 7.
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
    /// Whether the input pixels are replaced by the decoded result of the compression. Used only by libwebp's
    /// own tools.
    public var showCompressed: Bool?
    /// log2 of the number of token partitions, 0 to 3.
    public var partitions: Int?
    /// How much the quality may be reduced to keep the first partition within its size limit, 0 to 100.
    public var partitionLimit: Int?
    /// Whether the slower, sharper conversion to YUV is used.
    public var useSharpYuv: Bool?

    /// Makes options with the library's defaults.
    public init() {}
}

extension WebPEncodingOptions {
    // `nonisolated(unsafe)` is correct for both tables: they are constants, and their key paths capture no values.
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

    /// Reads an option dictionary. For a value of the wrong type, libwebp's default applies and a warning is
    /// logged once.
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
