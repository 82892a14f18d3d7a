import Foundation
import Testing
import WebImageCore

/// A pixel buffer becomes read-only when an image is made from it.
struct PixelSealTests {
    @Test func makingAnImageSealsItsPixels() throws {
        let pixels = try PixelBuffer(width: 2, height: 2, format: .rgba8)
        pixels.withUnsafeMutableBytes { $0[0] = 1 }
        #expect(!pixels.isSealed)
        let image = Image(pixels: pixels)
        #expect(pixels.isSealed && image.pixels.withUnsafeBytes { $0[0] } == 1)
    }

    @Test func writingThePixelsOfAnImageTraps() async {
        await #expect(processExitsWith: .failure) {
            let pixels = try PixelBuffer(width: 2, height: 2, format: .rgba8)
            let image = Image(pixels: pixels)
            image.pixels.withUnsafeMutableBytes { $0[0] = 1 }
        }
    }
}
