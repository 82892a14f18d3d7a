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
