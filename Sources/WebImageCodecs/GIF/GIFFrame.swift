import WebImageCore

/// One image of a GIF file: its descriptor with the graphic control before it (GIF89a, §20 and §23).
///
/// A small type, because a file of 100 MB can have millions of frames.
struct GIFFrame: Sendable {
    /// What happens to the frame's rectangle before the next one is drawn; unknown values are ``none``.
    enum Disposal: UInt8, Sendable { case unspecified, none, background, previous }

    let control: GIFControl
    private let left: UInt16
    private let top: UInt16
    private let width: UInt16
    private let height: UInt16
    private let flags: UInt8
    private let descriptorOffset: Int
    private let dataEnd: Int
    /// Whether the data has its terminator.
    let isComplete: Bool

    var x: Int { Int(left) }
    var y: Int { Int(top) }
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
    var isInterlaced: Bool { flags & 0x40 != 0 }
    var localPalette: GIFPalette? { GIFPalette(flags: flags, offset: descriptorOffset + 10) }
    /// The code size byte and the data blocks with their terminator.
    var data: Range<Int> {
        let start = descriptorOffset + 10 + (localPalette?.byteCount ?? 0)
        return start..<max(start, dataEnd)
    }

    /// nil when the descriptor or its palette is cut off.
    init?(
        _ bytes: UnsafeRawBufferPointer, at offset: Int, control: GIFControl, walk: inout ChunkWalk
    ) throws(WebImageError) {
        guard bytes.range(at: offset, count: 10) != nil else { return nil }
        func number(_ position: Int) -> UInt16 { UInt16(truncatingIfNeeded: bytes.littleEndian16(at: position) ?? 0) }
        left = number(offset + 1)
        top = number(offset + 3)
        width = number(offset + 5)
        height = number(offset + 7)
        flags = bytes[offset + 9]
        descriptorOffset = offset
        self.control = control
        let start = offset + 10 + (GIFPalette(flags: flags, offset: 0)?.byteCount ?? 0)
        guard start < bytes.count else { return nil }
        let end = try GIFStructure.endOfBlocks(bytes, from: start + 1, walk: &walk)
        isComplete = end != nil
        dataEnd = end ?? bytes.count
    }

    /// The part of the frame inside `screen`, in the screen's coordinates; nil when there is none.
    func visibleRect(in screen: PixelSize) -> (x: Range<Int>, y: Range<Int>)? {
        let (right, bottom) = (min(x + size.width, screen.width), min(y + size.height, screen.height))
        return x < right && y < bottom ? (x..<right, y..<bottom) : nil
    }
}

/// A graphic control extension, or its absence.
struct GIFControl: Sendable {
    private var delay: UInt16 = 0
    private var transparent: Int16 = -1
    private(set) var disposal = GIFFrame.Disposal.unspecified

    /// The stored delay in milliseconds; 0 stays 0.
    var delayMilliseconds: Int { Int(delay) * 10 }
    /// The palette index of transparent pixels.
    var transparentIndex: Int? { transparent < 0 ? nil : Int(transparent) }

    init() {}

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard bytes.range(at: offset, count: 4) != nil else { return }
        let flags = bytes[offset]
        disposal = GIFFrame.Disposal(rawValue: flags >> 2 & 7) ?? .none
        delay = UInt16(truncatingIfNeeded: bytes.littleEndian16(at: offset + 1) ?? 0)
        transparent = flags & 1 != 0 ? Int16(bytes[offset + 3]) : -1
    }
}

/// A table of red, green, blue triplets inside a file.
struct GIFPalette: Sendable {
    let offset: Int
    /// Bits of an index into it, 1 to 8.
    let bitDepth: Int

    var byteCount: Int { 3 << bitDepth }

    /// nil when the flags of the screen or image descriptor declare no palette.
    init?(flags: UInt8, offset: Int) {
        guard flags & 0x80 != 0 else { return nil }
        self.offset = offset
        bitDepth = Int(flags & 7) + 1
    }

    /// The part of the palette that is in the file.
    func colors(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let start = min(offset, bytes.count)
        return [UInt8](UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + byteCount, bytes.count)]))
    }
}
