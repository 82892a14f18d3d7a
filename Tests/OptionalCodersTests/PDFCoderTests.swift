import Foundation
import Testing
import WebImage
import WebImagePDF
import WebImageTestSupport
import WebImageTestTraits

/// Draws small documents, which the tests write. Skipped where PDFium is missing: `Scripts/setup test` installs it.
@Suite(.enabled(if: PDFium.isThere)) struct PDFCoderTests {
    /// A page of four colours: red, green, blue and white, from the top left.
    private static let corners = """
        1 0 0 rg 0 50 100 50 re f 0 1 0 rg 100 50 100 50 re f 0 0 1 rg 0 0 100 50 re f 1 1 1 rg 100 0 100 50 re f
        """

    @Test func pagesAreDrawnAtAnySize() throws {
        let data = PDFBytes(pages: [.init(content: Self.corners)]).data
        let info = try ImagePDFCoder.shared.imageInfo(of: data, limits: DecodingLimits())
        #expect(info.storedSize == PixelSize(width: 200, height: 100) && info.frameCount == 1 && info.format == .pdf)
        for (box, width) in [(nil, 200), (50, 50), (1000, 1000)] as [(Int?, Int)] {
            let pixels = try Self.draw(data, box)
            #expect(pixels.width == width && pixels.height == width / 2)
            let colors = [(1, 1), (3, 1), (1, 3), (3, 3)].map { x, y in
                Self.color(pixels, x * pixels.width / 4, y * pixels.height / 4)
            }
            #expect(colors == [[255, 0, 0], [0, 255, 0], [0, 0, 255], [255, 255, 255]])
        }
    }

    /// The part inside the crop box, turned as the document says.
    @Test(arguments: [0, 90, 180, 270, 45]) func cropBoxAndTurnCount(rotation: Int) throws {
        let fields = "/CropBox [0 50 200 100] /Rotate \(rotation)"
        let data = PDFBytes(pages: [.init(content: Self.corners, fields: fields)]).data
        let pixels = try Self.draw(data, nil)
        #expect(try ImagePDFCoder.shared.imageInfo(of: data, limits: .default).storedSize == pixels.size)
        let swaps = rotation == 90 || rotation == 270
        #expect(pixels.width == (swaps ? 50 : 200) && pixels.height == (swaps ? 200 : 50))
        let first = Self.color(pixels, 5, 5)
        #expect(first == (rotation == 90 || rotation == 0 || rotation == 45 ? [255, 0, 0] : [0, 255, 0]))
    }

    /// The unit of a page changes its size on paper, but neither the number of pixels nor a picture of a given size: as in
    /// PDFium and poppler.
    @Test(arguments: [nil, 200] as [Int?]) func unitOfThePageIsNotApplied(box: Int?) throws {
        let pages = ["", "/UserUnit 2"].map { PDFBytes(pages: [.init(content: Self.corners, fields: $0)]).data }
        let sizes = try pages.map { try ImagePDFCoder.shared.imageInfo(of: $0, limits: .default).storedSize }
        #expect(sizes == Array(repeating: PixelSize(width: 200, height: 100), count: 2))
        let colors = try pages.map { page in
            let pixels = try Self.draw(page, box)
            return [(10, 10), (110, 10), (10, 60), (150, 90)].map { Self.color(pixels, $0.0, $0.1) }
        }
        #expect(colors[0] == colors[1] && colors[0][1] == [0, 255, 0])
    }

    @Test func eachPageHasItsOwnSize() throws {
        let pages = [(200, 100), (40, 30), (10, 300)].map { width, height in
            PDFBytes.Page(content: "0 1 0 rg 0 0 \(width) \(height) re f", width: width, height: height)
        }
        let coder = try ImagePDFCoder(animation: PDFBytes(pages: pages).data, options: DecodingOptions())
        #expect(coder.animatedImageFrameCount == 3)
        #expect(try (0..<3).map { try coder.frame(at: $0).pixels.width } == [200, 40, 10])
        #expect(throws: WebImageError.self) { try coder.frame(at: 3) }
    }

    /// A load shows the first page and no animation.
    @Test func pagesAreNoAnimation() async throws {
        let coders = ImageCodersManager(coders: [ImagePDFCoder.shared])
        let pages = [PDFBytes.Page(content: Self.corners), .init(content: "")]
        let image = try coders.decode(PDFBytes(pages: pages).data, options: DecodingOptions())
        #expect(!image.isAnimated && image.isVector)
    }

    @Test func backgroundIsWhiteOrTransparent() throws {
        let data = PDFBytes(pages: [.init(content: "1 0 0 rg 0 0 50 100 re f")]).data
        #expect(try Self.color(Self.draw(data, nil), 150, 50) == [255, 255, 255])
        #expect(try !ImagePDFCoder.shared.decode(data, options: DecodingOptions()).hasAlpha)
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let image = try ImagePDFCoder(isTransparent: true).decode(data, options: options)
        let alphas = image.pixels.withUnsafeBytes { bytes in
            [10, 150].map { bytes[50 * image.pixels.bytesPerRow + $0 * 4 + 3] }
        }
        #expect(image.hasAlpha && alphas == [255, 0])
    }

    /// PDFium leaves pixels of text a little transparent where a bitmap has alpha.
    @Test func textOnWhiteIsOpaque() throws {
        let font = "/Resources << /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
        let page = PDFBytes.Page(
            content: "1 1 0 rg 0 0 200 100 re f 0 g BT /F 40 Tf 8 20 Td (abcdef) Tj ET", fields: font)
        let pixels = try ImagePDFCoder.shared.decode(PDFBytes(pages: [page]).data, options: DecodingOptions()).pixels
        let (dark, clear) = pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).reduce(into: (0, 0)) { counts, y in
                for x in 0..<pixels.width {
                    counts.0 += bytes[y * pixels.bytesPerRow + x * 4 + 1] < 64 ? 1 : 0
                    counts.1 += bytes[y * pixels.bytesPerRow + x * 4 + 3] < 255 ? 1 : 0
                }
            }
        }
        #expect(dark > 300 && clear == 0)
    }

    /// Half transparent colours keep their colour on a transparent background.
    @Test func transparentColorsAreStraight() throws {
        let page = PDFBytes.Page(
            content: "/G gs 1 0 0 rg 0 0 200 100 re f", fields: "/Resources << /ExtGState << /G << /ca 0.5 >> >> >>")
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        let pixels = try ImagePDFCoder(isTransparent: true).decode(PDFBytes(pages: [page]).data, options: options)
            .pixels
        let color = pixels.withUnsafeBytes { bytes in (0..<4).map { Int(bytes[20 * pixels.bytesPerRow + 80 + $0]) } }
        #expect(color[0] >= 254 && color[1] <= 1 && abs(color[3] - 128) <= 1)
    }

    @Test func damagedDocumentsAreErrors() throws {
        let data = PDFBytes(pages: [.init(content: Self.corners)]).data
        for damaged in [data.prefix(100), Data("%PDF-1.7 and nothing else".utf8), PDFBytes(pages: []).data] {
            let error = #expect(throws: WebImageError.self) {
                try ImagePDFCoder.shared.decode(damaged, options: DecodingOptions())
            }
            #expect(error?.code == .badImageData)
        }
        // A crop box outside of the page.
        let outside = PDFBytes(pages: [.init(content: "", fields: "/CropBox [900 900 950 950]")]).data
        _ = try? ImagePDFCoder.shared.decode(outside, options: DecodingOptions())
    }

    @Test func limitsAreCheckedBeforeTheDrawing() throws {
        let data = PDFBytes(pages: [.init(content: Self.corners)]).data
        var options = DecodingOptions()
        options.thumbnailPixelSize = PixelSize(width: 4000, height: 4000)
        options.limits.maxPixels = 1_000_000
        let error = #expect(throws: WebImageError.self) { try ImagePDFCoder.shared.decode(data, options: options) }
        #expect(error?.code == .limitExceeded)
    }

    @Test func severalThreadsDrawAtTheSameTime() async throws {
        let data = PDFBytes(pages: [.init(content: Self.corners)]).data
        let expected = try Self.color(Self.draw(data, 80), 10, 10)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 {
                group.addTask { try Self.color(Self.draw(data, 80), 10, 10) == expected }
            }
            for try await isEqual in group { #expect(isEqual) }
        }
    }

    private static func draw(_ data: Data, _ box: Int?) throws -> PixelBuffer {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        options.thumbnailPixelSize = box.map { PixelSize(width: $0, height: $0) }
        return try ImagePDFCoder.shared.decode(data, options: options).pixels
    }

    private static func color(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> [Int] {
        pixels.withUnsafeBytes { bytes in (0..<3).map { Int(bytes[y * pixels.bytesPerRow + x * 4 + $0]) } }
    }
}
