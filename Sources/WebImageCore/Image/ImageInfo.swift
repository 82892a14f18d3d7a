/// A file's description of its image, available before any pixel is decoded.
public struct ImageInfo: Sendable, Hashable {
    /// The format detected from the content.
    public var format: ImageFormat
    /// The stored width and height, before ``orientation`` is applied.
    public var storedSize: PixelSize
    /// The rotation or mirroring that makes the stored pixels upright.
    public var orientation: ImageOrientation
    /// The number of frames; 1 for a still.
    public var frameCount: Int
    /// The stored loop count; 0 means forever, nil a still.
    public var loopCount: Int?
    /// The stored duration of each frame in milliseconds (0 stays 0); empty for a still.
    public var delaysMilliseconds: [Double]
    /// Whether the file declares alpha or transparency.
    public var hasAlpha: Bool
    /// Whether the file stores only grey.
    public var isGray: Bool
    /// Bits per channel as stored (bits of the index for palette files).
    public var bitDepth: Int
    /// Whether the file carries an ICC profile.
    public var hasICCProfile: Bool

    /// Whether the file is lossless in all its frames.
    public var isLossless: Bool
    /// The memory that a decode allocates beside the returned image.
    package var workingMemory = WorkingMemory()

    /// Describes a still; set the other properties where they differ.
    public init(format: ImageFormat, storedSize: PixelSize) {
        self.format = format
        self.storedSize = storedSize
        orientation = .up
        frameCount = 1
        loopCount = nil
        delaysMilliseconds = []
        hasAlpha = false
        isGray = false
        bitDepth = 8
        hasICCProfile = false
        isLossless = format.isAlwaysLossless
    }

    /// Width and height of the upright image.
    public var pixelSize: PixelSize { storedSize.oriented(orientation) }
}
