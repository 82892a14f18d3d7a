/// The maximum size of an image and the maximum cost of its decode. Before a decoder allocates memory, it compares
/// the header of the image with the limits.
public struct DecodingLimits: Sendable, Hashable {
    /// Maximum size of the encoded file in bytes.
    public var maxEncodedBytes: Int
    /// Maximum number of pixels of one frame.
    public var maxPixels: Int
    /// Maximum width and height of one frame in pixels. The time and memory of some steps grow with the sides, not with
    /// the number of pixels.
    public var maxSide: Int
    /// Maximum number of pixels of all frames of an animation together.
    public var maxAnimationPixels: Int
    /// Maximum number of frames of an animation, regardless of the size of the frames.
    public var maxFrameCount: Int
    /// Maximum size of one ancillary chunk (profile, EXIF, text) in bytes. Profiles of presses have 2 MB.
    public var maxAncillaryChunkBytes: Int
    /// Maximum total size of all ancillary chunks in bytes.
    public var maxAncillaryBytes: Int
    /// Maximum memory of one decode in bytes: the image and the allocations of the codec library.
    public var maxDecodeBytes: Int
    /// Maximum time of one decode. A decoder checks the time after each row, scan or frame, depending on the codec
    /// library.
    public var maxDecodeTime: Duration

    /// Makes limits. Each parameter defaults to its value in ``default``.
    public init(
        maxEncodedBytes: Int = 100_000_000, maxPixels: Int = 100_000_000, maxAnimationPixels: Int = 400_000_000,
        maxAncillaryChunkBytes: Int = 4 << 20, maxAncillaryBytes: Int = 8 << 20,
        maxDecodeTime: Duration = .seconds(8), maxFrameCount: Int = 100_000, maxDecodeBytes: Int = 2 << 30,
        maxSide: Int = 65_535
    ) {
        self.maxEncodedBytes = maxEncodedBytes
        self.maxPixels = maxPixels
        self.maxAnimationPixels = maxAnimationPixels
        self.maxFrameCount = maxFrameCount
        self.maxAncillaryChunkBytes = maxAncillaryChunkBytes
        self.maxAncillaryBytes = maxAncillaryBytes
        self.maxDecodeTime = maxDecodeTime
        self.maxDecodeBytes = maxDecodeBytes
        self.maxSide = maxSide
    }

    /// The default limits.
    ///
    /// - Encoded file: 100 MB.
    /// - Frame: 100 megapixels, and 65,535 pixels on each side.
    /// - Animation: 400 megapixels and 100,000 frames.
    /// - Ancillary chunks: 1 MiB for one chunk, 8 MiB for all chunks.
    /// - Decode: 2 GiB of memory and 8 seconds.
    public static let `default` = DecodingLimits()

    /// No limits. Use this value only for trusted files: a hostile file could exhaust the memory.
    public static let unlimited = DecodingLimits(
        maxEncodedBytes: .max, maxPixels: .max, maxAnimationPixels: .max, maxAncillaryChunkBytes: .max,
        maxAncillaryBytes: .max, maxDecodeTime: .seconds(Int64.max / 2), maxFrameCount: .max,
        maxDecodeBytes: .max, maxSide: .max)

    /// The name of a limit. An error contains the name of the limit that was exceeded.
    public enum Limit: String, Sendable, Hashable {
        /// ``DecodingLimits/maxEncodedBytes``.
        case encodedBytes
        /// ``DecodingLimits/maxPixels``.
        case pixels
        /// ``DecodingLimits/maxSide``.
        case side
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
        /// The maximum size of a response body. It is a limit of the download, not of ``DecodingLimits``.
        case bodyBytes
    }

    /// Throws `.limitExceeded` when an encoded file of `byteCount` bytes exceeds the limit.
    public func checkEncodedBytes(_ byteCount: Int) throws(WebImageError) {
        guard byteCount <= maxEncodedBytes else {
            throw .limit(.encodedBytes, actual: byteCount, allowed: maxEncodedBytes)
        }
    }

    /// Throws `.limitExceeded` when a frame of this size exceeds the pixel limit or the limit of a side.
    public func checkPixels(_ size: PixelSize) throws(WebImageError) {
        let side = max(size.width, size.height)
        guard side <= maxSide else { throw .limit(.side, actual: side, allowed: maxSide) }
        guard size.pixelCount <= maxPixels else {
            throw .limit(.pixels, actual: size.pixelCount, allowed: maxPixels)
        }
    }

    /// Throws `.limitExceeded` when a decode needs more memory than the limit, or than the current ``WorkBudget`` has.
    package func checkDecodeBytes(_ byteCount: Int) throws(WebImageError) {
        let allowed = min(maxDecodeBytes, WorkBudget.current?.maxBytes ?? .max)
        guard byteCount <= allowed else { throw .limit(.decodeBytes, actual: byteCount, allowed: allowed) }
    }

    /// Throws `.limitExceeded` when `frameCount` frames of this size exceed the animation's pixel limit or frame limit.
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

/// The time at which a decode must stop: ``DecodingLimits/maxDecodeTime`` after the creation of the deadline, or the end
/// of the current ``WorkBudget``, whichever is earlier. A decoder checks the deadline between rows, scans or frames.
public struct DecodeDeadline: Sendable {
    let end: ContinuousClock.Instant
    let allowed: Duration
    let budget: WorkBudget?
    private let countdown: DeadlineCountdown?

    /// Creates a deadline. Its time starts now.
    public init(_ limits: DecodingLimits) {
        allowed = limits.maxDecodeTime
        countdown = Self.countdown
        budget = WorkBudget.current
        // Limit the duration to ten years, which is practically unlimited. Adding centuries would overflow
        // the instant.
        end = .now + min(limits.maxDecodeTime, .seconds(315_360_000))
    }

    /// Whether the time is used up or the work was cancelled.
    public var hasPassed: Bool {
        do throws(WebImageError) {
            try check()
            return false
        } catch {
            return true
        }
    }

    /// Throws the error for ``DecodingLimits/Limit/decodeTime`` when the time is used up, and `.cancelled` when the work
    /// was cancelled.
    public func check() throws(WebImageError) {
        try budget?.check()
        guard countdown.map({ $0.countDown() }) ?? (ContinuousClock.now >= end) else { return }
        throw .limit(
            .decodeTime, actual: Int(allowed.components.seconds), allowed: Int(allowed.components.seconds))
    }
}
