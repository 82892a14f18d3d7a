import Foundation
import Testing
import WebImage
import WebImageAVIF
import WebImageSVG
import WebImageSandbox
import WebImageTIFF
import WebImageTestTraits

/// Draws documents with embedded pictures of every format and declaration, in this process and in a decoder process.
@Suite(.serialized, .timeLimit(minutes: 5))
struct SVGPictureTests {
    private static let isolated: ImageCodersManager = {
        WebImageSandbox.enableForTests()
        return ImageCodersManager(coders: WebImageSandbox.isolated([ImageSVGCoder.shared]))
    }()

    /// Pictures are decoded by the coders of the program. A decoder process has its own.
    private static func withCoders<Result>(_ body: () throws -> Result) rethrows -> Result {
        let shared = ImageCodersManager.shared.coders
        defer { ImageCodersManager.shared.coders = shared }
        ImageCodersManager.shared.coders =
            [ImageAVIFCoder.shared, ImageTIFFCoder.shared, ImageSVGCoder.shared] + shared
        return try body()
    }

    /// 24 × 12 px: the left half is red, the right half is blue.
    private static func picture() throws -> Image {
        let pixels = try PixelBuffer(width: 24, height: 12, format: .rgba8)
        pixels.withUnsafeMutableBytes { bytes in
            for y in 0..<12 {
                for x in 0..<24 {
                    let color: [UInt8] = x < 12 ? [255, 0, 0, 255] : [0, 0, 255, 255]
                    for channel in 0..<4 { bytes[y * pixels.bytesPerRow + x * 4 + channel] = color[channel] }
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: false)
    }

    private static func file(_ format: ImageFormat) throws -> Data {
        var options = EncodingOptions()
        options.quality = 1
        let coders: [any ImageCoder] =
            [ImageAVIFCoder.shared, ImageTIFFCoder.shared] + ImageCodersManager.shared.coders
        return try ImageCodersManager(coders: coders).encode(try picture(), format: format, options: options)
    }

    private static func turnedJPEG() throws -> Data {
        var file = try file(.jpeg)
        let exif =
            Data("Exif\0\0MM\0*".utf8) + Data([0, 0, 0, 8, 0, 1, 0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, 6, 0, 0, 0, 0, 0, 0])
        file.insert(contentsOf: Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)]) + exif, at: 2)
        return file
    }

    private static func document(_ url: String) -> Data {
        Data(
            """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="24" height="12">\
            <image xlink:href="\(url)" width="24" height="12" preserveAspectRatio="none"/></svg>
            """.utf8)
    }

    private static func url(_ type: String, _ data: Data) -> String {
        "data:\(type);base64,\(data.base64EncodedString())"
    }

    private static let drawing = Data(
        """
        <svg xmlns="http://www.w3.org/2000/svg" width="24" height="12"><rect width="12" height="12" fill="red"/><rect x="12" \
        width="12" height="12" fill="blue"/></svg>
        """.utf8)

    private static func cases() throws -> [(name: String, url: String)] {
        var cases: [(String, String)] = []
        for format in [ImageFormat.png, .jpeg, .gif, .webP, .bmp, .tiff, .avif] {
            for type in [
                format.mediaType, "", "image/png", "image/jpg", "application/octet-stream", "IMAGE/GIF;charset=x",
            ] {
                cases.append(("\(format) called '\(type)'", url(type, try file(format))))
            }
        }
        let text = drawing.base64EncodedString()
        cases.append(("a drawing", "data:image/svg+xml;base64,\(text)"))
        cases.append(("a drawing called a picture", "data:image/png;base64,\(text)"))
        cases.append(("a drawing without a type", "data:;base64,\(text)"))
        let escaped = String(decoding: drawing, as: UTF8.self).addingPercentEncoding(
            withAllowedCharacters: .alphanumerics)
        cases.append(("a drawing as text", "data:image/svg+xml,\(escaped ?? "")"))
        var inner = drawing
        for level in 1...2 {
            inner = document(url("image/svg+xml", inner))
            cases.append(("a drawing in \(level) drawings", url("image/svg+xml", inner)))
        }
        cases.append(("AVIF in a drawing", url("image/svg+xml", document(url("image/avif", try file(.avif))))))
        return cases
    }

    @Test func everyPictureIsDrawnInEveryProcess() throws {
        try Self.withCoders {
            for (name, url) in try Self.cases() {
                let document = Self.document(url)
                guard let here = try? ImageSVGCoder.shared.decode(document, options: .init()) else {
                    Issue.record("\(name) is refused")
                    continue
                }
                #expect(
                    Self.isNear(here, x: 6, y: 6, [255, 0, 0]) && Self.isNear(here, x: 18, y: 6, [0, 0, 255]), "\(name)"
                )
                let there = Result { try Self.isolated.decode(document, options: .init()) }
                guard case .success(let image) = there else {
                    Issue.record("\(name): \(there)")
                    continue
                }
                #expect(here.pixels.isSame(as: image.pixels), "\(name) differs in a decoder process")
            }
        }
    }

    /// Stored with the left half red, the picture is red at the top after its rotation.
    @Test func theOrientationOfAnEmbeddedPictureIsApplied() throws {
        try Self.withCoders {
            let document = Self.document(Self.url("image/jpeg", try Self.turnedJPEG()))
            for coders in [ImageCodersManager(coders: [ImageSVGCoder.shared]), Self.isolated] {
                let image = try coders.decode(document, options: .init())
                for x in [4, 20] {
                    #expect(
                        Self.isNear(image, x: x, y: 2, [255, 0, 0]) && Self.isNear(image, x: x, y: 9, [0, 0, 255]))
                }
            }
        }
    }

    /// More levels than are allowed, and pictures over the limit, are refused everywhere.
    @Test func depthAndPixelsAreLimited() throws {
        try Self.withCoders {
            var deep = Self.drawing
            for _ in 0..<6 { deep = Self.document(Self.url("image/svg+xml", deep)) }
            var options = DecodingOptions()
            options.limits.maxPixels = 500
            let webP = Self.url("image/webp", try Self.file(.webP))
            let many = Data(
                """
                <svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><image href="\(webP)"/><image href="\(webP)"/></svg>
                """.utf8)
            for coders in [ImageCodersManager(coders: [ImageSVGCoder.shared]), Self.isolated] {
                #expect(throws: WebImageError.self) { try coders.decode(deep, options: .init()) }
                let error = #expect(throws: WebImageError.self) { try coders.decode(many, options: options) }
                #expect(error?.code == .limitExceeded)
            }
        }
    }

    private static func isNear(_ image: Image, x: Int, y: Int, _ color: [Int]) -> Bool {
        let pixels = image.pixels
        return pixels.withUnsafeBytes { bytes in
            // The display format stores blue first.
            (0..<3).allSatisfy { abs(Int(bytes[y * pixels.bytesPerRow + x * 4 + 2 - $0]) - color[$0]) <= 6 }
        }
    }
}
