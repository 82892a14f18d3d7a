import CWebImageGTK
import Foundation
import Testing
import WebImageCore
import WebImageGraphics
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

        /// Grey light of 26, 203 and 1,000 nits.
        private func bright(_ transfer: Int) throws -> Image {
            let nits = [26.0, 203, 1000]
            let pixels = try PixelBuffer(width: 3, height: 2, format: transfer == 8 ? .rgbaHalf : .rgba16)
            pixels.withUnsafeMutableBytes { bytes in
                for place in 0..<24 {
                    let light = nits[place % 12 / 4]
                    let power = pow(light / 10_000, 2610.0 / 16384)
                    let signal = pow((3424.0 / 4096 + 2413.0 / 128 * power) / (1 + 2392.0 / 128 * power), 2523.0 / 32)
                    let isAlpha = place % 4 == 3
                    let value =
                        transfer == 8
                        ? Float16(isAlpha ? 1 : light / 203).bitPattern : isAlpha ? 65535 : UInt16(signal * 65535)
                    bytes.storeBytes(
                        of: value, toByteOffset: place / 12 * pixels.bytesPerRow + place % 12 * 2, as: UInt16.self)
                }
            }
            return Image(
                pixels: pixels, colorProfile: ColorProfile(primaries: transfer == 8 ? 1 : 9, transfer: transfer),
                hasAlpha: false)
        }

        /// GTK 4.16 and later receive the values with their colour state, and earlier versions a tone-mapped copy.
        @Test(arguments: [16, 8]) func highRangeHasAColorStateOrAToneCurve(_ transfer: Int) throws {
            let image = try bright(transfer)
            let texture = try #require(image.makeTexture())
            let drawn = try #require(texture.downloaded())
            let seen = (0..<3).map { Int(drawn.bgra($0, 1)[1]) }
            let isNew = gtk_get_major_version() > 4 || gtk_get_minor_version() >= 16
            #expect(texture.hasHighRange == isNew)
            // GTK cuts light over white in a copy of the standard range; the tone curve keeps steps for it.
            let wanted = isNew ? [100, 255, 255] : [100, 229, 255]
            #expect(zip(seen, wanted).allSatisfy { abs($0 - $1) <= 2 }, "\(seen)")
            guard isNew else { return }
            typealias Get = @convention(c) (OpaquePointer) -> OpaquePointer?
            typealias Number = @convention(c) (OpaquePointer) -> UInt32
            func call<Function>(_ name: String, as type: Function.Type) throws -> Function {
                unsafeBitCast(try #require(dlsym(nil, name)), to: type)
            }
            let state = try #require(
                try texture.withPointer { try call("gdk_texture_get_color_state", as: Get.self)($0) })
            let codes = try #require(try call("gdk_color_state_create_cicp_params", as: Get.self)(state))
            defer { g_object_unref(UnsafeMutableRawPointer(codes)) }
            let primaries = try call("gdk_cicp_params_get_color_primaries", as: Number.self)(codes)
            let curve = try call("gdk_cicp_params_get_transfer_function", as: Number.self)(codes)
            #expect(primaries == (transfer == 8 ? 1 : 9) && curve == transfer)
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
