import WebImageCore

/// The blocks of a GIF file (GIF89a), found without decompressing anything.
///
/// Offsets count from the file's first byte. The scan stops at the end or at invalid data; earlier frames are kept.
struct GIFStructure: Sendable {
    /// The logical screen, which is the size of every composited frame.
    var screen: PixelSize
    /// Offset and number of entries of the global palette.
    var palette: GIFPalette?
    /// The frames; the last one may be cut off.
    var frames: [GIFFrame] = []
    /// The count in the last loop extension; nil without one. 0 is for ever.
    var loopCount: Int?
    var hasICCProfile = false
    /// Whether the trailer was reached.
    var isComplete = false

    /// The number of frames with complete data.
    var completeFrameCount: Int { frames.count - (frames.last?.isComplete == false ? 1 : 0) }

    init(_ bytes: UnsafeRawBufferPointer, limits: DecodingLimits) throws(WebImageError) {
        guard bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0) else {
            throw .badData("GIF", "the signature is missing")
        }
        guard let width = bytes.littleEndian16(at: 6), let height = bytes.littleEndian16(at: 8),
            let flags = bytes.byte(at: 10), bytes.range(at: 0, count: Self.headerLength) != nil
        else { throw .badData("GIF", "the file ends inside its header") }
        guard width > 0, height > 0 else {
            throw .badData("GIF", "the header declares a size of \(width)x\(height)")
        }
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
                // Stray terminators occur between blocks; every viewer skips them.
                offset += 1
            default: return
            }
        }
    }

    /// Reads a control, loop or profile extension and returns the offset behind it; nil when it is cut off.
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

    /// The loop count in the application's block of three bytes with identifier 1; nil without one.
    private static func loopCount(_ bytes: UnsafeRawBufferPointer, from start: Int, to end: Int) -> Int? {
        var offset = start
        while offset < end, bytes[offset] != 0 {
            if bytes[offset] >= 3, bytes[offset + 1] & 7 == 1 { return bytes.littleEndian16(at: offset + 2) }
            offset += 1 + Int(bytes[offset])
        }
        return nil
    }

    /// The offset behind the terminator of a chain of data blocks; nil when the file ends before it.
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
