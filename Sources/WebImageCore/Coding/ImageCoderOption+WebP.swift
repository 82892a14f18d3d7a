/// Options of libwebp's encoder, which are converted to ``WebPEncodingOptions``. For an absent option, the
/// default of libwebp applies.
extension ImageCoderOption {
    /// Number 0…6: the encoding effort. 0 is the fastest, 6 makes the smallest file.
    public static let encodeWebPMethod = ImageCoderOption(rawValue: "encodeWebPMethod")
    /// Number 1…10: how many passes the encoder makes over the image.
    public static let encodeWebPPass = ImageCoderOption(rawValue: "encodeWebPPass")
    /// Number: the filter before encoding. 0 none, 1 segment smoothing, 2 dithering.
    public static let encodeWebPPreprocessing = ImageCoderOption(rawValue: "encodeWebPPreprocessing")
    /// Number in dB: the target peak signal-to-noise ratio, instead of the quality.
    public static let encodeWebPTargetPSNR = ImageCoderOption(rawValue: "encodeWebPTargetPSNR")
    /// Number: 1 lets the encoder use a second thread.
    public static let encodeWebPThreadLevel = ImageCoderOption(rawValue: "encodeWebPThreadLevel")
    /// `Bool`: use less memory and more time.
    public static let encodeWebPLowMemory = ImageCoderOption(rawValue: "encodeWebPLowMemory")
    /// Number 1…4: the maximum number of segments with different quantisation.
    public static let encodeWebPSegments = ImageCoderOption(rawValue: "encodeWebPSegments")
    /// Number 0…100: spatial noise shaping.
    public static let encodeWebPSnsStrength = ImageCoderOption(rawValue: "encodeWebPSnsStrength")
    /// Number 0…100: strength of the deblocking filter.
    public static let encodeWebPFilterStrength = ImageCoderOption(rawValue: "encodeWebPFilterStrength")
    /// Number 0…7: sharpness of the deblocking filter, 0 the sharpest.
    public static let encodeWebPFilterSharpness = ImageCoderOption(rawValue: "encodeWebPFilterSharpness")
    /// Number: the type of the deblocking filter. 0 simple, 1 strong.
    public static let encodeWebPFilterType = ImageCoderOption(rawValue: "encodeWebPFilterType")
    /// `Bool`: choose the strength of the deblocking filter automatically.
    public static let encodeWebPAutofilter = ImageCoderOption(rawValue: "encodeWebPAutofilter")
    /// `Bool`: compress alpha.
    public static let encodeWebPAlphaCompression = ImageCoderOption(rawValue: "encodeWebPAlphaCompression")
    /// Number: predictive filter of alpha, 0 none, 1 fast, 2 best.
    public static let encodeWebPAlphaFiltering = ImageCoderOption(rawValue: "encodeWebPAlphaFiltering")
    /// Number 0…100: quality of alpha.
    public static let encodeWebPAlphaQuality = ImageCoderOption(rawValue: "encodeWebPAlphaQuality")
    /// `Bool`: replace the input pixels by the decoded result of the compression. Used only by libwebp's own tools.
    public static let encodeWebPShowCompressed = ImageCoderOption(rawValue: "encodeWebPShowCompressed")
    /// Number 0…3: log2 of the number of token partitions.
    public static let encodeWebPPartitions = ImageCoderOption(rawValue: "encodeWebPPartitions")
    /// Number 0…100: how much the quality may be reduced to keep the first partition within its size limit.
    public static let encodeWebPPartitionLimit = ImageCoderOption(rawValue: "encodeWebPPartitionLimit")
    /// `Bool`: slower, sharper conversion to YUV.
    public static let encodeWebPUseSharpYuv = ImageCoderOption(rawValue: "encodeWebPUseSharpYuv")
}
