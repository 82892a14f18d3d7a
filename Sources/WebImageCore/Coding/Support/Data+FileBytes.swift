package import Foundation

extension Data {
    /// Calls `body` with the bytes. Unlike `withUnsafeBytes`, this method has typed throws. The pointer is valid only
    /// inside `body`.
    package func withFileBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        let outcome: Swift.Result<Result, WebImageError> = withUnsafeBytes { bytes in
            do throws(WebImageError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Returns the bytes of a range. The offsets in `range` count from the first byte, even if `startIndex` is
    /// not 0.
    package func slice(_ range: Range<Int>) -> Data {
        dropFirst(range.lowerBound).prefix(range.count)
    }
}

extension WebImageError {
    /// Makes the error for an encoder that cannot encode the image as requested.
    package static func cannotEncode(_ library: String, _ message: String, hint: String? = nil) -> WebImageError {
        WebImageError(
            .encodingFailed, stage: .encode, underlying: .codec(library: library, message: message), hint: hint)
    }
}
