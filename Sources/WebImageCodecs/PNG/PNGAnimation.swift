import WebImageCore

/// The animation of an APNG file, read from its `acTL`, `fcTL` and `fdAT` chunks (PNG third edition, §11.3.6).
struct PNGAnimation: Sendable {
    /// The number of frames that `acTL` declares. The file can contain fewer frames. ``frames`` has only the frames
    /// that the file contains.
    var declaredFrameCount: Int
    /// The loop count that the file declares. 0 means endless repetition.
    var loopCount: Int
    var frames: [PNGFrame] = []

    /// Reads the `acTL` chunk. Returns nil if the chunk is damaged or declares no frames. The caller then reads the
    /// file as a still.
    init?(_ bytes: UnsafeRawBufferPointer, control: Range<Int>) {
        guard control.count == 8, let frames = bytes.bigEndian32(at: control.lowerBound), frames > 0,
            let plays = bytes.bigEndian32(at: control.lowerBound + 4)
        else { return nil }
        declaredFrameCount = frames
        loopCount = plays
    }

    mutating func addFrame(_ bytes: UnsafeRawBufferPointer, control: Range<Int>, isDefaultImage: Bool) {
        guard let frame = PNGFrame(bytes, control: control, isDefaultImage: isDefaultImage) else { return }
        frames.append(frame)
    }

    /// Adds the payload of an `fdAT` chunk to the last frame.
    mutating func addData(_ payload: Range<Int>) {
        guard payload.count >= 4, !frames.isEmpty else { return }
        frames[frames.count - 1].data.append(payload)
    }
}

/// One frame of an APNG file, with the values of its `fcTL` chunk.
struct PNGFrame: Sendable {
    /// Specifies how the frame's rectangle on the canvas changes before the next frame is drawn.
    enum Disposal: UInt8, Sendable { case none, background, previous }
    /// Whether the frame replaces the pixels on the canvas (`source`) or is blended with them (`over`).
    enum Blend: UInt8, Sendable { case source, over }

    var sequenceNumber: Int
    var x: Int
    var y: Int
    var size: PixelSize
    /// The stored delay, converted to milliseconds. A stored denominator of 0 means 100, as the format requires.
    var delayMilliseconds: Double
    var disposal: Disposal
    var blend: Blend
    /// Whether this frame is the default image of the file. The default image is stored in `IDAT` chunks.
    var isDefaultImage: Bool
    /// The payloads of the frame's `fdAT` chunks. Each payload begins with a sequence number of four bytes.
    var data: [Range<Int>] = []

    init?(_ bytes: UnsafeRawBufferPointer, control: Range<Int>, isDefaultImage: Bool) {
        let start = control.lowerBound
        guard control.count == 26, let sequence = bytes.bigEndian32(at: start),
            let width = bytes.bigEndian32(at: start + 4), let height = bytes.bigEndian32(at: start + 8),
            let x = bytes.bigEndian32(at: start + 12), let y = bytes.bigEndian32(at: start + 16),
            let numerator = bytes.bigEndian16(at: start + 20), let denominator = bytes.bigEndian16(at: start + 22),
            let disposal = Disposal(rawValue: bytes[start + 24]), let blend = Blend(rawValue: bytes[start + 25])
        else { return nil }
        sequenceNumber = sequence
        self.x = x
        self.y = y
        size = PixelSize(width: width, height: height)
        delayMilliseconds = Double(numerator) * 1000 / Double(denominator == 0 ? 100 : denominator)
        self.disposal = disposal
        self.blend = blend
        self.isDefaultImage = isDefaultImage
    }

    /// Whether the frame has at least one pixel and is completely inside the canvas, as the format requires.
    func isInside(_ canvas: PixelSize) -> Bool {
        size.width > 0 && size.height > 0 && x <= canvas.width - size.width && y <= canvas.height - size.height
    }
}
