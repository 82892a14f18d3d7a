import Foundation
import SDWebImage
import Testing
import WebImageTesting

/// `UIImage(data:)` and similar initialisers decode as UIKit does, without the coders that a program registered.
@Suite(.serialized) struct SystemDecodingTests {
    /// A coder from SDWebImage's tests. It accepts all data and calls `UIImage(data:)`. If `UIImage(data:)` used
    /// registered coders, this call would recurse without end.
    private final class GreedyCoder: SDImageCoder {
        let file: URL
        init(_ file: URL) { self.file = file }

        func canDecode(from data: Data?) -> Bool { true }
        func decodedImage(with data: Data?, options: [SDImageCoderOption: Any]?) -> UIImage? {
            guard let data = try? Data(contentsOf: file) else { return nil }
            return UIImage(data: data).flatMap { _ in UIImage(contentsOfFile: file.path) }
        }
        func canEncode(to format: SDImageFormat) -> Bool { true }
        func encodedData(with image: UIImage?, format: SDImageFormat, options: [SDImageCoderOption: Any]?) -> Data? {
            (image?.pngData()).flatMap { _ in image?.jpegData(compressionQuality: 1) }
        }
    }

    private let file: URL

    init() throws {
        file = FileManager.default.temporaryDirectory.appendingPathComponent("system-\(UUID().uuidString)@2x.png")
        try #require(try TestImages.solid(width: 6, height: 4).pngData()).write(to: file)
    }

    @Test func coderMayUseTheSystemsDecoder() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let coder = GreedyCoder(file)
        SDImageCodersManager.shared.addCoder(coder)
        defer { SDImageCodersManager.shared.removeCoder(coder) }
        let image = try #require(UIImage.sd_image(with: Data("anything".utf8)))
        #expect(image.scale == 2 && image.size == CGSize(width: 3, height: 2))
        #expect(UIImage.sd_image(with: Data("anything".utf8), firstFrameOnly: true) != nil)
        let data = try #require(image.sd_imageData(as: .JPEG))
        #expect(data.sd_imageFormat == .JPEG)
    }

    @Test func systemDecoderCallsNoRegisteredCoder() throws {
        defer { try? FileManager.default.removeItem(at: file) }
        let coder = GreedyCoder(file)
        SDImageCodersManager.shared.addCoder(coder)
        defer { SDImageCodersManager.shared.removeCoder(coder) }
        #expect(UIImage(data: Data("anything".utf8)) == nil)
        #expect(UIImage(data: Data()) == nil)
        #expect(UIImage(contentsOfFile: "/nowhere.png") == nil)
        let data = try Data(contentsOf: file)
        #expect(UIImage(data: data, scale: 2)?.size == CGSize(width: 3, height: 2))
        #expect(UIImage(data: data)?.size == CGSize(width: 6, height: 4))
    }
}
