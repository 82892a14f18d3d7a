package import Foundation

extension Data {
    /// `withUnsafeBytes` with typed errors; the pointer is valid inside `body` only.
    package func withFileBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        let outcome: Swift.Result<Result, WebImageError> = withUnsafeBytes { bytes in
            do throws(WebImageError) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Returns the bytes of a range whose offsets count from the first byte, whatever `startIndex` is.
    package func slice(_ range: Range<Int>) -> Data {
        dropFirst(range.lowerBound).prefix(range.count)
    }
}

extension WebImageError {
    /// Makes the error of an encoder that cannot fulfil a request.
    package static func cannotEncode(_ library: String, _ message: String, hint: String? = nil) -> WebImageError {
        WebImageError(
            .encodingFailed, stage: .encode, underlying: .codec(library: library, message: message), hint: hint)
    }
}
