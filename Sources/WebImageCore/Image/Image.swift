public import Foundation

/// A decoded image: upright, display-ready pixels with a scale, and metadata about its origin.
///
/// It has the role of `UIImage` in SDWebImage. Pixels, scale and colour profile never change; a lock guards the
/// descriptive metadata, which callers may write as in SDWebImage. Safe on any thread.
open class Image: @unchecked Sendable {
    // Unchecked is correct because every stored property is an immutable Sendable or the `Locked` box; subclasses must
    // guarantee the same.

    /// The upright pixels; for an animated image those of its poster frame.
    public let pixels: PixelBuffer
    /// Pixels per point, at least 1.
    public let scale: CGFloat
    /// The profile of the pixels' colours; nil means sRGB.
    public let colorProfile: ColorProfile?
    /// Whether a pixel may be transparent; false for an opaque image in a format with an alpha channel.
    public let hasAlpha: Bool

    private let metadata: Locked<ImageMetadata>

    /// Makes an image of pixels and seals them: they can no longer be written.
    public init(
        pixels: PixelBuffer, scale: CGFloat = 1, colorProfile: ColorProfile? = nil, hasAlpha: Bool? = nil,
        format: ImageFormat = .undefined
    ) {
        pixels.seal()
        self.pixels = pixels
        self.scale = CGFloat(NumberLimits.scale(Double(scale)))
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

    /// The number of frames; 1 for a still.
    open var imageFrameCount: Int { 1 }

    /// Whether there is more than one frame.
    open var isAnimated: Bool { imageFrameCount > 1 }

    /// Whether channels have more than eight bits, as in images decoded to high dynamic range.
    public final var isHighDynamicRange: Bool { pixels.format.bitsPerComponent > 8 }

    /// Whether the image was drawn from a vector format.
    public final var isVector: Bool {
        let format = imageFormat
        return format == .svg || format == .pdf
    }

    /// Returns a new image of the same pixels at another scale; subclasses that hold more than pixels override this.
    open func rescaled(to scale: CGFloat) -> Image {
        Image(pixels: pixels, scale: scale, colorProfile: colorProfile, hasAlpha: hasAlpha)
    }

    /// The cost of this image in a memory cache in bytes; the size of the pixels unless set.
    open var memoryCost: Int {
        get { metadata.withLock { $0.memoryCost } ?? pixels.byteCount }
        set { metadata.withLock { $0.memoryCost = newValue } }
    }

    /// The loop count of the animation; 0 means forever.
    open var imageLoopCount: Int {
        get { metadata.withLock { $0.imageLoopCount } }
        set { metadata.withLock { $0.imageLoopCount = newValue } }
    }

    /// The format that the image was decoded from.
    public final var imageFormat: ImageFormat {
        get { metadata.withLock { $0.imageFormat } }
        set { metadata.withLock { $0.imageFormat = newValue } }
    }

    /// Whether this is a partial image; never cached.
    public final var isIncremental: Bool {
        get { metadata.withLock { $0.isIncremental } }
        set { metadata.withLock { $0.isIncremental = newValue } }
    }

    /// Whether a transformer made this image.
    public package(set) final var isTransformed: Bool {
        get { metadata.withLock { $0.isTransformed } }
        set { metadata.withLock { $0.isTransformed = newValue } }
    }

    /// Whether it is the first frame of an animation, decoded for a caller that requested only that.
    package final var omitsFrames: Bool {
        get { metadata.withLock { $0.omitsFrames } }
        set { metadata.withLock { $0.omitsFrames = newValue } }
    }

    /// The raw value of ``transformOptions``; the option set itself is declared in a higher layer.
    final var transformOptionBits: UInt {
        get { metadata.withLock { $0.transformOptionBits } }
        set { metadata.withLock { $0.transformOptionBits = newValue } }
    }

    /// The options this image was decoded with; nil when it was not decoded by a coder.
    public package(set) final var decodingOptions: DecodingOptions? {
        get { metadata.withLock { $0.decodingOptions } }
        set { metadata.withLock { $0.decodingOptions = newValue } }
    }

    /// Whether the image was decoded for a requested size (also if the source was smaller than that).
    public final var isThumbnail: Bool { decodingOptions?.thumbnailPixelSize != nil }

    /// An object of the caller; stored on disk with the image if it can be encoded.
    public final var extendedObject: (any Sendable)? {
        get { metadata.withLock { $0.extendedObject } }
        set { metadata.withLock { $0.extendedObject = newValue } }
    }

    /// Overwrites the descriptive metadata with that of `source`, except memory cost and frame count. Once a load has
    /// stored the receiver in memory, the receiver also keeps how it was decoded and transformed, because later loads
    /// depend on that.
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

// The cache entries of an image.
extension Image {
    /// Records that this image is the entry of a key; call it before storing the image under the key's string.
    final func noteEntry(_ entry: ImageEntries.Entry) { metadata.withLock { $0.entries.add(entry) } }

    /// Whether a load has stored this image in memory; its origin must not change any more.
    package final var isStored: Bool { metadata.withLock { !$0.entries.isEmpty } }

    /// Returns whether a load of `key` may use this image, which was found under the key's string.
    final func isEntry(of key: EntryKey) -> Bool { metadata.withLock { $0.entries.accept(key) } }

    /// Returns whether every plain load of `key` may use this image, which was found under the key's string; see
    /// ``PlainHit``. False also where only the other values of a load can decide. One lock, and no copy of the options.
    final func isPlainEntry(of key: EntryKey) -> Bool {
        metadata.withLock { !$0.omitsFrames && $0.isPlainlyDecoded && $0.entries.accept(key) }
    }

    /// Returns the version of the original that the entry of a key was made from; nil if it is unknown.
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

    /// Whether the image is what a load that names nothing but a size would decode.
    var isPlainlyDecoded: Bool {
        switch decodingOptions {
        case nil: true
        case .some(let options): options.isPlain
        }
    }

    /// Adopts how another image was decoded and transformed; loads decide by these values.
    mutating func takeOrigin(of other: Self) {
        (isTransformed, transformOptionBits) = (other.isTransformed, other.transformOptionBits)
        (decodingOptions, omitsFrames) = (other.decodingOptions, other.omitsFrames)
    }
}
