/// The description of an image, read from the header of its file. It is available before any pixel is decoded.
public struct ImageInfo: Sendable, Hashable {
    /// The format detected from the content.
    public var format: ImageFormat
    /// The stored width and height, before ``orientation`` is applied.
    public var storedSize: PixelSize
    /// The rotation or mirroring that makes the stored pixels upright.
    public var orientation: ImageOrientation
    /// The number of frames or pages; 1 for a still image.
    public var frameCount: Int
    /// The stored number of loops; 0 means forever. Nil for a still image and for pages.
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
    /// The dynamic range beyond the standard one: the gain map without its values, or the transfer function and the light
    /// level. Nil for standard dynamic range.
    public var hdr: HDRDescription?

    /// The time that a video plays, in seconds. Nil for pictures, and for a video that does not declare it. The times in
    /// ``delaysMilliseconds`` are those of the previews.
    public var mediaDuration: Double?

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

    /// The number of frames that are an animation; 1 for a file of pages.
    package var animationFrameCount: Int { format.framesArePages ? 1 : frameCount }

    /// Width and height of the upright image.
    public var pixelSize: PixelSize { storedSize.oriented(orientation) }
}

extension ImageInfo {
    /// The memory that a codec library allocates for a decode in addition to the returned image.
    package struct WorkingMemory: Sendable, Hashable {
        /// The bytes that a decode allocates regardless of the requested size, for example for coefficients, planes or
        /// a canvas.
        package var fixedBytes = 0
        /// Whether the library can scale the image down while reading the file. If true, the full-size image is
        /// never in memory.
        package var shrinksWhileReading = false
        /// The bytes that the library needs for each pixel of the picture from which the result is scaled, in addition to
        /// that picture.
        package var bytesPerSourcePixel = 0

        package init() {}
    }

    /// Returns the memory of one decode in bytes. It is the sum of three parts: the returned image, the larger image
    /// from which the returned image is scaled, and the working memory of the library.
    ///
    /// Returns `Int.max` if the sum overflows.
    package func decodeBytes(_ options: DecodingOptions) -> Int {
        let target = options.targetSize(for: pixelSize, frameCount: animationFrameCount)
        let picture = target.byteCount(options.pixelFormat.bytesPerPixel)
        guard target != pixelSize else {
            let samples = storedSize.byteCount(workingMemory.bytesPerSourcePixel)
            return picture.adding(workingMemory.fixedBytes).adding(samples)
        }
        return picture.adding(sourceByteCount(options)).adding(workingMemory.fixedBytes)
    }

    /// The memory of the picture from which the result is scaled, at 4 bytes per pixel and what the library needs.
    private func sourceByteCount(_ options: DecodingOptions) -> Int {
        let (bytes, overflow) = pictureByteCount(options).multipliedReportingOverflow(
            by: 4 + workingMemory.bytesPerSourcePixel)
        return overflow ? .max : bytes / 4
    }

    private func pictureByteCount(_ options: DecodingOptions) -> Int {
        let whole = storedSize.byteCount(4)
        guard workingMemory.shrinksWhileReading else { return whole }
        let resampling = options.resampling(of: storedSize, orientation, frameCount: animationFrameCount)
        if format == .jpeg {
            let eighths = resampling.eighths
            return PixelSize(width: (storedSize.width * eighths + 7) / 8, height: (storedSize.height * eighths + 7) / 8)
                .byteCount(4)
        }
        if format == .jpeg2000 {
            // The sides are less than eight times those of the result.
            return min(resampling.target.byteCount(4 * 64), whole)
        }
        // Other libraries shrink only large pictures, to less than four times the sides of the result. At 4 bytes per
        // pixel, this is 64 bytes per requested pixel.
        return min(max(resampling.target.byteCount(64), Self.wholeByteCount), whole)
    }

    /// A picture with up to as many bytes of pixels is decoded in full before it is scaled: 32 MiB.
    package static let wholeByteCount = 32 << 20
}

extension DecodingOptions {
    /// Throws `.limitExceeded` when decoding an image with this header would need more memory than
    /// ``DecodingLimits/maxDecodeBytes``.
    package func checkMemory(for info: ImageInfo) throws(WebImageError) {
        try limits.checkDecodeBytes(info.decodeBytes(self))
    }
}

extension PixelSize {
    /// Returns the memory in bytes at `bytesPerPixel` bytes per pixel; `Int.max` if the product overflows.
    package func byteCount(_ bytesPerPixel: Int) -> Int {
        let (bytes, overflow) = pixelCount.multipliedReportingOverflow(by: bytesPerPixel)
        return overflow ? .max : bytes
    }
}

extension Int {
    fileprivate func adding(_ other: Int) -> Int {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
