public import WebImage

extension Image {
    /// The loop count of the animation. 0 means that the animation repeats endlessly.
    public var sd_imageLoopCount: UInt {
        get { UInt(clamping: imageLoopCount) }
        set { imageLoopCount = Int(clamping: newValue) }
    }
    /// The number of frames. 1 for a still image.
    public var sd_imageFrameCount: UInt { UInt(clamping: imageFrameCount) }
    /// Whether there is more than one frame.
    public var sd_isAnimated: Bool { isAnimated }
    /// Whether the image was drawn from a vector format.
    public var sd_isVector: Bool { isVector }
    /// The format of the file that the image was decoded from. A cache that encodes the image uses the format that was
    /// set last; `.undefined` means GIF for an animation, PNG for an image with alpha and JPEG for other images.
    public var sd_imageFormat: SDImageFormat {
        get { imageFormat }
        set { imageFormat = newValue }
    }
    /// Whether this is a partial image.
    public var sd_isIncremental: Bool {
        get { isIncremental }
        set { isIncremental = newValue }
    }
    /// Whether a transformer created this image. Setting this property has no effect after a load has stored the image
    /// in memory.
    public var sd_isTransformed: Bool {
        get { isTransformed }
        set { if !isStored { isTransformed = newValue } }
    }
    /// Whether a thumbnail size was requested when the image was decoded.
    public var sd_isThumbnail: Bool { isThumbnail }
    /// The options with which this image was decoded. Nil if no decoder created the image. Setting this property has
    /// no effect after a load has stored the image in memory.
    public var sd_decodeOptions: SDImageCoderOptions? {
        get { decodingOptions?.dictionary }
        set { if !isStored { decodingOptions = newValue.map { DecodingOptions($0) } } }
    }
    /// The cost of this image in a memory cache, in bytes. Default: the size of the image's pixels.
    public var sd_memoryCost: UInt {
        get { UInt(memoryCost) }
        set { memoryCost = Int(clamping: newValue) }
    }
    /// Whether the image counts as decoded. False for images of `UIImage(data:)`, `UIImage(named:)` and a coder without
    /// a thumbnail size, because SDWebImage decodes them later; true for other images. The pixels are always decoded; the
    /// property determines only whether `decodedImage(with:)` returns a new object.
    public var sd_isDecoded: Bool {
        get { countsAsDecoded }
        set { countsAsDecoded = newValue }
    }
    /// Whether the pixels have more than 8 bits per channel, for example after decoding with `.decodeToHDR`.
    public var sd_isHighDynamicRange: Bool { isHighDynamicRange }
}
