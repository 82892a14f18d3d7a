import Foundation
import SDWebImage
import Testing
import WebImageTesting

/// Image formats with SDWebImage's names.
struct FormatTests {
    @Test func anAPNGIsSniffedAsPNG() throws {
        let frames = try (0..<2).map { SDImageFrame(image: try TestImages.solid(blue: UInt8($0)), duration: 0.1) }
        let data = try #require(SDImageAPNGCoder.shared.encodedData(with: frames, loopCount: 0, format: .PNG))
        #expect(data.sd_imageFormat == .PNG)
        #expect(Data.sd_imageFormat(forImageData: data) == .PNG)
        #expect(NSData.sd_imageFormat(forImageData: data) == .PNG)
        #expect(SDImageFormat(sniffing: data) == .apng)
        let image = try #require(SDAnimatedImage(data: data))
        #expect(image.sd_imageFormat == .PNG && image.animatedImageFormat == .PNG)
    }
}
