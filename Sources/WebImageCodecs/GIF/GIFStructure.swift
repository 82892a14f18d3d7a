import WebImageCore

/// The positions of the blocks of a GIF file (GIF89a). The scan that finds these positions decompresses nothing.
///
/// Offsets are counted from the first byte of the file. The scan stops at the end of the file or at invalid data. The
/// frames before the end of the scan are available.
struct GIFStructure: Sendable {
    /// The logical screen, which is the size of every composited frame. It contains the whole first frame, so its size is
    /// final when the descriptor of the first frame has been read. Until then, a side can be 0.
    var screen: PixelSize
    /// The global palette; nil if the file has no global palette.
    var palette: GIFPalette?
    /// The frames in file order. The last frame can be truncated.
    var frames: [GIFFrame] = []
    /// The loop count of the last loop extension. 0 means endless repetition. Nil if the file has no loop extension.
    var loopCount: Int?
    /// The number of plays: browsers repeat the animation `loopCount` times after its first play. 0 means forever.
    var playCount: Int { loopCount.map { $0 == 0 ? 0 : $0 + 1 } ?? 1 }
    var hasICCProfile = false
    /// Whether the scan reached the trailer, which is the last byte of a GIF file.
    var isComplete = false

    /// The number of frames whose data is complete.
    var completeFrameCount: Int { frames.count - (frames.last?.isComplete == false ? 1 : 0) }

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) else {
            throw .badData("GIF", "the signature is missing")
        }
        guard let width = bytes.littleEndian16(at: 6), let height = bytes.littleEndian16(at: 8),
            let flags = bytes.byte(at: 10), bytes.range(at: 0, count: Self.headerLength) != nil
        else { throw .badData("GIF", "the file ends inside its header") }
        screen = PixelSize(width: width, height: height)
        try limits.checkPixels(screen)
        palette = GIFPalette(flags: flags, offset: Self.headerLength)
        try walk(bytes, from: Self.headerLength + (palette?.byteCount ?? 0), limits: limits)
    }

    static let headerLength = 13

    private mutating func walk(
        _ bytes: UnsafeRawBufferPointer, from start: Int, limits: DecodingLimits
    ) throws(WebImageError) {
        var offset = start
        var control = GIFControl()
        var budget = AncillaryBudget(limits)
        var walk = ChunkWalk(limits)
        while let introducer = bytes.byte(at: offset) {
            try walk.step()
            switch introducer {
            case 0x2C:
                guard let frame = try GIFFrame(bytes, at: offset, control: control, walk: &walk) else { return }
                if frames.isEmpty { try enlargeScreen(to: frame, limits) }
                frames.append(frame)
                try limits.checkAnimation(screen, frameCount: frames.count)
                guard frame.isComplete else { return }
                control = GIFControl()
                offset = frame.data.upperBound
            case 0x21:
                guard let end = try takeExtension(bytes, at: offset, control: &control, budget: &budget, walk: &walk)
                else { return }
                offset = end
            case 0x3B:
                isComplete = true
                return
            case 0x00:
                // Skip additional terminators between blocks. They are invalid but common, and every viewer skips them.
                offset += 1
            default: return
            }
        }
    }

    /// Makes the screen contain the first frame, as browsers do. Old programs write a screen of 0x0, or one that is smaller
    /// than the picture.
    private mutating func enlargeScreen(to frame: GIFFrame, _ limits: DecodingLimits) throws(WebImageError) {
        screen = PixelSize(
            width: max(screen.width, frame.x + frame.size.width),
            height: max(screen.height, frame.y + frame.size.height))
        guard screen.width > 0, screen.height > 0 else {
            throw .badData("GIF", "the header and the first frame declare a size of \(screen.width)x\(screen.height)")
        }
        try limits.checkPixels(screen)
    }

    /// Reads an extension at `offset`. Uses control, loop and profile extensions; skips other extensions. Returns the
    /// offset of the first byte after the extension, or nil if the file ends inside the extension.
    private mutating func takeExtension(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, control: inout GIFControl, budget: inout AncillaryBudget,
        walk: inout ChunkWalk
    ) throws(WebImageError) -> Int? {
        guard let label = bytes.byte(at: offset + 1),
            let end = try Self.endOfBlocks(bytes, from: offset + 2, walk: &walk)
        else { return nil }
        let block = offset + 2
        switch label {
        case 0xF9 where bytes[block] >= 4:
            control = GIFControl(bytes, at: block + 1)
        case 0xFF where bytes[block] == 11:
            if bytes.has("NETSCAPE2.0", at: block + 1) || bytes.has("ANIMEXTS1.0", at: block + 1) {
                loopCount = Self.loopCount(bytes, from: block + 12, to: end) ?? loopCount
            } else if bytes.has("ICCRGBG1012", at: block + 1) {
                try budget.take(end - block)
                hasICCProfile = true
            }
        default: break
        }
        return end
    }

    /// Returns the loop count of a `NETSCAPE2.0` or `ANIMEXTS1.0` extension. The loop count is in a sub-block of three
    /// bytes with the identifier 1. Returns nil if this sub-block is missing.
    private static func loopCount(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end, bytes[offset] != 0 {
            if bytes[offset] >= 3, bytes[offset + 1] & 7 == 1 { return bytes.littleEndian16(at: offset + 2) }
            offset += 1 + Int(bytes[offset])
        }
        return nil
    }

    /// Returns the offset of the first byte after a sequence of data blocks and its terminator. Returns nil if the file
    /// ends before the terminator.
    static func endOfBlocks(
        _ bytes: UnsafeRawBufferPointer, from start: Int, walk: inout ChunkWalk
    ) throws(WebImageError) -> Int? {
        var offset = start
        while let length = bytes.byte(at: offset) {
            try walk.step()
            offset += 1 + Int(length)
            if length == 0 { return offset }
        }
        return nil
    }
}
