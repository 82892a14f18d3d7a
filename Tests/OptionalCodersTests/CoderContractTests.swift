import Foundation
import Testing
import WebImageAVIF
import WebImageCore
import WebImageHEIF
import WebImageJXL
import WebImageSVG
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// One optional coder and a small file of its format.
struct CoderCase: Sendable, CustomTestStringConvertible {
    let name: String
    let coder: any ImageCoder
    let file: Data
    let size: PixelSize
    var testDescription: String { name }

    static let all: [CoderCase] = {
        var cases = [
            CoderCase(
                name: "svg", coder: ImageSVGCoder.shared,
                file: Data(
                    #"<svg xmlns="http://www.w3.org/2000/svg" width="48" height="32"><rect width="20" height="20"/></svg>"#
                        .utf8),
                size: PixelSize(width: 48, height: 32))
        ]
        let coders: [(String, any ImageCoder, ImageFormat)] = [
            ("avif", ImageAVIFCoder.shared, .avif), ("heic", ImageHEICCoder.shared, .heic),
            ("jxl", ImageJPEGXLCoder.shared, .jpegXL), ("tiff", ImageTIFFCoder.shared, .tiff),
        ]
        for (name, coder, format) in coders where coder.canEncode(to: format) {
            guard let image = try? Samples.picture(),
                let file = try? coder.encode(image, format: format, options: .init())
            else { continue }
            cases.append(CoderCase(name: name, coder: coder, file: file, size: image.pixelSize))
        }
        return cases
    }()
}

/// Checks the contract that every optional coder must fulfil. The contract does not depend on the coder's library.
@Suite(.timeLimit(minutes: 5), .serialized)
struct CoderContractTests {
    private func error(_ item: CoderCase, _ data: Data, _ limits: DecodingLimits = .default) -> WebImageError? {
        var options = DecodingOptions()
        options.limits = limits
        do throws(WebImageError) {
            _ = try item.coder.decode(data, options: options)
            return nil
        } catch { return error }
    }

    @Test func everyCoderThatHasALibraryIsTested() {
        #expect(Set(CoderCase.all.map(\.name)).isSuperset(of: ["avif", "jxl", "svg", "tiff"]))
    }

    /// A list does not ask a coder for files without its signatures, so these must include every file that it accepts.
    @Test(arguments: CoderCase.all)
    func signaturesIncludeWhatTheCoderAccepts(_ item: CoderCase) {
        #expect(item.coder.signatures?.isEmpty == false)
        let alone = ImageCodersManager(coders: [item.coder])
        var random = SeededRandom(seed: 54)
        for file in CoderCase.all.map(\.file) + [Data([0x1F, 0x8B, 8]), Data("GIF89a".utf8), Data()] {
            for length in (0..<min(file.count, 300)) + [file.count] {
                #expect(alone.canDecode(from: file.prefix(length)) == item.coder.canDecode(from: file.prefix(length)))
            }
            for _ in 0..<200 where !file.isEmpty {
                var changed = file
                for _ in 0..<2 {
                    changed[Int.random(in: 0..<min(file.count, 40), using: &random)] = .random(
                        in: 0...255, using: &random)
                }
                #expect(alone.canDecode(from: changed) == item.coder.canDecode(from: changed))
            }
        }
    }

    @Test(arguments: CoderCase.all)
    func headerAndPictureAgree(_ item: CoderCase) throws {
        #expect(item.coder.canDecode(from: item.file))
        let info = try item.coder.imageInfo(of: item.file, limits: .default)
        let image = try item.coder.decode(item.file, options: DecodingOptions())
        #expect(info.pixelSize == item.size)
        #expect(image.pixelSize == item.size)
        #expect(image.imageFormat == info.format)
        #expect(image.pixels.format == .bgra8Premultiplied)
    }

    @Test(arguments: CoderCase.all)
    func dataThatStartsInTheMiddleOfABufferIsRead(_ item: CoderCase) throws {
        let slice = (Data([1, 2, 3]) + item.file).dropFirst(3)
        #expect(slice.startIndex == 3)
        #expect(try item.coder.decode(slice, options: DecodingOptions()).pixelSize == item.size)
    }

    @Test(arguments: CoderCase.all)
    func everyTruncationIsAPictureOrATypedError(_ item: CoderCase) {
        let step = item.file.count > 1500 ? 7 : 1
        var refused = 0
        for length in stride(from: 0, to: item.file.count, by: step) {
            guard let error = error(item, item.file.prefix(length)) else { continue }
            #expect([.badImageData, .limitExceeded, .unsupportedFormat].contains(error.code))
            refused += 1
        }
        #expect(refused > item.file.count / step / 2, "more than half of the truncated files are decoded")
    }

    @Test(arguments: CoderCase.all)
    func garbageAfterTheSignatureIsATypedError(_ item: CoderCase) {
        var state: UInt32 = 0x2545_F491
        for head in [4, 12, 32, 64] {
            var data = item.file.prefix(head)
            for _ in 0..<2048 {
                state ^= state << 13
                state ^= state >> 17
                state ^= state << 5
                data.append(UInt8(truncatingIfNeeded: state))
            }
            if let error = error(item, data) {
                #expect([.badImageData, .limitExceeded, .unsupportedFormat].contains(error.code))
            }
        }
    }

    @Test(arguments: CoderCase.all)
    func aFlippedByteIsAPictureOrATypedError(_ item: CoderCase) {
        let step = max(1, item.file.count / 300)
        for index in stride(from: 0, to: item.file.count, by: step) {
            var data = item.file
            data[index] ^= 0xFF
            if let error = error(item, data) {
                #expect([.badImageData, .limitExceeded, .unsupportedFormat].contains(error.code))
            }
        }
    }

    @Test(arguments: CoderCase.all)
    func errorNamesTheLimit(_ item: CoderCase) {
        func limit(_ limits: DecodingLimits) -> DecodingLimits.Limit? {
            if case .limit(let limit, _, _) = error(item, item.file, limits)?.underlying { limit } else { nil }
        }
        #expect(limit(DecodingLimits(maxEncodedBytes: 50)) == .encodedBytes)
        #expect(limit(DecodingLimits(maxPixels: 48 * 32 - 1)) == .pixels)
        #expect(error(item, item.file, DecodingLimits(maxPixels: 48 * 32)) == nil)
        #expect(limit(DecodingLimits(maxDecodeTime: .zero)) == .decodeTime)
    }

    @Test(arguments: CoderCase.all)
    func aThumbnailHasTheExactSize(_ item: CoderCase) throws {
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 24, height: 24)
        #expect(try item.coder.decode(item.file, options: options).pixelSize == PixelSize(width: 24, height: 16))
        options.preserveAspectRatio = false
        #expect(try item.coder.decode(item.file, options: options).pixelSize == PixelSize(width: 24, height: 24))
    }

    @Test(arguments: CoderCase.all)
    func everyPixelFormatIsReturnedOnRequest(_ item: CoderCase) throws {
        for format in PixelFormat.allCases {
            var options = DecodingOptions()
            options.pixelFormat = format
            #expect(try item.coder.decode(item.file, options: options).pixels.format == format)
        }
    }

    @Test(arguments: CoderCase.all)
    func noHandleIsOpenAfterADecode(_ item: CoderCase) async throws {
        _ = error(item, item.file)
        _ = error(item, item.file.prefix(item.file.count / 2))
        try await LiveHandles.expectNone { kind in
            ["avif", "heif", "jxl", "rsvg", "cairo", "tiff", "gzip"].contains { kind.hasPrefix($0) }
        }
    }
}
