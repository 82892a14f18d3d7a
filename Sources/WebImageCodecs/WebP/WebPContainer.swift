import WebImageCore

/// The positions of the chunks of a WebP file (RFC 9649, §2). The scan that finds these positions decodes no pixels.
///
/// Offsets are counted from the first byte of the file. The scan stops at the first truncated chunk. The chunks before
/// the end of the scan are available.
struct WebPContainer: Sendable {
    /// The canvas size in the `VP8X` chunk. If the file has no such chunk, the value is the size in the bitstream.
    var canvas: PixelSize
    /// Whether the `VP8X` chunk declares transparency. If the file has no such chunk, the value comes from the
    /// bitstream.
    var hasAlpha: Bool
    var isAnimated = false
    /// Whether the `VP8X` chunk declares EXIF or XMP, which can contain an orientation.
    private(set) var declaresMetadata = false
    /// Whether the bitstream of a still is lossless. For an animation, true if the bitstreams of all frames that were
    /// read so far are lossless.
    private(set) var isLossless: Bool
    /// The loop count in the `ANIM` chunk. 0 means endless repetition. Nil if the file has no valid `ANIM` chunk.
    var loopCount: Int?
    /// The frames of an animation. Empty for a still.
    var frames: [WebPFrame] = []
    var iccProfile: Range<Int>?
    var exif: Range<Int>?
    var xmp: Range<Int>?

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        guard bytes.has("RIFF", at: 0), bytes.has("WEBP", at: 8) else {
            throw .badData("WebP", "the signature is missing")
        }
        let features = try WebPFeatures(bytes)
        canvas = features.size
        hasAlpha = features.hasAlpha
        // For an animation, this value does not describe the frames. `take` later sets `isLossless` from the frames.
        isLossless = features.isLossless
        try limits.checkPixels(canvas)
        var budget = AncillaryBudget(limits)
        var walk = ChunkWalk(limits)
        var offset = Self.headerLength
        while let tag = bytes.tag(at: offset), let length = bytes.littleEndian32(at: offset + 4),
            let payload = bytes.range(at: offset + 8, count: length)
        {
            try walk.step()
            try take(tag, payload, in: bytes, limits: limits, budget: &budget)
            offset = payload.upperBound + length % 2
        }
    }

    static let headerLength = 12

    private mutating func take(
        _ tag: FourCC, _ payload: Range<Int>, in bytes: UnsafeRawBufferPointer, limits: DecodingLimits,
        budget: inout AncillaryBudget
    ) throws(WebImageError) {
        switch tag {
        case "VP8X":
            let flags = payload.isEmpty ? 0 : bytes[payload.lowerBound]
            isAnimated = flags & 0x02 != 0
            declaresMetadata = flags & 0x0C != 0
        case "ANIM": loopCount = payload.count >= 6 ? bytes.littleEndian16(at: payload.lowerBound + 4) : nil
        case "ANMF":
            guard isAnimated, let frame = WebPFrame(bytes, payload) else { return }
            isLossless = (isLossless || frames.isEmpty) && frame.isLossless(in: bytes)
            frames.append(frame)
            try limits.checkAnimation(canvas, frameCount: frames.count)
        case "ICCP":
            try budget.take(payload.count)
            iccProfile = iccProfile ?? payload
        // Only the positions of metadata are stored, so its length has no limit here. `checkMetadata` checks it when the
        // metadata is requested.
        case "EXIF": exif = exif ?? payload
        case "XMP ": xmp = xmp ?? payload
        default: break
        }
    }

    /// Throws if the metadata exceeds a limit.
    func checkMetadata(_ limits: DecodingLimits) throws(WebImageError) {
        var budget = AncillaryBudget(limits)
        for range in [iccProfile, exif, xmp] { try budget.take(range?.count ?? 0) }
    }
}

/// One frame of an animation, with the values of its `ANMF` chunk (RFC 9649, §2.7.1.1).
struct WebPFrame: Sendable {
    var x: Int
    var y: Int
    var size: PixelSize
    /// The delay stored in the file, in milliseconds.
    var delayMilliseconds: Int
    /// Whether the frame's rectangle is cleared before the next frame is drawn.
    var disposesToBackground: Bool
    /// Whether the frame is blended with the canvas. If false, the frame replaces the pixels of the canvas.
    var isBlended: Bool
    /// The range of the frame's chunks: `VP8L`, or `VP8 ` with an optional `ALPH`. libwebp can decode these bytes
    /// directly.
    var bitstream: Range<Int>

    /// Returns whether the frame's bitstream is lossless.
    func isLossless(in bytes: UnsafeRawBufferPointer) -> Bool {
        (try? WebPFeatures(UnsafeRawBufferPointer(rebasing: bytes[bitstream])).isLossless) ?? false
    }

    init?(_ bytes: UnsafeRawBufferPointer, _ payload: Range<Int>) {
        let start = payload.lowerBound
        guard payload.count >= 16, let x = bytes.littleEndian24(at: start), let y = bytes.littleEndian24(at: start + 3),
            let width = bytes.littleEndian24(at: start + 6), let height = bytes.littleEndian24(at: start + 9),
            let delay = bytes.littleEndian24(at: start + 12)
        else { return nil }
        self.x = 2 * x
        self.y = 2 * y
        size = PixelSize(width: width + 1, height: height + 1)
        delayMilliseconds = delay
        disposesToBackground = bytes[start + 15] & 1 != 0
        isBlended = bytes[start + 15] & 2 == 0
        bitstream = start + 16..<payload.upperBound
    }
}
