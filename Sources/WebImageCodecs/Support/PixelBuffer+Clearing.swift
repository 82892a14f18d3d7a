import Foundation
import WebImageCore

extension PixelBuffer {
    /// Makes every pixel transparent black. Uses `memset`, because Swift loops over bytes in a debug build.
    func clear() {
        memset(baseAddress, 0, byteCount)
    }
}
