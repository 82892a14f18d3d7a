public import WebImage

extension Image {
    /// The loop count of the animation; 0 is for ever.
    public var sd_imageLoopCount: UInt {
        get { UInt(clamping: imageLoopCount) }
        set { imageLoopCount = Int(clamping: newValue) }
    }
    /// The number of frames; 1 for a still.
    public var sd_imageFrameCount: UInt { UInt(clamping: imageFrameCount) }
    /// Whether there is more than one frame.
    public var sd_isAnimated: Bool { isAnimated }
    /// Whether the image was drawn from a vector format.
    public var sd_isVector: Bool { isVector }
    /// The format the image was decoded from.
    public var sd_imageFormat: SDImageFormat {
        get { imageFormat }
        set { imageFormat = newValue }
    }
    /// Whether this is a partial image.
    public var sd_isIncremental: Bool {
        get { isIncremental }
        set { isIncremental = newValue }
    }
    /// Whether a transformer made this image. Setting it has no effect after a load has stored the image in memory.
    public var sd_isTransformed: Bool {
        get { isTransformed }
        set { if !isStored { isTransformed = newValue } }
    }
    /// Whether the image was decoded as a thumbnail, for a requested size.
    public var sd_isThumbnail: Bool { isThumbnail }
    /// The options with which this image was decoded. Nil if the image was not made by a decoder. Setting it has no
    /// effect after a load has stored the image in memory.
    public var sd_decodeOptions: SDImageCoderOptions? {
        get { decodingOptions?.dictionary }
        set { if !isStored { decodingOptions = newValue.map { DecodingOptions($0) } } }
    }
    /// An object of the caller. If it can be encoded, the disk cache stores it with the image.
    public var sd_extendedObject: (any Sendable)? {
        get { extendedObject }
        set { extendedObject = newValue }
    }
    /// The cost of this image in a memory cache, in bytes. Default: the bytes of its pixels.
    public var sd_memoryCost: UInt {
        get { UInt(memoryCost) }
        set { memoryCost = Int(clamping: newValue) }
    }
    /// Whether the pixels are decoded. Always true, because coders return decoded images. Setting it has no effect.
    public var sd_isDecoded: Bool {
        get { true }
        set {}
    }
    /// Whether the pixels have a high dynamic range, for example after decoding with `.decodeToHDR`.
    public var sd_isHighDynamicRange: Bool { isHighDynamicRange }
}
