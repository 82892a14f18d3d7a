import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

/// Uploads of strangers become clean pictures, or a typed error.
@Suite(.timeLimit(minutes: 2))
struct UploadTests {
    private static let sizes = ImageUploadProcessor(variants: [
        .init("original"), .init("fit", size: PixelSize(width: 60, height: 60)),
        .init("avatar", size: PixelSize(width: 40, height: 40), mode: .aspectFill),
        .init("webp", size: PixelSize(width: 30, height: 30), format: .webP),
    ])

    /// A picture of which each quarter has its own colour, so that its orientation is visible.
    private static func picture(width: Int = 120, height: Int = 80, alpha: UInt8 = 255) throws -> Image {
        try Image.generated(width: width, height: height) { x, y in
            let (right, lower) = (x >= width / 2, y >= height / 2)
            let color: (UInt8, UInt8, UInt8) =
                right ? (lower ? (0, 200, 200) : (0, 180, 0)) : lower ? (200, 0, 0) : (0, 0, 200)
            return (
                UInt8(Int(color.0) * Int(alpha) / 255), UInt8(Int(color.1) * Int(alpha) / 255),
                UInt8(Int(color.2) * Int(alpha) / 255), alpha
            )
        }
    }

    private static func encoded(
        _ format: ImageFormat, _ image: Image, _ change: (inout EncodingOptions) -> Void = { _ in }
    ) throws -> Data {
        var options = EncodingOptions()
        options.quality = 0.95
        change(&options)
        return try ImageCodersManager.shared.encode(image, format: format, options: options)
    }

    @Test(arguments: [ImageFormat.jpeg, .png, .webP, .gif, .bmp])
    func variantsOfEveryFormatComeFromOneDecode(_ format: ImageFormat) async throws {
        let upload = try Self.encoded(format, try Self.picture()) { $0.lossless = true }
        let result = try await Self.sizes.process(upload)
        #expect(result.info.format == format && result.info.pixelSize == PixelSize(width: 120, height: 80))
        let sizes = [
            "original": PixelSize(width: 120, height: 80), "fit": PixelSize(width: 60, height: 40),
            "avatar": PixelSize(width: 40, height: 40), "webp": PixelSize(width: 30, height: 20),
        ]
        #expect(Set(result.images.keys) == Set(sizes.keys))
        for (name, size) in sizes {
            let image = try #require(result.images[name])
            let expected: ImageFormat = name == "webp" ? .webP : format == .jpeg || format == .webP ? .jpeg : .png
            let info = try ImageCodersManager.shared.imageInfo(of: image.data, limits: .default)
            #expect(
                info.pixelSize == size && image.pixelSize == size && info.format == expected && image.format == expected
            )
            // The corners show the colours of the quarters: nothing is turned, moved or stretched.
            let pixels = try ImageCodersManager.shared.decode(image.data, options: DecodingOptions())
            for (x, y, red, green, blue) in [
                (0.2, 0.2, 200, 0, 0), (0.8, 0.2, 0, 180, 0), (0.2, 0.8, 0, 0, 200), (0.8, 0.8, 200, 200, 0),
            ] {
                let point = try #require(
                    pixels.color(at: CGPoint(x: Int(x * Double(size.width)), y: Int(y * Double(size.height)))))
                let distance = max(
                    abs(point.red * 255 - Double(red)), abs(point.green * 255 - Double(green)),
                    abs(point.blue * 255 - Double(blue)))
                #expect(distance <= 12, "\(format) \(name) at \(x), \(y): \(point)")
            }
        }
    }

    @Test func transparencyBecomesPNGAndSmallPicturesAreNotEnlarged() async throws {
        let upload = try Self.encoded(.webP, try Self.picture(width: 20, height: 10, alpha: 128)) { $0.lossless = true }
        let images = try await Self.sizes.process(upload).images
        #expect(images["original"]?.format == .png && images["fit"]?.pixelSize == PixelSize(width: 20, height: 10))
        #expect(images["avatar"]?.pixelSize == PixelSize(width: 10, height: 10))
    }

    @Test func picturesAreUprightAndWithoutTheirMetadata() async throws {
        let marker = "a street and its number"
        let upload = try Self.encoded(.jpeg, try Self.picture()) {
            $0.metadata.xmp = Data("<x:xmpmeta xmlns:x='adobe:ns:meta/'><!-- \(marker) --></x:xmpmeta>".utf8)
            $0.metadata.orientation = .right
        }
        #expect(upload.range(of: Data(marker.utf8)) != nil)
        let html = upload + Data("<script>\(marker)</script>".utf8)
        for file in [upload, html] {
            let result = try await Self.sizes.process(file)
            let original = try #require(result.images["original"])
            #expect(result.info.orientation == .right && original.pixelSize == PixelSize(width: 80, height: 120))
            for image in result.images.values {
                #expect(
                    image.data.range(of: Data(marker.utf8)) == nil && image.data.range(of: Data("script".utf8)) == nil)
                #expect(try ImageCodersManager.shared.imageInfo(of: image.data, limits: .default).orientation == .up)
            }
            // The first row of a picture that is turned to the right was its left column, from the bottom.
            let pixels = try ImageCodersManager.shared.decode(original.data, options: DecodingOptions())
            let corner = try #require(pixels.color(at: CGPoint(x: 10, y: 10)))
            #expect(corner.blue > 0.7 && corner.red < 0.1, "\(corner)")
        }
    }

    struct Hostile: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let codes: [WebImageError.Code]
        let data: @Sendable () throws -> Data

        init(_ name: String, _ codes: WebImageError.Code..., data: @escaping @Sendable () throws -> Data) {
            testDescription = name
            self.codes = codes
            self.data = data
        }
    }

    /// A PNG with the header of a picture of this size and no pixels.
    private static func png(width: UInt32, height: UInt32) throws -> Data {
        var file = try encoded(.png, try picture())
        withUnsafeBytes(of: width.bigEndian) { file.replaceSubrange(16..<20, with: $0) }
        withUnsafeBytes(of: height.bigEndian) { file.replaceSubrange(20..<24, with: $0) }
        var crc: UInt32 = ~0
        for byte in file[12..<29] {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
        }
        withUnsafeBytes(of: (~crc).bigEndian) { file.replaceSubrange(29..<33, with: $0) }
        return file
    }

    static let hostile: [Hostile] = [
        Hostile("nothing", .badImageData) { Data() },
        Hostile("one byte", .badImageData) { Data([0xFF]) },
        Hostile("text", .badImageData) { Data("just words".utf8) },
        Hostile("HTML called JPEG", .badImageData) { Data("<html><script>alert(1)</script></html>".utf8) },
        Hostile("ZIP", .badImageData) { Data([0x50, 0x4B, 3, 4]) + Data(count: 400) },
        Hostile("ELF", .badImageData) { Data([0x7F, 0x45, 0x4C, 0x46]) + Data(count: 400) },
        Hostile("PHP behind a GIF signature", .badImageData, .limitExceeded) {
            Data("GIF89a<?php system($_GET['c']); ?>".utf8)
        },
        Hostile("PDF", .unsupportedFormat, .badImageData) { Data("%PDF-1.7\n1 0 obj\n<<>>\nendobj\n".utf8) },
        Hostile("SVG with a script", .unsupportedFormat, .badImageData) {
            Data("<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>".utf8)
        },
        Hostile("SVG with an external entity", .unsupportedFormat, .badImageData) {
            Data(
                "<!DOCTYPE svg [<!ENTITY e SYSTEM 'file:///etc/passwd'>]><svg xmlns='http://www.w3.org/2000/svg'>&e;</svg>"
                    .utf8)
        },
        Hostile("JPEG's first half", .badImageData) {
            let file = try encoded(.jpeg, try picture())
            return file.prefix(file.count / 4)
        },
        Hostile("PNG's first half", .badImageData) {
            let file = try encoded(.png, try picture())
            return file.prefix(file.count / 2)
        },
        Hostile("WebP's first half", .badImageData) {
            let file = try encoded(.webP, try picture())
            return file.prefix(file.count / 2)
        },
        Hostile("GIF's first half", .badImageData) {
            let file = try encoded(.gif, try picture())
            return file.prefix(file.count / 3)
        },
        Hostile("BMP's first half", .badImageData) {
            let file = try encoded(.bmp, try picture())
            return file.prefix(file.count / 2)
        },
        Hostile("PNG that is a row of 2,000,000,000 px", .limitExceeded, .badImageData) {
            try png(width: 2_000_000_000, height: 1)
        },
        Hostile("PNG of 60,000 x 60,000 px", .limitExceeded) { try png(width: 60_000, height: 60_000) },
        Hostile("PNG of 8,000 x 8,000 px", .limitExceeded) { try png(width: 8_000, height: 8_000) },
        Hostile("PNG without width", .badImageData) { try png(width: 0, height: 10) },
        Hostile("PNG with a body for another size", .badImageData) { try png(width: 500, height: 500) },
        Hostile("20 MB and one byte", .limitExceeded) { try encoded(.png, try picture()) + Data(count: 20_000_000) },
        Hostile("JPEG of 65,500 x 65,500 px", .limitExceeded, .badImageData) {
            var file = try encoded(.jpeg, try picture())
            // The frame header: FF C0, length, precision, height, width.
            let start = try #require(file.range(of: Data([0xFF, 0xC0]))?.lowerBound)
            file.replaceSubrange(start + 5..<start + 9, with: [0xFF, 0xDC, 0xFF, 0xDC])
            return file
        },
        Hostile("GIF of 65,535 x 65,535 px", .limitExceeded) {
            var file = try encoded(.gif, try picture())
            file.replaceSubrange(6..<10, with: [0xFF, 0xFF, 0xFF, 0xFF])
            return file
        },
        Hostile("BMP whose pixels begin behind its end", .badImageData) {
            var file = try encoded(.bmp, try picture())
            file.replaceSubrange(10..<14, with: [0xFF, 0xFF, 0xFF, 0x7F])
            return file
        },
        Hostile("ICO whose picture begins behind its end", .badImageData) {
            Data([0, 0, 1, 0, 1, 0, 16, 16, 0, 0, 1, 0, 32, 0, 40, 0, 0, 0, 0xFF, 0xFF, 0, 0])
        },
        Hostile("noise behind a PNG signature", .badImageData) {
            var random = SeededRandom(seed: 51)
            return Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
                + Data((0..<500).map { _ in .random(in: 0...255, using: &random) })
        },
    ]

    @Test(arguments: hostile)
    func hostileUploadIsATypedError(_ upload: Hostile) async throws {
        let data = try upload.data()
        let error = await #expect(throws: WebImageError.self) { try await Self.sizes.process(data) }
        #expect(error.map { upload.codes.contains($0.code) } == true, "\(error.map { "\($0)" } ?? "")")
        #expect(error?.code.words.isEmpty == false)
    }

    @Test func limitsAndCancellationHoldForEveryVariant() async throws {
        let upload = try Self.encoded(.png, try Self.picture())
        var strict = Self.sizes
        strict.limits.maxPixels = 120 * 80 - 1
        let error = await #expect(throws: WebImageError.self) { try await strict.process(upload) }
        #expect(error?.code == .limitExceeded)
        strict.limits = ImageUploadProcessor.defaultLimits
        strict.limits.maxDecodeTime = .zero
        let late = await #expect(throws: WebImageError.self) { try await strict.process(upload) }
        #expect(late?.code == .limitExceeded)
        let task = Task { () -> WebImageError? in
            // The task is cancelled before it begins.
            while !Task.isCancelled { await Task.yield() }
            do throws(WebImageError) {
                _ = try await Self.sizes.process(upload)
                return nil
            } catch {
                return error
            }
        }
        task.cancel()
        #expect(await task.value?.code == .cancelled)
        let unwritable = ImageUploadProcessor(variants: [.init("a", format: ImageFormat(rawValue: 4711))])
        let unwritten = await #expect(throws: WebImageError.self) { try await unwritable.process(upload) }
        #expect(unwritten?.code == .encodingFailed)
    }
}
