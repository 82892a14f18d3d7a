import Foundation
import WebImageCore

extension PixelBuffer {
    /// Makes every pixel transparent black, by the C library: Swift's own way loops over bytes in a debug build.
    func clear() {
        memset(baseAddress, 0, byteCount)
    }
}
