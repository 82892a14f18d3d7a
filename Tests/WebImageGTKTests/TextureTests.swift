import CWebImageGTK
import Testing
import WebImageCore
import WebImageTesting

@testable import WebImageGTK

extension GTKSuite {
    @Suite("Textures") @MainActor struct TextureTests {
        init() throws { try Display.open() }

        @Test func pixelsAreFreedWithTheLastTexture() throws {
            weak var buffer: PixelBuffer?
            let open = GTKHandles.live["texture pixels", default: 0]
            var image: Image? = try Image.generated(width: 64, height: 64)
            buffer = image?.pixels
            var texture = image?.makeTexture()
            let pointer = try #require(texture).withPointer { $0 }
            g_object_ref(UnsafeMutableRawPointer(pointer))
            image = nil
            texture = nil
            #expect(buffer != nil)
            #expect(GTKHandles.live["texture pixels", default: 0] == open + 1)
            g_object_unref(UnsafeMutableRawPointer(pointer))
            #expect(buffer == nil)
            #expect(GTKHandles.live["texture pixels", default: 0] == open)
        }

        @Test func textureSharesTheMemoryOfTheImage() throws {
            let image = try Image.generated(width: 4, height: 4)
            let texture = try #require(image.makeTexture())
            // Programs must not write to the pixels of an image that has a texture. This test writes a byte to check
            // that the texture shares the memory and does not copy it.
            image.pixels.baseAddress.storeBytes(of: 77, as: UInt8.self)
            #expect(try #require(texture.downloaded()).bgra(0, 0) == [77, 0, 0, 255])
        }

        @Test(arguments: PixelFormat.allCases)
        func everyFormatKeepsItsColours(format: PixelFormat) throws {
            let buffer = try PixelBuffer(width: 5, height: 3, format: format)
            let pixel: [UInt8] =
                switch format {
                case .bgra8Premultiplied: [10, 100, 200, 255]
                case .rgba8: [200, 100, 10, 255]
                case .rgb8: [200, 100, 10]
                case .gray8: [100]
                case .rgbaHalf:
                    [200, 100, 10, 255].flatMap { (value: Double) in
                        withUnsafeBytes(of: Float16(value / 255)) { Array($0) }
                    }
                case .rgba16: [200, 200, 100, 100, 10, 10, 255, 255]
                }
            buffer.withUnsafeMutableBytes { bytes in
                for y in 0..<3 {
                    for place in 0..<5 * format.bytesPerPixel {
                        bytes[y * buffer.bytesPerRow + place] = pixel[place % pixel.count]
                    }
                }
            }
            let drawn = try #require(Image(pixels: buffer).makeTexture()?.downloaded())
            let expected: [UInt8] = format == .gray8 ? [100, 100, 100, 255] : [10, 100, 200, 255]
            for place in [(0, 0), (4, 0), (4, 2)] { #expect(drawn.bgra(place.0, place.1) == expected) }
        }

        @Test func everyGreyIsConvertedExactly() throws {
            let gray = try PixelBuffer(width: 256, height: 1, format: .gray8)
            gray.withUnsafeMutableBytes { bytes in for value in 0..<256 { bytes[value] = UInt8(value) } }
            let converted = Image(pixels: try #require(GrayConversion.displayable(gray)))
            for value in 0..<256 {
                let grey = UInt8(value)
                #expect(converted.bgra(value, 0) == [grey, grey, grey, 255])
            }
        }

        @Test func greyImageTooLongForCairoHasNoTexture() throws {
            let buffer = try PixelBuffer(width: 40_000, height: 1, format: .gray8)
            #expect(Image(pixels: buffer).makeTexture() == nil)
        }
    }
}
