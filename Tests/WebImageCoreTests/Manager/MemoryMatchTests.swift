import Foundation
import Testing
import WebImageCore
import WebImageLoading
import WebImageTestTraits
import WebImageTesting

/// Some decoding parameters are not part of the cache key. Images that were decoded with different values of these
/// parameters have the same key. A memory hit must nevertheless match the parameters of the load.
@Suite(.timeLimit(minutes: 1))
struct MemoryMatchTests {
    let fixture: ManagerFixture

    init() throws {
        fixture = try ManagerFixture()
        fixture.answer()
    }

    private static var unkeyed: [WebImageContext] {
        [
            [.imageDecodeOptions: [ImageCoderOption.decodePixelFormat: PixelFormat.gray8]],
            [.imageDecodeOptions: [ImageCoderOption.decodeColorConversion: DecodingOptions.ColorConversion.asStored]],
            [.imageDecodeOptions: [ImageCoderOption.decodeToHDR: 1]],
            [.imageDecodeToHDR: 1],
        ]
    }

    @Test(arguments: unkeyed.indices)
    func anotherLayoutOrColourIsNotServedFromMemory(_ index: Int) async throws {
        let special = Self.unkeyed[index]
        _ = try await fixture.result([], special)
        #expect(try await fixture.result([], special).cacheType == .memory)
        #expect(try await fixture.result().cacheType == .disk)
        #expect(try await fixture.result().cacheType == .memory)
        #expect(try await fixture.result([], special).cacheType == .disk)
        #expect(fixture.cache.memoryKeys == [fixture.key])
    }

    @Test func sharedLoadDeliversTheLayoutOfEachRequest() async throws {
        let coder = FormatCoder()
        let gray: WebImageContext = [
            .imageDecodeOptions: [ImageCoderOption.decodePixelFormat: PixelFormat.gray8], .imageCoder: coder,
        ]
        async let first = fixture.result([], gray)
        async let second = fixture.result([], [.imageCoder: coder])
        #expect(try await first.image.pixels.format == .gray8)
        #expect(try await second.image.pixels.format == .bgra8Premultiplied)
    }
}

/// A coder that decodes all data to one pixel in the requested pixel format.
private struct FormatCoder: ImageCoder {
    func canDecode(from data: Data) -> Bool { true }
    func canEncode(to format: ImageFormat) -> Bool { false }
    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        ImageInfo(format: .undefined, storedSize: PixelSize(width: 1, height: 1))
    }
    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        Image(pixels: try PixelBuffer(width: 1, height: 1, format: options.pixelFormat))
    }
    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data { Data() }
}
