public import Foundation

/// A decoded image. It consists of upright, display-ready pixels, a scale, and metadata about its origin.
///
/// It corresponds to `UIImage` in SDWebImage. Pixels, scale and colour profile never change. Callers may
/// change the descriptive metadata, as in SDWebImage; a lock protects it. Safe on any thread.
open class Image: @unchecked Sendable {
    // Unchecked is correct because every stored property is either an immutable `Sendable` value or the
    // `Locked` box. Subclasses must guarantee the same.

    /// The upright pixels. For an animated image, the pixels of its poster frame.
    public let pixels: PixelBuffer
    /// Pixels per point, at least 1.
    public let scale: CGFloat
    /// The profile of the pixels' colours; nil means sRGB.
    public let colorProfile: ColorProfile?
    /// Whether pixels may be transparent. False for an opaque image, even if its pixel format has an alpha channel.
    public let hasAlpha: Bool

    private let metadata: Locked<ImageMetadata>

    /// Makes an image from pixels. The buffer is sealed: it can no longer be written.
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

    /// Whether the channels have more than eight bits, as in images that were decoded to high dynamic range.
    public final var isHighDynamicRange: Bool { pixels.format.bitsPerComponent > 8 }

    /// Whether the image was drawn from a vector format.
    public final var isVector: Bool {
        let format = imageFormat
        return format == .svg || format == .pdf
    }

    /// Returns a new image with the same pixels and another scale. Subclasses that store more than pixels
    /// must override this method.
    open func rescaled(to scale: CGFloat) -> Image {
        Image(pixels: pixels, scale: scale, colorProfile: colorProfile, hasAlpha: hasAlpha)
    }

    /// The cost of this image in a memory cache in bytes. Unless a value was set, it is the size of the pixels.
    open var memoryCost: Int {
        get { metadata.withLock { $0.memoryCost } ?? pixels.byteCount }
        set { metadata.withLock { $0.memoryCost = newValue } }
    }

    /// The number of loops to play; 0 means forever.
    open var imageLoopCount: Int {
        get { metadata.withLock { $0.imageLoopCount } }
        set { metadata.withLock { $0.imageLoopCount = newValue } }
    }

    /// The format of the file from which the image was decoded.
    public final var imageFormat: ImageFormat {
        get { metadata.withLock { $0.imageFormat } }
        set { metadata.withLock { $0.imageFormat = newValue } }
    }

    /// Whether this is a partial image. Partial images are never cached.
    public final var isIncremental: Bool {
        get { metadata.withLock { $0.isIncremental } }
        set { metadata.withLock { $0.isIncremental = newValue } }
    }

    /// Whether a transformer produced this image.
    public package(set) final var isTransformed: Bool {
        get { metadata.withLock { $0.isTransformed } }
        set { metadata.withLock { $0.isTransformed = newValue } }
    }

    /// Whether the image is the first frame of an animation, decoded for a load that requested only the first frame.
    package final var omitsFrames: Bool {
        get { metadata.withLock { $0.omitsFrames } }
        set { metadata.withLock { $0.omitsFrames = newValue } }
    }

    /// The raw value of ``transformOptions``. It is stored as a number, because the type of the option set is
    /// declared in a higher layer.
    final var transformOptionBits: UInt {
        get { metadata.withLock { $0.transformOptionBits } }
        set { metadata.withLock { $0.transformOptionBits = newValue } }
    }

    /// The options with which a coder decoded this image; nil when no coder decoded it.
    public package(set) final var decodingOptions: DecodingOptions? {
        get { metadata.withLock { $0.decodingOptions } }
        set { metadata.withLock { $0.decodingOptions = newValue } }
    }

    /// Whether the load requested a thumbnail size. Also true if the source was smaller than the requested size.
    public final var isThumbnail: Bool { decodingOptions?.thumbnailPixelSize != nil }

    /// An object that the caller attaches to the image. It is stored on disk with the image if it is `Data`
    /// or `Encodable`.
    public final var extendedObject: (any Sendable)? {
        get { metadata.withLock { $0.extendedObject } }
        set { metadata.withLock { $0.extendedObject = newValue } }
    }

    /// Replaces the descriptive metadata by the metadata of `source`, except memory cost and frame count. If
    /// a load has already stored this image in memory, its decoding options and its transform record do not
    /// change either, because later loads use them to decide whether the image fits.
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

// The cache keys under which an image is stored in memory.
extension Image {
    /// Records that this image is the entry of a key. Call it before storing the image under the key's
    /// string: another load could otherwise find the image without its key.
    final func noteEntry(_ entry: ImageEntries.Entry) { metadata.withLock { $0.entries.add(entry) } }

    /// Makes this image, a copy of `source`, an entry of the same keys.
    final func copyEntries(from source: Image) {
        let entries = source.metadata.withLock { $0.entries }
        metadata.withLock { $0.entries = entries }
    }

    /// Whether a load has stored this image in memory. Then its decoding options and transform record must not change.
    package final var isStored: Bool { metadata.withLock { !$0.entries.isEmpty } }

    /// Returns whether a load of `key` may use this image. The image was found under the key's string, but it
    /// may belong to another key with the same string.
    final func isEntry(of key: EntryKey) -> Bool { metadata.withLock { $0.entries.accept(key) } }

    /// Returns whether every plain load of `key` may use this image, which was found under the key's string.
    /// ``PlainHit`` describes plain loads. Also returns false if the answer depends on other options of the
    /// load. Takes one lock and does not copy the options.
    final func isPlainEntry(of key: EntryKey) -> Bool {
        metadata.withLock { !$0.omitsFrames && $0.isPlainlyDecoded && $0.entries.accept(key) }
    }

    /// Returns the version of the original from which the entry of a key was made; nil if it is unknown.
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

    /// Whether a load that sets no decoding option except a thumbnail size would decode the same image.
    var isPlainlyDecoded: Bool {
        switch decodingOptions {
        case nil: true
        case .some(let options): options.isPlain
        }
    }

    /// Copies the decoding options and the transform record of another image.
    mutating func takeOrigin(of other: Self) {
        (isTransformed, transformOptionBits) = (other.isTransformed, other.transformOptionBits)
        (decodingOptions, omitsFrames) = (other.decodingOptions, other.omitsFrames)
    }
}
