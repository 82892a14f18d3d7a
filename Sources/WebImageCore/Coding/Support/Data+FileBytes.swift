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

/// A copy of a file's bytes at a fixed address, for C libraries that keep the address and read from it later.
package final class PinnedBytes {
    /// The bytes. The pointer is valid as long as this object exists.
    package let bytes: UnsafeRawBufferPointer

    package init(copying data: Data) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: data.count, alignment: 16)
        data.withUnsafeBytes { copy.copyMemory(from: $0) }
        bytes = UnsafeRawBufferPointer(copy)
    }

    /// Copies bytes and lets `change` write to the copy.
    package init(copying source: UnsafeRawBufferPointer, _ change: (UnsafeMutableRawBufferPointer) -> Void) {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: source.count, alignment: 16)
        copy.copyMemory(from: source)
        change(copy)
        bytes = UnsafeRawBufferPointer(copy)
    }

    deinit { bytes.deallocate() }
}
