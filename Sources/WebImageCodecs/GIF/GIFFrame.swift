import WebImageCore

/// One frame of a GIF file: the image descriptor and the graphic control extension before it (GIF89a, §20 and §23).
///
/// The type is small, because a file of 100 MB can contain millions of frames.
struct GIFFrame: Sendable {
    /// What happens to the frame's rectangle before the next frame is drawn. Unknown values in the file are read as
    /// ``none``.
    enum Disposal: UInt8, Sendable { case unspecified, none, background, previous }

    let control: GIFControl
    private let left: UInt16
    private let top: UInt16
    private let width: UInt16
    private let height: UInt16
    private let flags: UInt8
    private let descriptorOffset: Int
    private let dataEnd: Int
    /// Whether the file contains the frame's data up to its terminator.
    let isComplete: Bool

    var x: Int { Int(left) }
    var y: Int { Int(top) }
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
    var isInterlaced: Bool { flags & 0x40 != 0 }
    var localPalette: GIFPalette? { GIFPalette(flags: flags, offset: descriptorOffset + 10) }
    /// The range of the compressed data in the file: the code size byte, and the data blocks with their terminator.
    var data: Range<Int> {
        let start = descriptorOffset + 10 + (localPalette?.byteCount ?? 0)
        return start..<max(start, dataEnd)
    }

    /// Returns nil if the file ends inside the descriptor or the local palette.
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

    /// Returns the part of the frame that is inside `screen`, in coordinates of the screen. Returns nil if no part is
    /// inside.
    func visibleRect(in screen: PixelSize) -> (x: Range<Int>, y: Range<Int>)? {
        let (right, bottom) = (min(x + size.width, screen.width), min(y + size.height, screen.height))
        return x < right && y < bottom ? (x..<right, y..<bottom) : nil
    }
}

/// The values of a graphic control extension. Has default values if the frame has no such extension.
struct GIFControl: Sendable {
    private var delay: UInt16 = 0
    private var transparent: Int16 = -1
    private(set) var disposal = GIFFrame.Disposal.unspecified

    /// The stored delay, converted to milliseconds. Not corrected as in browsers: a stored 0 is returned as 0.
    var delayMilliseconds: Int { Int(delay) * 10 }
    /// The palette index that means "transparent"; nil if the frame has no transparent pixels.
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

/// The position of a palette in a file. The palette consists of triplets of red, green and blue.
struct GIFPalette: Sendable {
    let offset: Int
    /// The number of bits of a palette index, 1 to 8.
    let bitDepth: Int

    var byteCount: Int { 3 << bitDepth }

    /// Returns nil if the flags declare no palette.
    ///
    /// - Parameter flags: The packed field of the screen descriptor or image descriptor.
    init?(flags: UInt8, offset: Int) {
        guard flags & 0x80 != 0 else { return nil }
        self.offset = offset
        bitDepth = Int(flags & 7) + 1
    }

    /// Returns the triplets of the palette. A truncated palette is returned as far as it is in the file.
    func colors(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let start = min(offset, bytes.count)
        return [UInt8](UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + byteCount, bytes.count)]))
    }
}
