import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageTestTraits

/// Decodes bitmaps and icons that the tests build byte by byte.
@Suite(.timeLimit(minutes: 2))
struct BMPTests {
    private let coder = ImageBMPCoder.shared

    private static func bytes32(_ values: [Int]) -> Data {
        Data(values.flatMap { value in [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } })
    }

    /// Returns a BMP file whose header has 40 bytes.
    private func file(
        _ width: Int, _ height: Int, bits: Int, compression: Int = 0, palette: [UInt8] = [], _ pixels: [UInt8]
    ) -> Data {
        let offset = 54 + palette.count
        var data = Data("BM".utf8) + Self.bytes32([offset + pixels.count, 0, offset, 40, width, height])
        data += Data([1, 0, UInt8(bits), 0]) + Self.bytes32([compression, 0, 0, 0, palette.count / 4, 0])
        return data + Data(palette) + Data(pixels)
    }

    private func rgba(_ data: Data, _ coder: any ImageCoder = ImageBMPCoder.shared) throws -> [[UInt8]] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let pixels = try coder.decode(data, options: options).pixels
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { y in
                (0..<pixels.width).map { x in
                    let at = y * pixels.bytesPerRow + x * 4
                    return Array(bytes[at..<at + 4])
                }
            }
        }
    }

    private let blackWhiteRed: [UInt8] = [0, 0, 0, 0, 255, 255, 255, 0, 0, 0, 255, 0]

    // Corresponds to SDWebImage's SDImageCoderTests.test25ThatBMPWorks.
    @Test func rowsAreStoredUpwardsUnlessTheHeightIsNegative() throws {
        let pixels: [UInt8] = [0, 0, 255, 0, 255, 0, 0, 0]
        #expect(try rgba(file(1, 2, bits: 24, pixels)) == [[0, 0, 255, 255], [255, 0, 0, 255]])
        #expect(try rgba(file(1, -2, bits: 24, pixels)).first == [255, 0, 0, 255])
    }

    // Corresponds to SDWebImage's SDImageTransformerTests.test21BMPImageCreateDecodedShouldNotBlank.
    @Test func thirtyTwoBitsWithoutAMaskAreOpaqueAndNotBlank() throws {
        #expect(try rgba(file(1, 1, bits: 32, [10, 20, 30, 0])) == [[30, 20, 10, 255]])
    }

    @Test func indicesOfOneAndFourBitsAreLookedUp() throws {
        let one = file(3, 1, bits: 1, palette: Array(blackWhiteRed[..<8]), [0b0100_0000, 0, 0, 0])
        #expect(try rgba(one).map { $0[0] } == [0, 255, 0])
        let four = file(3, 1, bits: 4, palette: blackWhiteRed, [0x21, 0x00, 0, 0])
        #expect(try rgba(four) == [[255, 0, 0, 255], [255, 255, 255, 255], [0, 0, 0, 255]])
    }

    @Test func anIndexBeyondThePaletteIsBlack() throws {
        #expect(try rgba(file(1, 1, bits: 8, palette: blackWhiteRed, [200, 0, 0, 0])) == [[0, 0, 0, 255]])
    }

    @Test func runsAreDrawnAndSkippedPixelsAreClear() throws {
        // The run-length data contains a run of two red pixels, the end of the line, a run of one pixel and the end of
        // the bitmap. Three pixels of the image are missing: one in the first line and two in the second line.
        let runs: [UInt8] = [2, 2, 0, 0, 1, 1, 0, 1]
        let picture = try rgba(file(3, 2, bits: 8, compression: 1, palette: blackWhiteRed, runs))
        #expect(picture[3...5].map { $0[3] } == [255, 255, 0])
        #expect(picture[0...2].map { $0[3] } == [255, 0, 0])
        #expect(picture[3] == [255, 0, 0, 255])
    }

    @Test func runsThatPassTheEndAreCut() throws {
        let picture = try rgba(
            file(2, 1, bits: 8, compression: 1, palette: blackWhiteRed, [255, 1, 255, 2, 0, 2, 255, 255, 9, 1]))
        #expect(picture == [[255, 255, 255, 255], [255, 255, 255, 255]])
    }

    @Test func everyTruncationIsAPictureOrATypedError() throws {
        let pixels = (0..<12).map { UInt8($0) }
        for data in [
            file(2, 2, bits: 24, Array(pixels) + [0, 0, 0, 0]),
            file(4, 1, bits: 8, palette: blackWhiteRed, [0, 1, 2, 0]),
            file(3, 2, bits: 8, compression: 1, palette: blackWhiteRed, [2, 2, 0, 0, 1, 1, 0, 1]),
        ] {
            for length in 0..<data.count {
                do { _ = try coder.decode(data.prefix(length), options: DecodingOptions()) } catch {
                    #expect(error.code == .badImageData)
                }
            }
        }
    }

    @Test func lyingHeaderIsATypedError() {
        for (width, height) in [(Int(Int32.max), Int(Int32.max)), (0, 4), (4, 0), (-4, 4), (4, Int(Int32.min))] {
            #expect(throws: WebImageError.self) {
                try coder.decode(file(width, height, bits: 24, [0, 0, 0, 0]), options: DecodingOptions())
            }
        }
        for (bits, compression) in [(3, 0), (64, 0), (8, 2), (24, 1), (32, 4), (0, 5), (16, 99)] {
            #expect(throws: WebImageError.self) {
                try coder.decode(
                    file(1, 1, bits: bits, compression: compression, [0, 0, 0, 0]), options: DecodingOptions())
            }
        }
    }

    @Test func errorNamesTheLimit() {
        var options = DecodingOptions()
        options.limits.maxPixels = 3
        let error = #expect(throws: WebImageError.self) {
            try coder.decode(file(2, 2, bits: 24, [UInt8](repeating: 0, count: 16)), options: options)
        }
        #expect(error?.underlying == .limit(.pixels, actual: 4, allowed: 3))
    }

    @Test func anyBytesAfterTheSignatureAreAPictureOrATypedError() {
        var state: UInt64 = 0x9E37_79B9_7F4A_7C15
        for round in 0..<2000 {
            var data = file(
                7, 5, bits: [1, 4, 8, 16, 24, 32][round % 6], compression: round % 4, palette: blackWhiteRed, [])
            for index in 0..<160 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let byte = UInt8(truncatingIfNeeded: state >> 33)
                if index < 4 {
                    data[14 + Int(byte) % 40] = UInt8(truncatingIfNeeded: state >> 45)
                } else {
                    data.append(byte)
                }
            }
            do { _ = try coder.decode(data, options: DecodingOptions()) } catch {
                #expect(error.code == .badImageData || error.code == .limitExceeded)
            }
        }
    }

    @Test(arguments: [false, true])
    func bitmapRoundTripsBitForBit(hasAlpha: Bool) throws {
        let pixels = try PixelBuffer(width: 5, height: 3, format: .rgba8)
        pixels.withUnsafeMutableBytes { bytes in
            for index in bytes.indices { bytes[index] = index % 4 == 3 && !hasAlpha ? 255 : UInt8(index * 7 % 251 + 1) }
        }
        let image = Image(pixels: pixels, hasAlpha: hasAlpha)
        let data = try coder.encode(image, format: .bmp, options: EncodingOptions())
        #expect(try coder.imageInfo(of: data, limits: .default).hasAlpha == hasAlpha)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let back = try coder.decode(data, options: options).pixels
        for row in 0..<3 {
            let (mine, other) = (
                pixels.baseAddress + row * pixels.bytesPerRow, back.baseAddress + row * back.bytesPerRow
            )
            #expect(memcmp(mine, other, 20) == 0)
        }
    }

    // MARK: Icons

    private func icon(_ entries: [(side: UInt8, bits: UInt8, payload: Data)]) -> Data {
        var data = Data([0, 0, 1, 0, UInt8(entries.count), 0])
        var offset = 6 + 16 * entries.count
        for entry in entries {
            data +=
                Data([entry.side, entry.side, 0, 0, 1, 0, entry.bits, 0]) + Self.bytes32([entry.payload.count, offset])
            offset += entry.payload.count
        }
        return entries.reduce(into: data) { $0 += $1.payload }
    }

    private func bitmap(_ side: Int, bits: Int, _ pixels: [UInt8], mask: [UInt8]) -> Data {
        Self.bytes32([40, side, side * 2]) + Data([1, 0, UInt8(bits), 0]) + Self.bytes32([0, 0, 0, 0, 0, 0])
            + Data(pixels + mask)
    }

    @Test func iconMaskAppliesToBitmapsWithoutAlpha() throws {
        let payload = bitmap(1, bits: 24, [0, 0, 255, 0], mask: [0x80, 0, 0, 0])
        #expect(try rgba(icon([(1, 24, payload)]), ImageICOCoder.shared).first?[3] == 0)
        let shown = bitmap(1, bits: 24, [0, 0, 255, 0], mask: [0, 0, 0, 0])
        #expect(try rgba(icon([(1, 24, shown)]), ImageICOCoder.shared) == [[255, 0, 0, 255]])
        let own = bitmap(1, bits: 32, [0, 0, 255, 128], mask: [0x80, 0, 0, 0])
        #expect(try rgba(icon([(1, 32, own)]), ImageICOCoder.shared) == [[255, 0, 0, 128]])
    }

    @Test func iconDecodesTheLargestThenTheDeepestPicture() throws {
        let small = bitmap(1, bits: 32, [0, 0, 255, 255], mask: [0, 0, 0, 0])
        let large = bitmap(2, bits: 24, [UInt8](repeating: 9, count: 16), mask: [UInt8](repeating: 0, count: 8))
        let deep = bitmap(2, bits: 32, [UInt8](repeating: 255, count: 16), mask: [UInt8](repeating: 0, count: 8))
        let data = icon([(1, 32, small), (2, 24, large), (2, 32, deep)])
        #expect(
            try ImageICOCoder.shared.imageInfo(of: data, limits: .default).pixelSize == PixelSize(width: 2, height: 2))
        #expect(try rgba(data, ImageICOCoder.shared).first == [255, 255, 255, 255])
    }

    @Test func everyTruncationOfAnIconIsAPictureOrATypedError() {
        let payload = bitmap(2, bits: 32, [UInt8](repeating: 255, count: 16), mask: [UInt8](repeating: 0, count: 8))
        let data = icon([(2, 32, payload)])
        for length in 0..<data.count {
            do { _ = try ImageICOCoder.shared.decode(data.prefix(length), options: DecodingOptions()) } catch {
                #expect(error.code == .badImageData)
            }
        }
    }
}
