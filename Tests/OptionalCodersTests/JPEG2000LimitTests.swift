import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageGraphics
import WebImageJPEG2000

/// Headers that contradict each other, and what is refused before OpenJPEG is asked.
struct JPEG2000LimitTests {
    private static let size = PixelSize(width: 29, height: 21)

    private static func flat(_ values: [Int], _ boxes: [Data]) throws -> Data {
        var file = JPEG2000File(size: size, components: values.map { value in .init { _, _ in value } })
        file.boxes = boxes
        return try file.data
    }

    private static func color(_ data: Data) throws -> [Int] {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let pixels = try ImageJPEG2000Coder.shared.decode(data, options: options).pixels
        return pixels.withUnsafeBytes { bytes in (0..<4).map { Int(bytes[5 * pixels.bytesPerRow + 20 + $0]) } }
    }

    /// Chroma is in the middle of its range where there is no colour.
    @Test(arguments: [0, 128, 255]) func greyHasNoColor(luma: Int) throws {
        let data = try Self.flat([luma, 128, 128], [JPEG2000File.color(18)])
        #expect(try Self.color(data) == [luma, luma, luma, 255])
    }

    /// As in OpenJPEG, the first of several colour spaces counts.
    @Test func theFirstColorSpaceCounts() throws {
        let data = try Self.flat([40, 200, 90], [JPEG2000File.color(16), JPEG2000File.color(18)])
        #expect(try Self.color(data) == [40, 200, 90, 255])
    }

    /// A profile for colours that the file does not have is ignored.
    @Test func aProfileForOtherColorsIsIgnored() throws {
        let profile = try #require(ColorProfile(primaries: 12, transfer: 13)?.iccData)
        #expect(try Self.color(Self.flat([90], [JPEG2000File.color(profile)])) == [90, 90, 90, 255])
    }

    /// A profile counts if it is for as many colours as the picture has, and longer than its head.
    @Test func aProfileIsThatOfTheColors() throws {
        let rgb = try #require(ColorProfile(primaries: 12, transfer: 13)?.iccData)
        var gray = rgb
        gray.replaceSubrange(16..<20, with: Data("GRAY".utf8))
        func profile(_ values: [Int], _ bytes: Data) throws -> Data? {
            var options = DecodingOptions()
            options.colorConversion = .asStored
            let data = try Self.flat(values, [JPEG2000File.color(bytes)])
            return try ImageJPEG2000Coder.shared.decode(data, options: options).colorProfile?.iccData
        }
        #expect(try profile([9, 90, 200], rgb) == rgb && profile([90], rgb) == nil)
        #expect(try profile([9, 90, 200], gray) == nil)
        for (bytes, isThere) in [(rgb, true), (rgb.prefix(129), true), (rgb.prefix(128), false), (Data(), false)] {
            let data = try Self.flat([9, 90, 200], [JPEG2000File.color(Data(bytes))])
            #expect(try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: .default).hasICCProfile == isThere)
            if isThere { #expect(try Self.color(data)[3] == 255) }
        }
    }

    /// The tables of OpenJPEG for a tile and its channels, the file, the samples with their copy in a tile, and the result.
    @Test func memoryOfEachPartCounts() throws {
        for values in [[7], [1, 2, 3]] {
            let data = try Self.flat(values, [JPEG2000File.color(values.count == 1 ? 17 : 16)])
            let (pixels, tables) = (29 * 21, 6_000 + 1_100 * values.count + data.count)
            let info = try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: .default)
            #expect(info.workingMemory.fixedBytes == tables && info.workingMemory.shrinksWhileReading)
            #expect(info.workingMemory.bytesPerSourcePixel == 4 * values.count)
            var options = DecodingOptions()
            options.pixelFormat = .rgba8
            let bytes = pixels * 4 + tables + pixels * (8 * values.count + 4)
            options.limits.maxDecodeBytes = bytes
            _ = try ImageJPEG2000Coder.shared.decode(data, options: options)
            options.limits.maxDecodeBytes = bytes - 1
            let error = #expect(throws: WebImageError.self) {
                try ImageJPEG2000Coder.shared.decode(data, options: options)
            }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test func limitsAreKept() throws {
        let data = try Self.flat([1, 2, 3], [JPEG2000File.color(16)])
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maxEncodedBytes = data.count - 1 }, { $0.maxSide = 28 }, { $0.maxPixels = 29 * 21 - 1 },
            { $0.maxDecodeTime = .nanoseconds(1) },
        ]
        for change in changes {
            var options = DecodingOptions()
            change(&options.limits)
            let error = #expect(throws: WebImageError.self) {
                try ImageJPEG2000Coder.shared.decode(data, options: options)
            }
            #expect(error?.code == .limitExceeded)
        }
        var limits = DecodingLimits()
        limits.maxPixels = 29 * 21 - 1
        #expect(throws: WebImageError.self) { try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: limits) }
    }

    /// OpenJPEG cannot be interrupted, so that the time is estimated from the size before.
    @Test func aSlowFileIsRefusedBeforeTheWork() throws {
        var codestream = try JPEG2000File(size: Self.size, components: [.init { x, _ in x }]).codestream
        let size = try #require(codestream.firstRange(of: Data([0xFF, 0x51]))).lowerBound
        // The sides of the picture and of its only tile: 900 megapixels, which take over ten seconds.
        for offset in [6, 10, 22, 26] {
            codestream.replaceSubrange(size + offset..<size + offset + 4, with: [0, 0, 0x75, 0x30])
        }
        var options = DecodingOptions()
        options.limits.maxPixels = 1 << 30
        options.limits.maxSide = 1 << 20
        options.limits.maxDecodeBytes = 1 << 40
        options.limits.maxDecodeTime = .seconds(5)
        let error = #expect(throws: WebImageError.self) {
            try ImageJPEG2000Coder.shared.decode(codestream, options: options)
        }
        #expect(error?.code == .limitExceeded && error?.hint?.contains("decoding JPEG 2000") == true)
    }

    @Test func headersThatOpenJPEGCannotReadAreErrors() throws {
        var data = try Self.flat([1, 2, 3], [JPEG2000File.color(16)])
        let size = try #require(data.firstRange(of: Data([0xFF, 0x51]))).lowerBound
        func info(_ data: Data) throws { _ = try ImageJPEG2000Coder.shared.imageInfo(of: data, limits: .default) }
        // Samples of 38 bits, which the format allows.
        data[size + 40] = 37
        var error = #expect(throws: WebImageError.self) { try info(data) }
        #expect(error?.code == .unsupportedFormat)
        data[size + 40] = 7
        try info(data)
        // No distance between samples.
        data[size + 41] = 0
        error = #expect(throws: WebImageError.self) { try info(data) }
        #expect(error?.code == .badImageData)
    }

    /// A codestream has at most 65,535 tiles.
    @Test func tooManyTilesAreAnError() throws {
        let file = JPEG2000File(size: PixelSize(width: 300, height: 300), components: [.init { x, _ in x & 255 }])
        var codestream = try file.codestream
        let size = try #require(codestream.firstRange(of: Data([0xFF, 0x51])))
        for offset in [size.lowerBound + 22, size.lowerBound + 26] {
            codestream.replaceSubrange(offset..<offset + 4, with: [0, 0, 0, 1])
        }
        var limits = DecodingLimits()
        limits.maxDecodeBytes = 8 << 30
        let error = #expect(throws: WebImageError.self) {
            try ImageJPEG2000Coder.shared.imageInfo(of: codestream, limits: limits)
        }
        #expect(error?.code == .badImageData)
    }
}
