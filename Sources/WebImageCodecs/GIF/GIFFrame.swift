import WebImageCore

/// One frame of a GIF file: its image descriptor, and the graphic control extension before the descriptor (GIF89a, §20
/// and §23).
///
/// The type is small: a file of 100 MB can contain millions of frames, and each of them uses memory.
struct GIFFrame: Sendable {
    /// Specifies how the frame's rectangle on the canvas changes before the next frame is drawn.
    enum Disposal: UInt8, Sendable {
        case unspecified, none, background, previous

        /// Returns the disposal of a value in a file. Browsers read 4 as `previous`, because some old documents name the
        /// third bit instead of the value 3. Every larger value is `none`.
        init(stored value: UInt8) { self = value == 4 ? .previous : Self(rawValue: value) ?? .none }
    }

    let control: GIFControl
    private let left: UInt16
    private let top: UInt16
    private let width: UInt16
    private let height: UInt16
    private let flags: UInt8
    private let descriptorOffset: Int
    private let dataEnd: Int
    /// Whether the file contains all data of the frame, up to the terminator.
    let isComplete: Bool

    var x: Int { Int(left) }
    var y: Int { Int(top) }
    var size: PixelSize { PixelSize(width: Int(width), height: Int(height)) }
    var isInterlaced: Bool { flags & 0x40 != 0 }
    var localPalette: GIFPalette? { GIFPalette(flags: flags, offset: descriptorOffset + 10) }
    /// The range of the compressed data in the file. The range contains the code size (one byte), the data blocks and
    /// the terminator of the blocks.
    var data: Range<Int> {
        let start = descriptorOffset + 10 + (localPalette?.byteCount ?? 0)
        return start..<max(start, dataEnd)
    }

    /// Reads the image descriptor at `offset`. Returns nil if the file ends inside the descriptor or the local palette.
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

    /// Returns the part of the frame that is inside `screen`, in coordinates of the screen. Returns nil if the whole
    /// frame is outside.
    func visibleRect(in screen: PixelSize) -> (x: Range<Int>, y: Range<Int>)? {
        let (right, bottom) = (min(x + size.width, screen.width), min(y + size.height, screen.height))
        return x < right && y < bottom ? (x..<right, y..<bottom) : nil
    }
}

/// The values of a graphic control extension, or default values if the frame has no such extension.
struct GIFControl: Sendable {
    private var delay: UInt16 = 0
    private var transparent: Int16 = -1
    private(set) var disposal = GIFFrame.Disposal.unspecified

    /// The stored delay, converted to milliseconds. A stored delay of 0 stays 0, although browsers play such a frame
    /// longer.
    var delayMilliseconds: Int { Int(delay) * 10 }
    /// The palette index that means "transparent". Nil if the frame declares no such index.
    var transparentIndex: Int? { transparent < 0 ? nil : Int(transparent) }

    init() {}

    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard bytes.range(at: offset, count: 4) != nil else { return }
        let flags = bytes[offset]
        disposal = GIFFrame.Disposal(stored: flags >> 2 & 7)
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

    /// Creates the palette that the flags declare. Returns nil if the flags declare no palette.
    ///
    /// - Parameter flags: The packed field of the screen descriptor or of an image descriptor.
    init?(flags: UInt8, offset: Int) {
        guard flags & 0x80 != 0 else { return nil }
        self.offset = offset
        bitDepth = Int(flags & 7) + 1
    }

    /// Returns the triplets of the palette. If the palette is truncated, returns only the bytes that the file contains.
    func colors(in bytes: UnsafeRawBufferPointer) -> [UInt8] {
        let start = min(offset, bytes.count)
        return [UInt8](UnsafeRawBufferPointer(rebasing: bytes[start..<min(start + byteCount, bytes.count)]))
    }
}
