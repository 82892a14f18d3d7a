/// The description of an image, read from the header of its file. It is available before any pixel is decoded.
public struct ImageInfo: Sendable, Hashable {
    /// The format detected from the content.
    public var format: ImageFormat
    /// The stored width and height, before ``orientation`` is applied.
    public var storedSize: PixelSize
    /// The rotation or mirroring that makes the stored pixels upright.
    public var orientation: ImageOrientation
    /// The number of frames; 1 for a still image.
    public var frameCount: Int
    /// The stored number of loops; 0 means forever. Nil for a still image.
    public var loopCount: Int?
    /// The duration of each frame in milliseconds, exactly as stored, even if the stored value is 0. Empty for a still
    /// image.
    public var delaysMilliseconds: [Double]
    /// Whether the file declares alpha or transparency.
    public var hasAlpha: Bool
    /// Whether the file stores grey values without colour.
    public var isGray: Bool
    /// The number of bits per channel as stored. For a file with a palette, it is the number of bits of a palette
    /// index.
    public var bitDepth: Int
    /// Whether the file contains an ICC profile.
    public var hasICCProfile: Bool

    /// Whether all frames of the file are lossless.
    public var isLossless: Bool
    /// The memory that a decode allocates in addition to the returned image.
    package var workingMemory = WorkingMemory()

    /// Makes the description of a still image with default values. Set the other properties afterwards.
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
