extension ImageInfo {
    /// The memory that a format's library allocates for a decode, beside the returned image.
    package struct WorkingMemory: Sendable, Hashable {
        /// Bytes needed for any requested size: coefficients, planes, a canvas.
        package var fixedBytes = 0
        /// Whether the library shrinks the image while reading, so that the full image is never in memory.
        package var shrinksWhileReading = false

        package init() {}
    }

    /// Returns the bytes that one decode takes: the image, the full image that it is made from, and the library's
    /// memory.
    ///
    /// Saturates instead of overflowing.
    package func decodeBytes(_ options: DecodingOptions) -> Int {
        let target = options.targetSize(for: pixelSize, frameCount: frameCount)
        let picture = target.byteCount(options.pixelFormat.bytesPerPixel)
        guard target != pixelSize else { return picture.adding(workingMemory.fixedBytes) }
        // Shrinking by halves while reading may leave up to four times the requested pixels.
        let source =
            workingMemory.shrinksWhileReading
            ? min(target.byteCount(16), pixelSize.byteCount(4)) : pixelSize.byteCount(4)
        return picture.adding(source).adding(workingMemory.fixedBytes)
    }
}

extension DecodingOptions {
    /// Throws when decoding an image with this header would take more memory than allowed.
    package func checkMemory(for info: ImageInfo) throws(WebImageError) {
        let bytes = info.decodeBytes(self)
        guard bytes <= limits.maxDecodeBytes else {
            throw .limit(.decodeBytes, actual: bytes, allowed: limits.maxDecodeBytes)
        }
    }
}

extension PixelSize {
    /// Returns the memory for `bytesPerPixel` bytes per pixel; the largest integer if that overflows.
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
