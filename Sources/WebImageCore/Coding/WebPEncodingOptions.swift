import Foundation

/// Parameters of libwebp's encoder in addition to the quality. If a parameter is nil, its default in libwebp applies.
///
/// The names and ranges are the same as in `WebPConfig` (webp/encode.h).
public struct WebPEncodingOptions: Sendable, Hashable {
    /// The encoding effort, 0 to 6. With 0 the encoder is fastest, with 6 the file is smallest.
    public var method: Int?
    /// The number of passes that the encoder makes over the image, 1 to 10.
    public var pass: Int?
    /// The filter that is applied before encoding: 0 means none, 1 segment smoothing, 2 dithering.
    public var preprocessing: Int?
    /// The target peak signal-to-noise ratio in dB. If it is set, the quality is ignored.
    public var targetPSNR: Double?
    /// 0 or 1. With 1 the encoder can use a second thread.
    public var threadLevel: Int?
    /// Whether the encoder uses less memory and more time.
    public var lowMemory: Bool?
    /// The maximum number of segments with different quantisation, 1 to 4.
    public var segments: Int?
    /// The strength of the spatial noise shaping, 0 to 100.
    public var snsStrength: Int?
    /// The strength of the deblocking filter, 0 to 100.
    public var filterStrength: Int?
    /// The sharpness of the deblocking filter, 0 to 7. With 0 the image is sharpest.
    public var filterSharpness: Int?
    /// The type of the deblocking filter: 0 means simple, 1 strong.
    public var filterType: Int?
    /// Whether the encoder chooses the strength of the deblocking filter automatically.
    public var autofilter: Bool?
    /// Whether alpha is compressed.
    public var alphaCompression: Bool?
    /// The predictive filter for alpha: 0 means none, 1 fast, 2 best.
    public var alphaFiltering: Int?
    /// The quality of the compressed alpha, 0 to 100.
    public var alphaQuality: Int?
    /// Whether libwebp replaces the input pixels by the decoded result of the compression. Only the tools of libwebp
    /// use this option.
    public var showCompressed: Bool?
    /// log2 of the number of token partitions, 0 to 3.
    public var partitions: Int?
    /// How far the encoder can reduce the quality to keep the first partition within its size limit, 0 to 100.
    public var partitionLimit: Int?
    /// Whether the slower and sharper conversion to YUV is used.
    public var useSharpYuv: Bool?

    /// Makes options with the defaults of libwebp.
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

    /// Reads an option dictionary. If a value has the wrong type, libwebp's default applies and a warning is logged.
    /// The same warning is logged only once.
    init(_ options: ImageCoderOptions) {
        self.init()
        for (key, path) in Self.integers {
            self[keyPath: path] = options.readNumber(key).flatMap { Int(exactly: $0.rounded()) }
        }
        for (key, path) in Self.switches { self[keyPath: path] = options.readNumber(key).map { $0 != 0 } }
        targetPSNR = options.readNumber(.encodeWebPTargetPSNR)
    }

    /// The same options as a dictionary.
    var dictionary: ImageCoderOptions {
        var options: ImageCoderOptions = [:]
        for (key, path) in Self.integers { options[key] = self[keyPath: path] }
        for (key, path) in Self.switches { options[key] = self[keyPath: path] }
        options[.encodeWebPTargetPSNR] = targetPSNR
        return options
    }
}
