extension ImageInfo {
    /// What a format's library allocates for a decode, beside the picture that is handed out.
    package struct WorkingMemory: Sendable, Hashable {
        /// Bytes it takes whatever size is wanted: coefficients, planes, a canvas.
        package var fixedBytes = 0
        /// Whether a smaller picture is made while reading, so that the full one is never there.
        package var shrinksWhileReading = false

        package init() {}
    }

    /// Bytes one decode takes: the picture, the full one it is made from, and what the library needs.
    ///
    /// Saturates instead of overflowing.
    package func decodeBytes(_ options: DecodingOptions) -> Int {
        let target = options.targetSize(for: pixelSize, frameCount: frameCount)
        let picture = target.byteCount(options.pixelFormat.bytesPerPixel)
        guard target != pixelSize else { return picture.adding(workingMemory.fixedBytes) }
        // What shrinks by halves while reading may leave up to four times the wanted pixels.
        let source =
            workingMemory.shrinksWhileReading
            ? min(target.byteCount(16), pixelSize.byteCount(4)) : pixelSize.byteCount(4)
        return picture.adding(source).adding(workingMemory.fixedBytes)
    }
}

extension DecodingOptions {
    /// Throws when decoding what the header says would take more memory than allowed.
    package func checkMemory(for info: ImageInfo) throws(WebImageError) {
        let bytes = info.decodeBytes(self)
        guard bytes <= limits.maxDecodeBytes else {
            throw .limit(.decodeBytes, actual: bytes, allowed: limits.maxDecodeBytes)
        }
    }
}

extension PixelSize {
    /// Memory of so many bytes a pixel; as much as there is of numbers when that overflows.
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
