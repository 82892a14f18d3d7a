/// The maximum cost of an image, checked on its header before anything is allocated.
public struct DecodingLimits: Sendable, Hashable {
    /// Bytes of the encoded file.
    public var maxEncodedBytes: Int
    /// Pixels of one frame.
    public var maxPixels: Int
    /// Pixels over all frames of an animation.
    public var maxAnimationPixels: Int
    /// Frames of an animation, however small they are.
    public var maxFrameCount: Int
    /// Bytes of one ancillary chunk (profile, EXIF, text).
    public var maxAncillaryChunkBytes: Int
    /// Bytes of all ancillary chunks together.
    public var maxAncillaryBytes: Int
    /// Bytes of memory for one decode: the image and the allocations of its library.
    public var maxDecodeBytes: Int
    /// Time for one decode; checked per row, scan or frame, as the library allows.
    public var maxDecodeTime: Duration

    /// Makes limits; each parameter defaults to the value of ``default``.
    public init(
        maxEncodedBytes: Int = 100_000_000, maxPixels: Int = 100_000_000, maxAnimationPixels: Int = 400_000_000,
        maxAncillaryChunkBytes: Int = 1 << 20, maxAncillaryBytes: Int = 8 << 20,
        maxDecodeTime: Duration = .seconds(8), maxFrameCount: Int = 100_000, maxDecodeBytes: Int = 2 << 30
    ) {
        self.maxEncodedBytes = maxEncodedBytes
        self.maxPixels = maxPixels
        self.maxAnimationPixels = maxAnimationPixels
        self.maxFrameCount = maxFrameCount
        self.maxAncillaryChunkBytes = maxAncillaryChunkBytes
        self.maxAncillaryBytes = maxAncillaryBytes
        self.maxDecodeTime = maxDecodeTime
        self.maxDecodeBytes = maxDecodeBytes
    }

    /// The default: 100 MB, 100 megapixels per frame, 400 megapixels per animation of up to 100,000 frames, 1 MB per
    /// ancillary chunk and 8 MB for all, 2 GB per decode, 8 seconds.
    public static let `default` = DecodingLimits()

    /// No limits; only for trusted files.
    public static let unlimited = DecodingLimits(
        maxEncodedBytes: .max, maxPixels: .max, maxAnimationPixels: .max, maxAncillaryChunkBytes: .max,
        maxAncillaryBytes: .max, maxDecodeTime: .seconds(Int64.max / 2), maxFrameCount: .max,
        maxDecodeBytes: .max)

    /// The name of a limit in errors.
    public enum Limit: String, Sendable, Hashable {
        /// ``DecodingLimits/maxEncodedBytes``.
        case encodedBytes
        /// ``DecodingLimits/maxPixels``.
        case pixels
        /// ``DecodingLimits/maxAnimationPixels``.
        case animationPixels
        /// ``DecodingLimits/maxFrameCount``.
        case frameCount
        /// ``DecodingLimits/maxAncillaryChunkBytes``.
        case ancillaryChunkBytes
        /// ``DecodingLimits/maxAncillaryBytes``.
        case ancillaryBytes
        /// ``DecodingLimits/maxDecodeBytes``.
        case decodeBytes
        /// ``DecodingLimits/maxDecodeTime``.
        case decodeTime
        /// The download's limit on body bytes.
        case bodyBytes
    }

    /// Throws when an encoded file of `byteCount` bytes exceeds the limit.
    public func checkEncodedBytes(_ byteCount: Int) throws(WebImageError) {
        guard byteCount <= maxEncodedBytes else {
            throw .limit(.encodedBytes, actual: byteCount, allowed: maxEncodedBytes)
        }
    }

    /// Throws when a frame of this size exceeds the pixel limit.
    public func checkPixels(_ size: PixelSize) throws(WebImageError) {
        guard size.pixelCount <= maxPixels else {
            throw .limit(.pixels, actual: size.pixelCount, allowed: maxPixels)
        }
    }

    /// Throws when `frameCount` frames of this size exceed the animation's pixel limit or frame limit.
    public func checkAnimation(_ size: PixelSize, frameCount: Int) throws(WebImageError) {
        guard frameCount <= maxFrameCount else {
            throw .limit(.frameCount, actual: frameCount, allowed: maxFrameCount)
        }
        let (total, overflow) = size.pixelCount.multipliedReportingOverflow(by: frameCount)
        guard !overflow, total <= maxAnimationPixels else {
            throw .limit(.animationPixels, actual: overflow ? .max : total, allowed: maxAnimationPixels)
        }
    }
}

/// The deadline of one decode after ``DecodingLimits/maxDecodeTime``, checked between rows, scans or frames.
public struct DecodeDeadline: Sendable {
    private let end: ContinuousClock.Instant
    private let allowed: Duration
    private let countdown: DeadlineCountdown?

    /// Starts the time now.
    public init(_ limits: DecodingLimits) {
        allowed = limits.maxDecodeTime
        countdown = Self.countdown
        // A duration of centuries would overflow the instant; ten years are practically unlimited.
        end = .now + min(limits.maxDecodeTime, .seconds(315_360_000))
    }

    /// Whether the time is used up.
    public var hasPassed: Bool { countdown.map { $0.countDown() } ?? (ContinuousClock.now >= end) }

    /// Throws the error of the limit when the time is used up.
    public func check() throws(WebImageError) {
        guard !hasPassed else {
            throw .limit(
                .decodeTime, actual: Int(allowed.components.seconds), allowed: Int(allowed.components.seconds))
        }
    }
}
