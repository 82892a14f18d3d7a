import Foundation
import WebImageCore

extension Data {
    /// Lends the bytes; keeps the typed error, which Foundation's own form loses.
    func withBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws(WebImageError) -> Result
    ) throws(WebImageError) -> Result {
        let outcome = withUnsafeBytes { bytes in
            Swift.Result<Result, WebImageError> { () throws(WebImageError) in try body(bytes) }
        }
        return try outcome.get()
    }
}
