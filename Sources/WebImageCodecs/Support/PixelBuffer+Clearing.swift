import Foundation
import WebImageCore

extension PixelBuffer {
    /// Makes every pixel transparent black. Uses `memset`, because a Swift loop over bytes is slow in a debug build.
    func clear() {
        memset(baseAddress, 0, byteCount)
    }
}
