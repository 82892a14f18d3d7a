public import Foundation

/// A decoded picture: upright, display-ready pixels with a scale, and what is known about where they came from.
///
/// It plays the role that `UIImage` plays for the original. Pixels, scale and colour profile never change; the
/// descriptive metadata the original lets callers write is guarded by a lock. Safe on any thread.
open class Image: @unchecked Sendable {
    // Unchecked is true because every stored property is an immutable Sendable or the `Locked` box; subclasses
    // promise the same for theirs.

    /// The pixels, orientation applied; for an animated image its poster frame.
    public let pixels: PixelBuffer
    /// Pixels per point, at least 1.
    public let scale: CGFloat
    /// The profile the pixels are meant in; nil is sRGB.
    public let colorProfile: ColorProfile?
    /// Whether a pixel may be transparent; an opaque picture in a format with an alpha channel says false.
    public let hasAlpha: Bool

    private let metadata: Locked<ImageMetadata>

    /// Wraps pixels, which nobody can write from now on.
    public init(
        pixels: PixelBuffer, scale: CGFloat = 1, colorProfile: ColorProfile? = nil, hasAlpha: Bool? = nil,
        format: ImageFormat = .undefined
    ) {
        pixels.seal()
        self.pixels = pixels
        self.scale = CGFloat(Number.scale(Double(scale)))
        self.colorProfile = colorProfile
        self.hasAlpha = hasAlpha ?? pixels.format.hasAlpha
        metadata = Locked(ImageMetadata(imageFormat: format))
    }

    /// Width and height in pixels.
    public final var pixelSize: PixelSize { PixelSize(width: pixels.width, height: pixels.height) }

    /// Width and height in points: pixels divided by ``scale``.
    public final var size: CGSize {
        CGSize(width: CGFloat(pixels.width) / scale, height: CGFloat(pixels.height) / scale)
    }

    /// Frames of the animation; 1 for a still.
    open var imageFrameCount: Int { 1 }

    /// Whether there is more than one frame.
    open var isAnimated: Bool { imageFrameCount > 1 }

    /// Whether channels hold more than eight bits, as those decoded to high dynamic range do.
    public final var isHighDynamicRange: Bool { pixels.format.bitsPerComponent > 8 }

    /// Whether the picture was drawn from a vector format.
    public final var isVector: Bool {
        let format = imageFormat
        return format == .svg || format == .pdf
    }

    /// A new image of the same pixels at another scale; subclasses that hold more than pixels override this.
    open func rescaled(to scale: CGFloat) -> Image {
        Image(pixels: pixels, scale: scale, colorProfile: colorProfile, hasAlpha: hasAlpha)
    }

    /// Bytes this image costs a memory cache; the pixels' own unless set.
    open var memoryCost: Int {
        get { metadata.withLock { $0.memoryCost } ?? pixels.byteCount }
        set { metadata.withLock { $0.memoryCost = newValue } }
    }

    /// How often the animation plays; 0 is for ever.
    open var imageLoopCount: Int {
        get { metadata.withLock { $0.imageLoopCount } }
        set { metadata.withLock { $0.imageLoopCount = newValue } }
    }

    /// The format the picture was decoded from.
    public final var imageFormat: ImageFormat {
        get { metadata.withLock { $0.imageFormat } }
        set { metadata.withLock { $0.imageFormat = newValue } }
    }

    /// Whether this is a preview of a picture that has not arrived whole; never cached.
    public final var isIncremental: Bool {
        get { metadata.withLock { $0.isIncremental } }
        set { metadata.withLock { $0.isIncremental = newValue } }
    }

    /// Whether a transformer made this image.
    public package(set) final var isTransformed: Bool {
        get { metadata.withLock { $0.isTransformed } }
        set { metadata.withLock { $0.isTransformed = newValue } }
    }

    /// Whether it is the first frame of an animation, decoded for a caller that wanted no more.
    package final var omitsFrames: Bool {
        get { metadata.withLock { $0.omitsFrames } }
        set { metadata.withLock { $0.omitsFrames = newValue } }
    }

    /// The raw value of ``transformOptions``; the option set belongs to a higher layer.
    final var transformOptionBits: UInt {
        get { metadata.withLock { $0.transformOptionBits } }
        set { metadata.withLock { $0.transformOptionBits = newValue } }
    }

    /// The options this image was decoded with; nil when it was not decoded by a coder.
    public package(set) final var decodingOptions: DecodingOptions? {
        get { metadata.withLock { $0.decodingOptions } }
        set { metadata.withLock { $0.decodingOptions = newValue } }
    }

    /// Whether the image was decoded for a wanted size (also where the picture was smaller than that).
    public final var isThumbnail: Bool { decodingOptions?.thumbnailPixelSize != nil }

    /// An object of the caller's, stored with the image on disk when it can be encoded.
    public final var extendedObject: (any Sendable)? {
        get { metadata.withLock { $0.extendedObject } }
        set { metadata.withLock { $0.extendedObject = newValue } }
    }

    /// Copies the descriptive metadata, overwriting; memory cost and frame count stay the receiver's own, and so does, once
    /// a load has stored the receiver in memory, how it was decoded and transformed: later loads judge it by that.
    public final func copyMetadata(from source: Image) {
        var copied = source.metadata.withLock { $0 }
        metadata.withLock {
            copied.memoryCost = $0.memoryCost
            copied.entries = $0.entries
            if !$0.entries.isEmpty { copied.takeOrigin(of: $0) }
            $0 = copied
        }
    }
}

// What an image is stored as.
extension Image {
    /// Notes that this image is the entry of a key, before it is stored under the key's string.
    final func noteEntry(_ entry: ImageEntries.Entry) { metadata.withLock { $0.entries.add(entry) } }

    /// Whether a load has stored this image in memory: how it was made is not to be changed any more.
    package final var isStored: Bool { metadata.withLock { !$0.entries.isEmpty } }

    /// Whether a load of `key` may take this image, found under the key's string.
    final func isEntry(of key: EntryKey) -> Bool { metadata.withLock { $0.entries.accept(key) } }

    /// The version of the original that the entry of a key was made from; nil where none is known.
    final func originalVersion(as key: EntryKey?) -> ContentDigest? {
        key.flatMap { key in metadata.withLock { $0.entries.version(of: key) } }?.digest
    }
}

private struct ImageMetadata {
    var entries = ImageEntries()
    var imageFormat: ImageFormat
    var imageLoopCount = 0
    var memoryCost: Int?
    var isIncremental = false
    var isTransformed = false
    var omitsFrames = false
    var transformOptionBits: UInt = 0
    var decodingOptions: DecodingOptions?
    var extendedObject: (any Sendable)?

    /// Takes over how an image was made: what loads judge it by.
    mutating func takeOrigin(of other: Self) {
        (isTransformed, transformOptionBits) = (other.isTransformed, other.transformOptionBits)
        (decodingOptions, omitsFrames) = (other.decodingOptions, other.omitsFrames)
    }
}
