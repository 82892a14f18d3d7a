/// What a file says about its picture before any pixel is decoded.
public struct ImageInfo: Sendable, Hashable {
    /// The format by content.
    public var format: ImageFormat
    /// Sides as stored, before ``orientation``.
    public var storedSize: PixelSize
    /// How the stored pixels are turned to be seen upright.
    public var orientation: ImageOrientation
    /// Frames of the animation; 1 for a still.
    public var frameCount: Int
    /// Plays of the animation as stored; 0 is for ever. A still has none.
    public var loopCount: Int?
    /// Time each frame is shown in milliseconds as stored (0 stays 0); empty for a still.
    public var delaysMilliseconds: [Double]
    /// Whether the file declares alpha or transparency.
    public var hasAlpha: Bool
    /// Whether the file stores grey only.
    public var isGray: Bool
    /// Bits per channel as stored (a palette's index bits for palette files).
    public var bitDepth: Int
    /// Whether the file carries an ICC profile.
    public var hasICCProfile: Bool

    /// Whether the file keeps every pixel it was made from, in all its frames.
    public var isLossless: Bool
    /// What a decode allocates beside the picture it hands out.
    package var workingMemory = WorkingMemory()

    /// Describes a still; the rest is set where it differs.
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

    /// Sides as seen.
    public var pixelSize: PixelSize { storedSize.oriented(orientation) }
}
