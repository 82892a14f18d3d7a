public import Foundation

/// A decoded image. It consists of upright, display-ready pixels, a scale, and metadata about its origin.
///
/// The class has the role that `UIImage` has in SDWebImage. Pixels, scale and colour profile never change. Callers
/// can change the descriptive metadata, as in SDWebImage. A lock protects the metadata. Safe on any thread.
open class Image: @unchecked Sendable {
    // Unchecked is correct because every stored property is either an immutable `Sendable` value or the
    // `Locked` box. The stored properties of every subclass must meet the same condition.

    /// The upright pixels. For an animated image, the pixels of its poster frame.
    public let pixels: PixelBuffer
    /// Pixels per point, at least 1.
    public let scale: CGFloat
    /// The profile of the pixels' colours; nil means sRGB.
    public let colorProfile: ColorProfile?
    /// Whether pixels can be transparent. False for an opaque image, even if its pixel format has an alpha channel.
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

    /// The number of frames; 1 for a still image.
    open var imageFrameCount: Int { 1 }

    /// Whether there is more than one frame.
    open var isAnimated: Bool { imageFrameCount > 1 }

    /// The dynamic range beyond the pixels: a gain map, or the transfer function of pixels that were kept as stored. Nil for
    /// standard dynamic range, and if ``DecodingOptions/dynamicRange`` did not ask for more.
    ///
    /// ``copyMetadata(from:)`` does not copy it, because a gain map belongs to the position of each pixel.
    public final var hdr: HDRDescription? {
        get { metadata.withLock { $0.hdr } }
        set { metadata.withLock { $0.hdr = newValue } }
    }

    /// Whether the channels have more than eight bits. True for images that were decoded to high dynamic range.
    public final var isHighDynamicRange: Bool { pixels.format.bitsPerComponent > 8 }

    /// Whether the image was drawn from a vector format.
    public final var isVector: Bool { imageFormat.isVector }

    /// Returns a new image with the same pixels and another scale. A subclass with additional stored properties
    /// must override this method.
    open func rescaled(to scale: CGFloat) -> Image {
        let image = Image(pixels: pixels, scale: scale, colorProfile: colorProfile, hasAlpha: hasAlpha)
        image.hdr = hdr
        return image
    }

    /// The cost of this image in a memory cache, in bytes. The default is the size of the pixels and of the gain map.
    open var memoryCost: Int {
        get {
            let (chosen, map) = metadata.withLock { ($0.memoryCost, $0.hdr?.gainMap?.pixels) }
            return chosen ?? pixels.byteCount + (map?.byteCount ?? 0)
        }
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
        set { metadata.withLock { ($0.imageFormat, $0.hasChosenFormat) = (newValue, true) } }
    }

    /// Whether the program has set ``imageFormat``. A cache then stores the image in this format.
    package final var hasChosenFormat: Bool { metadata.withLock { $0.hasChosenFormat } }

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

    /// Whether SDWebImage's interface reports the image as decoded. Pixels are always decoded; SDWebImage reports so for
    /// images of a load, for frames and for thumbnails, and not for other images that a coder or the system creates from
    /// a file.
    package final var countsAsDecoded: Bool {
        get { metadata.withLock { $0.countsAsDecoded } }
        set { metadata.withLock { $0.countsAsDecoded = newValue } }
    }

    /// Whether the file is an animation but the image contains only its first frame, because the load requested only
    /// this frame.
    package final var omitsFrames: Bool {
        get { metadata.withLock { $0.omitsFrames } }
        set { metadata.withLock { $0.omitsFrames = newValue } }
    }

    /// The raw value of ``transformOptions``. It is stored as a number, because the type of the option set is
    /// declared in a higher layer.
    package final var transformOptionBits: UInt {
        get { metadata.withLock { $0.transformOptionBits } }
        set { metadata.withLock { $0.transformOptionBits = newValue } }
    }

    /// The size of the upright picture in the file from which a coder decoded this image, in pixels; nil if unknown. It
    /// is larger than ``pixelSize`` if the picture was decoded at a smaller size.
    package final var sourcePixelSize: PixelSize? {
        get { metadata.withLock { $0.sourcePixelSize } }
        set { metadata.withLock { $0.sourcePixelSize = newValue } }
    }

    /// The part of the upright picture that the decoder has scaled to this image; nil if it has read the whole picture.
    package final var sourceRegion: PixelRegion? {
        get { metadata.withLock { $0.sourceRegion } }
        set { metadata.withLock { $0.sourceRegion = newValue } }
    }

    /// The options with which a coder decoded this image; nil when no coder decoded it.
    public package(set) final var decodingOptions: DecodingOptions? {
        get { metadata.withLock { $0.decodingOptions } }
        set { metadata.withLock { $0.decodingOptions = newValue } }
    }

    /// Whether the load requested a thumbnail size. True even if the original was smaller than the requested size.
    public final var isThumbnail: Bool { decodingOptions?.thumbnailPixelSize != nil }

    /// An object that the caller attaches to the image. If the object is `Data` or `Encodable`, it is stored on disk
    /// together with the image.
    public final var extendedObject: (any Sendable)? {
        get { metadata.withLock { $0.extendedObject } }
        set { metadata.withLock { $0.extendedObject = newValue } }
    }

    /// Replaces the descriptive metadata by the metadata of `source`. The memory cost, the frame count, the dynamic range
    /// (``hdr``) and the cache keys of this image do not change.
    ///
    /// If a load has already stored this image in memory, the decoding options and the transform record of this image
    /// do not change either. Later loads use these two to decide whether they may use the image.
    public final func copyMetadata(from source: Image) {
        var copied = source.metadata.withLock { $0 }
        metadata.withLock {
            copied.memoryCost = $0.memoryCost
            copied.hdr = $0.hdr
            copied.countsAsDecoded = $0.countsAsDecoded
            copied.entries = $0.entries
            if !$0.entries.isEmpty { copied.takeOrigin(of: $0) }
            $0 = copied
        }
    }
}

// The cache keys under which an image is stored in memory.
extension Image {
    /// Records that this image is an entry of a key. Call this method before storing the image under the key's string.
    /// Otherwise another load could find the image before its key is recorded.
    package final func noteEntry(_ entry: ImageEntries.Entry) { metadata.withLock { $0.entries.add(entry) } }

    /// Copies the entries of `source`. This image is then an entry of the same keys. It must be a copy of `source`.
    package final func copyEntries(from source: Image) {
        let entries = source.metadata.withLock { $0.entries }
        metadata.withLock { $0.entries = entries }
    }

    /// Whether a load has stored this image in memory. If true, the image's decoding options and transform record must
    /// not change.
    package final var isStored: Bool { metadata.withLock { !$0.entries.isEmpty } }

    /// Returns whether a load of `key` may use this image. The image was found under the key's string, but it
    /// could belong to another key with the same string.
    package final func isEntry(of key: EntryKey) -> Bool { metadata.withLock { $0.entries.accept(key) } }

    /// Returns whether every plain load of `key` may use this image. ``PlainHit`` describes plain loads. The image was
    /// found under the key's string. For an image that was decoded with special options, returns false. The load then
    /// compares all its options.
    ///
    /// Takes one lock and does not copy the decoding options.
    package final func isPlainEntry(of key: EntryKey) -> Bool {
        metadata.withLock { !$0.omitsFrames && $0.isPlainlyDecoded && $0.entries.accept(key) }
    }

    /// The keys of the variants that loads have stored under a key string.
    package final func variantKeys(under string: String) -> [EntryKey] {
        metadata.withLock { $0.entries }.variantKeys(under: string)
    }

    /// Whether a load has stored this image as the original with this fingerprint, or as a variant of it.
    package final func isMade(from source: KeyFingerprint) -> Bool {
        metadata.withLock { $0.entries }.isMade(from: source)
    }

    /// Returns the version of the original from which the entry for `key` was made; nil if the version is unknown.
    package final func originalVersion(as key: EntryKey?) -> ContentDigest? {
        key.flatMap { key in metadata.withLock { $0.entries.version(of: key) } }?.digest
    }
}

private struct ImageMetadata {
    var entries = ImageEntries()
    var imageFormat: ImageFormat
    var hasChosenFormat = false
    var imageLoopCount = 0
    var memoryCost: Int?
    var hdr: HDRDescription?
    var isIncremental = false
    var isTransformed = false
    var countsAsDecoded = true
    var omitsFrames = false
    var transformOptionBits: UInt = 0
    var decodingOptions: DecodingOptions?
    var sourcePixelSize: PixelSize?
    var sourceRegion: PixelRegion?
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

/// Another name for ``Image``, for programs whose user interface toolkit also has a type `Image`.
public typealias BitmapImage = Image
