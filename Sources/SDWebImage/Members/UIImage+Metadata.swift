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
    /// Whether a transformer made this image. Setting it changes nothing once a load has stored the image in memory.
    public var sd_isTransformed: Bool {
        get { isTransformed }
        set { if !isStored { isTransformed = newValue } }
    }
    /// Whether the image was decoded for a wanted size.
    public var sd_isThumbnail: Bool { isThumbnail }
    /// The options this image was decoded with; nil when it was not decoded. Setting it changes nothing once a load has
    /// stored the image in memory.
    public var sd_decodeOptions: SDImageCoderOptions? {
        get { decodingOptions?.dictionary }
        set { if !isStored { decodingOptions = newValue.map { DecodingOptions($0) } } }
    }
    /// A caller's object, stored with the image on disk when it can be encoded.
    public var sd_extendedObject: (any Sendable)? {
        get { extendedObject }
        set { extendedObject = newValue }
    }
    /// The bytes that this image counts in a memory cache; those of its pixels unless set.
    public var sd_memoryCost: UInt {
        get { UInt(memoryCost) }
        set { memoryCost = Int(clamping: newValue) }
    }
    /// Whether the pixels are ready for display; always true, because coders return decoded images. Setting it has no
    /// effect.
    public var sd_isDecoded: Bool {
        get { true }
        set {}
    }
    /// Whether the pixels hold a high dynamic range, as those decoded with `.decodeToHDR` do.
    public var sd_isHighDynamicRange: Bool { isHighDynamicRange }
}
