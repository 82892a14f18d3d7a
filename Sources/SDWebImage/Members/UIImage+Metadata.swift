public import WebImage

extension Image {
    /// How often the animation plays; 0 is for ever.
    public var sd_imageLoopCount: UInt {
        get { UInt(clamping: imageLoopCount) }
        set { imageLoopCount = Int(clamping: newValue) }
    }
    /// Frames of the animation; 1 for a still.
    public var sd_imageFrameCount: UInt { UInt(clamping: imageFrameCount) }
    /// Whether there is more than one frame.
    public var sd_isAnimated: Bool { isAnimated }
    /// Whether the picture was drawn from a vector format.
    public var sd_isVector: Bool { isVector }
    /// The format the picture was decoded from.
    public var sd_imageFormat: SDImageFormat {
        get { imageFormat }
        set { imageFormat = newValue }
    }
    /// Whether this is a preview of a picture that has not arrived whole.
    public var sd_isIncremental: Bool {
        get { isIncremental }
        set { isIncremental = newValue }
    }
    /// Whether a transformer made this picture. Setting it changes nothing once a load has stored the picture in memory.
    public var sd_isTransformed: Bool {
        get { isTransformed }
        set { if !isStored { isTransformed = newValue } }
    }
    /// Whether the picture was decoded for a wanted size.
    public var sd_isThumbnail: Bool { isThumbnail }
    /// The options this picture was decoded with; nil when it was not decoded. Setting it changes nothing once a load has
    /// stored the picture in memory.
    public var sd_decodeOptions: SDImageCoderOptions? {
        get { decodingOptions?.dictionary }
        set { if !isStored { decodingOptions = newValue.map { DecodingOptions($0) } } }
    }
    /// A caller's object, stored with the picture on disk when it can be encoded.
    public var sd_extendedObject: (any Sendable)? {
        get { extendedObject }
        set { extendedObject = newValue }
    }
    /// Bytes this picture costs a memory cache; the pixels' own unless set.
    public var sd_memoryCost: UInt {
        get { UInt(memoryCost) }
        set { memoryCost = Int(clamping: newValue) }
    }
    /// Whether the pixels are ready for display: always, as pictures come decoded from their coders. Setting it changes
    /// nothing.
    public var sd_isDecoded: Bool {
        get { true }
        set {}
    }
    /// Whether the pixels hold a high dynamic range, as those decoded with `.decodeToHDR` do.
    public var sd_isHighDynamicRange: Bool { isHighDynamicRange }
}
