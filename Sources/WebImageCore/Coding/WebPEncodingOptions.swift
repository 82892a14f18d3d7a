import Foundation

/// Parameters of libwebp's encoder in addition to the quality. If a parameter is nil, its default in libwebp applies.
///
/// The names and ranges are the same as in `WebPConfig` (webp/encode.h).
public struct WebPEncodingOptions: Sendable, Hashable {
    /// The encoding effort, 0 to 6. With 0 the encoder is fastest, with 6 the file is smallest. Nil means 2 for a lossy still
    /// without a limit of its bytes: at the same score, 4 takes twice the time for a file that is 5 % smaller. Otherwise nil means 4.
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
    /// Whether libwebp's slower and sharper conversion to YUV is used. Without it, files of opaque pictures have about the same
    /// size, because the usual conversion keeps the luminance of each pixel too.
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

/// Options of libwebp's encoder. The library converts them to ``WebPEncodingOptions``. For a missing option, the
/// default of libwebp applies.
extension ImageCoderOption {
    /// Number 0…6: the encoding effort. With 0 the encoder is fastest, with 6 the file is smallest.
    public static let encodeWebPMethod = ImageCoderOption(rawValue: "encodeWebPMethod")
    /// Number 1…10: the number of passes that the encoder makes over the image.
    public static let encodeWebPPass = ImageCoderOption(rawValue: "encodeWebPPass")
    /// Number: the filter that is applied before encoding. 0 means none, 1 segment smoothing, 2 dithering.
    public static let encodeWebPPreprocessing = ImageCoderOption(rawValue: "encodeWebPPreprocessing")
    /// Number in dB: the target peak signal-to-noise ratio. If this option is set, the quality is ignored.
    public static let encodeWebPTargetPSNR = ImageCoderOption(rawValue: "encodeWebPTargetPSNR")
    /// Number 0 or 1: with 1 the encoder can use a second thread.
    public static let encodeWebPThreadLevel = ImageCoderOption(rawValue: "encodeWebPThreadLevel")
    /// `Bool`: whether the encoder uses less memory and more time.
    public static let encodeWebPLowMemory = ImageCoderOption(rawValue: "encodeWebPLowMemory")
    /// Number 1…4: the maximum number of segments with different quantisation.
    public static let encodeWebPSegments = ImageCoderOption(rawValue: "encodeWebPSegments")
    /// Number 0…100: the strength of the spatial noise shaping.
    public static let encodeWebPSnsStrength = ImageCoderOption(rawValue: "encodeWebPSnsStrength")
    /// Number 0…100: the strength of the deblocking filter.
    public static let encodeWebPFilterStrength = ImageCoderOption(rawValue: "encodeWebPFilterStrength")
    /// Number 0…7: the sharpness of the deblocking filter. With 0 the image is sharpest.
    public static let encodeWebPFilterSharpness = ImageCoderOption(rawValue: "encodeWebPFilterSharpness")
    /// Number: the type of the deblocking filter. 0 means simple, 1 strong.
    public static let encodeWebPFilterType = ImageCoderOption(rawValue: "encodeWebPFilterType")
    /// `Bool`: whether the encoder chooses the strength of the deblocking filter automatically.
    public static let encodeWebPAutofilter = ImageCoderOption(rawValue: "encodeWebPAutofilter")
    /// `Bool`: whether alpha is compressed.
    public static let encodeWebPAlphaCompression = ImageCoderOption(rawValue: "encodeWebPAlphaCompression")
    /// Number: the predictive filter for alpha. 0 means none, 1 fast, 2 best.
    public static let encodeWebPAlphaFiltering = ImageCoderOption(rawValue: "encodeWebPAlphaFiltering")
    /// Number 0…100: the quality of the compressed alpha.
    public static let encodeWebPAlphaQuality = ImageCoderOption(rawValue: "encodeWebPAlphaQuality")
    /// `Bool`: whether libwebp replaces the input pixels by the decoded result of the compression. Only the tools of
    /// libwebp use this option.
    public static let encodeWebPShowCompressed = ImageCoderOption(rawValue: "encodeWebPShowCompressed")
    /// Number 0…3: log2 of the number of token partitions.
    public static let encodeWebPPartitions = ImageCoderOption(rawValue: "encodeWebPPartitions")
    /// Number 0…100: how far the encoder can reduce the quality to keep the first partition within its size limit.
    public static let encodeWebPPartitionLimit = ImageCoderOption(rawValue: "encodeWebPPartitionLimit")
    /// `Bool`: whether the slower and sharper conversion to YUV is used.
    public static let encodeWebPUseSharpYuv = ImageCoderOption(rawValue: "encodeWebPUseSharpYuv")
}
