import Foundation
import Testing
import WebImage
import MyAppKit

@Test func namesAreFilesOrURLs() {
    #expect(Source("https://example.org/a/b.png").url.host == "example.org")
    #expect(Source("a/b.png").url.isFileURL)
    #expect(Source("a/b.png").outputName(side: 20) == "b-20.webp")
}

@Test func aSmallPictureFitsTheSquare() async throws {
    let pixels = try PixelBuffer(width: 40, height: 20, format: .rgba8)
    pixels.withUnsafeMutableBytes { bytes in for index in bytes.indices { bytes[index] = 255 } }
    let file = FileManager.default.temporaryDirectory.appendingPathComponent("my-app-test.png")
    defer { try? FileManager.default.removeItem(at: file) }
    try ImageCodersManager.shared.encode(Image(pixels: pixels), format: .png, options: EncodingOptions())
        .write(to: file)
    let small = try await SmallPicture.data(of: file, side: 10)
    let info = try ImageCodersManager.shared.imageInfo(of: small, limits: .default)
    #expect(info.format == .webP && info.pixelSize == PixelSize(width: 10, height: 5))
}
