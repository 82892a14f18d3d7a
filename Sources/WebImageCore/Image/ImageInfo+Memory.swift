extension ImageInfo {
    /// The memory that a codec library allocates for a decode in addition to the returned image.
    package struct WorkingMemory: Sendable, Hashable {
        /// The bytes that are needed independent of the requested size, such as coefficients, planes or a canvas.
        package var fixedBytes = 0
        /// Whether the library can scale the image down while it reads. The full-size image is then never in memory.
        package var shrinksWhileReading = false

        package init() {}
    }

    /// Returns the memory of one decode in bytes: the returned image, the full-size image from which it is
    /// scaled, and the working memory of the library.
    ///
    /// Returns `Int.max` if the sum overflows.
    package func decodeBytes(_ options: DecodingOptions) -> Int {
        let target = options.targetSize(for: pixelSize, frameCount: frameCount)
        let picture = target.byteCount(options.pixelFormat.bytesPerPixel)
        guard target != pixelSize else { return picture.adding(workingMemory.fixedBytes) }
        // A library that shrinks by powers of two while reading may return up to four times the requested
        // pixels: 16 bytes per requested pixel.
        let source =
            workingMemory.shrinksWhileReading
            ? min(target.byteCount(16), pixelSize.byteCount(4)) : pixelSize.byteCount(4)
        return picture.adding(source).adding(workingMemory.fixedBytes)
    }
}

extension DecodingOptions {
    /// Throws when decoding an image with this header would need more than ``DecodingLimits/maxDecodeBytes``.
    package func checkMemory(for info: ImageInfo) throws(WebImageError) {
        let bytes = info.decodeBytes(self)
        guard bytes <= limits.maxDecodeBytes else {
            throw .limit(.decodeBytes, actual: bytes, allowed: limits.maxDecodeBytes)
        }
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
