import Foundation
import Testing
import WebImage
import WebImagePDF
import WebImageTestSupport
import WebImageTestTraits

/// The facts of documents, the shapes of their pictures, and what is refused before a page is drawn.
@Suite(.enabled(if: PDFium.isThere)) struct PDFPageTests {
    private static let corners = """
        1 0 0 rg 0 50 100 50 re f 0 1 0 rg 100 50 100 50 re f 0 0 1 rg 0 0 100 50 re f 1 1 1 rg 100 0 100 50 re f
        """
    private static let data = PDFBytes(pages: [.init(content: corners)]).data

    private static func color(_ image: Image, _ x: Int, _ y: Int) -> [Int] {
        let pixels = image.pixels
        return pixels.withUnsafeBytes { bytes in (0..<4).map { Int(bytes[y * pixels.bytesPerRow + x * 4 + $0]) } }
    }

    private static func decode(_ data: Data, _ change: (inout DecodingOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodingOptions()
        options.pixelFormat = .rgba8
        change(&options)
        return try ImagePDFCoder.shared.decode(data, options: options)
    }

    // MARK: Facts

    @Test func informationIsThatOfTheFirstPage() throws {
        let pages = [(30, 20), (200, 100), (70, 80)].map { PDFBytes.Page(content: "", width: $0.0, height: $0.1) }
        let info = try ImagePDFCoder.shared.imageInfo(of: PDFBytes(pages: pages).data, limits: .default)
        #expect(info.storedSize == PixelSize(width: 30, height: 20) && info.frameCount == 3)
    }

    /// A size in whole pixels contains the page, but a rounding error makes it no larger.
    @Test(arguments: [("200.0005", 200), ("200.4", 201), ("199.6", 200)])
    func sizesAreRoundedUp(width: String, pixels: Int) throws {
        let page = PDFBytes.Page(content: "", width: 300, fields: "/CropBox [0 0 \(width) 100]")
        #expect(try Self.decode(PDFBytes(pages: [page]).data).pixels.width == pixels)
    }

    @Test func thumbnailsKnowTheSizeOfThePage() throws {
        let image = try Self.decode(Self.data) { $0.thumbnailPixelSize = PixelSize(width: 50, height: 50) }
        #expect(image.pixelSize == PixelSize(width: 50, height: 25))
        #expect(image.sourcePixelSize == PixelSize(width: 200, height: 100))
    }

    // MARK: Pictures

    /// A size of another shape stretches the page.
    @Test func pagesAreStretchedOnRequest() throws {
        let image = try Self.decode(Self.data) {
            $0.thumbnailPixelSize = PixelSize(width: 100, height: 120)
            $0.preserveAspectRatio = false
        }
        #expect(image.pixelSize == PixelSize(width: 100, height: 120))
        let colors = [(25, 30), (75, 30), (25, 90), (75, 90)].map { Self.color(image, $0.0, $0.1) }
        #expect(colors == [[255, 0, 0, 255], [0, 255, 0, 255], [0, 0, 255, 255], [255, 255, 255, 255]])
    }

    /// A region is for pictures with pixels. A drawing is whole, as with SVG.
    @Test func regionsDoNotCutPages() throws {
        let image = try Self.decode(Self.data) {
            $0.sourceRegion = PixelRegion(left: 100, top: 0, width: 100, height: 50)
            $0.thumbnailPixelSize = PixelSize(width: 200, height: 100)
        }
        #expect(Self.color(image, 20, 20) == [255, 0, 0, 255] && Self.color(image, 150, 20) == [0, 255, 0, 255])
    }

    @Test func annotationsAreDrawn() throws {
        let note = "/Annots [<< /Type /Annot /Subtype /Square /Rect [20 20 180 80] /C [0 0 1] /IC [0 0 1] /F 4 >>]"
        let page = PDFBytes.Page(content: "1 0 0 rg 0 0 200 100 re f", fields: note)
        let image = try Self.decode(PDFBytes(pages: [page]).data)
        #expect(Self.color(image, 100, 50) == [0, 0, 255, 255] && Self.color(image, 5, 5) == [255, 0, 0, 255])
    }

    /// Half transparent colours, as they are and multiplied by alpha.
    @Test(arguments: [PixelFormat.rgba8, .bgra8Premultiplied])
    func colorsAreMultipliedByAlphaOnce(format: PixelFormat) throws {
        let page = PDFBytes.Page(
            content: "/G gs 0.8 0 0 rg 0 0 200 100 re f", fields: "/Resources << /ExtGState << /G << /ca 0.5 >> >> >>")
        var options = DecodingOptions()
        options.pixelFormat = format
        let image = try ImagePDFCoder(isTransparent: true).decode(PDFBytes(pages: [page]).data, options: options)
        let color = Self.color(image, 50, 50)
        #expect(abs(color[format == .rgba8 ? 0 : 2] - (format == .rgba8 ? 204 : 102)) <= 2, "\(color)")
        #expect(abs(color[3] - 128) <= 1)
    }

    /// PDFium draws in either order of colours. Everything that it draws has the same colours in both, on white and on a
    /// transparent background.
    @Test(arguments: [
        "1 0.5 0 rg 10 10 80 60 re f 0 0.2 0.9 RG 7 w 20 90 m 90 20 180 90 190 10 c S", "/S sh",
        "/F gs 0 0.3 1 rg 0 0 150 90 re f",
        "1 0.8 0 rg 0 0 200 100 re f /M gs 0.2 0.6 1 rg 50 20 100 60 re f",
        "q 90 0 0 60 20 20 cm BI /W 2 /H 2 /BPC 8 /CS /RGB /F /AHx ID FF8000 00C040 2030F0 F0F0A0> EI Q",
        "1 0 0 0 k 0 0 100 100 re f BT /T 40 Tf 0.9 0.1 0 rg 8 20 Td (abcdef) Tj ET",
    ]) func orderOfColorsChangesNone(content: String) throws {
        let resources =
            "/Resources << /ExtGState << /F << /ca 0.5 >> /M << /BM /Multiply >> >> /Font << /T << /Type /Font /Subtype /Type1 "
            + "/BaseFont /Helvetica >> >> /Shading << /S << /ShadingType 2 /ColorSpace /DeviceRGB /Coords [0 0 200 0] /Function "
            + "<< /FunctionType 2 /Domain [0 1] /C0 [1 0.2 0] /C1 [0 0.3 1] /N 1 >> >> >> >> /Group << /S /Transparency >>"
        let data = PDFBytes(pages: [.init(content: content, fields: resources)]).data
        for coder in [ImagePDFCoder(), ImagePDFCoder(isTransparent: true)] {
            let (straight, shown) = try (
                Self.pixels(of: data, coder, .rgba8), Self.pixels(of: data, coder, .bgra8Premultiplied)
            )
            #expect(Set(straight).count > 1)
            let differ = zip(straight, shown).count { straight, shown in
                let alpha = Int(straight[3])
                return alpha != Int(shown[3])
                    || (0..<3).contains { abs(Int(straight[$0]) * alpha - Int(shown[2 - $0]) * 255) > 255 }
            }
            #expect(differ == 0)
        }
    }

    private static func pixels(of data: Data, _ coder: ImagePDFCoder, _ format: PixelFormat) throws -> [[UInt8]] {
        var options = DecodingOptions()
        options.pixelFormat = format
        let pixels = try coder.decode(data, options: options).pixels
        return pixels.withUnsafeBytes { bytes in
            (0..<pixels.height).flatMap { y in
                (0..<pixels.width).map { x in
                    let place = y * pixels.bytesPerRow + x * 4
                    return Array(bytes[place..<place + 4])
                }
            }
        }
    }

    // MARK: Refusals

    /// The document needs a password, of which the file has a check that no password passes.
    @Test func passwordIsNamed() throws {
        let key = String(repeating: "5A", count: 32)
        let entry =
            "/Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /O <\(key)> /U <\(key)> /P -4 >> /ID [<0102> <0102>]"
        let text = String(decoding: Self.data, as: UTF8.self).replacing("trailer\n<< ", with: "trailer\n<< \(entry) ")
        for call in [
            { _ = try ImagePDFCoder.shared.decode(Data(text.utf8), options: DecodingOptions()) },
            { _ = try ImagePDFCoder.shared.imageInfo(of: Data(text.utf8), limits: .default) },
        ] as [() throws -> Void] {
            let error = #expect(throws: WebImageError.self) { try call() }
            #expect(error?.code == .badImageData && error?.description.contains("password") == true)
        }
    }

    /// Each failure of a document has words of its own.
    @Test func unknownProtectionAndDamageAreNamed() throws {
        let entry = "/Encrypt << /Filter /Other /V 9 /R 9 >> /ID [<0102> <0102>]"
        let text = String(decoding: Self.data, as: UTF8.self).replacing("trailer\n<< ", with: "trailer\n<< \(entry) ")
        for (data, words) in [
            (Data(text.utf8), "protected in an unknown way"), (Data("%PDF-1.7 nothing".utf8), "damaged"),
        ] {
            for call in [
                { _ = try ImagePDFCoder.shared.decode(data, options: DecodingOptions()) },
                { _ = try ImagePDFCoder.shared.imageInfo(of: data, limits: .default) },
            ] as [() throws -> Void] {
                let error = #expect(throws: WebImageError.self) { try call() }
                #expect(error?.code == .badImageData && error?.description.contains(words) == true, "\(error as Any)")
            }
        }
    }

    /// A side of a million points or more is none, whatever the limits allow.
    @Test(arguments: [("999999", true), ("1000001", false)]) func endlessPagesAreRefused(width: String, isRead: Bool)
        throws
    {
        let data = PDFBytes(pages: [.init(content: "", width: 2_000_000, fields: "/CropBox [0 0 \(width) 1]")]).data
        var limits = DecodingLimits()
        (limits.maxSide, limits.maxPixels) = (1 << 24, 1 << 40)
        let info = Result { try ImagePDFCoder.shared.imageInfo(of: data, limits: limits) }
        #expect(((try? info.get()) != nil) == isRead, "\(info)")
        if case .failure(let error) = info { #expect((error as? WebImageError)?.code == .badImageData) }
    }

    @Test func aPageWithoutSizeIsRefused() throws {
        let data = PDFBytes(pages: [.init(content: "", fields: "/CropBox [900 900 950 950]")]).data
        let error = #expect(throws: WebImageError.self) { try Self.decode(data) }
        #expect(error?.code == .badImageData && error?.description.contains("no size") == true)
        #expect(throws: WebImageError.self) { try ImagePDFCoder.shared.imageInfo(of: data, limits: .default) }
    }

    @Test func limitsOfTheDrawingAreKept() throws {
        let bytes = 200 * 100 * 12
        _ = try Self.decode(Self.data) { $0.limits.maxDecodeBytes = bytes }
        let changes: [(inout DecodingLimits) -> Void] = [
            { $0.maxDecodeBytes = bytes - 1 }, { $0.maxEncodedBytes = Self.data.count - 1 },
            { $0.maxDecodeTime = .nanoseconds(1) }, { $0.maxPixels = 19_999 }, { $0.maxSide = 199 },
        ]
        for change in changes {
            let error = #expect(throws: WebImageError.self) { try Self.decode(Self.data) { change(&$0.limits) } }
            #expect(error?.code == .limitExceeded)
        }
    }

    @Test func limitsOfTheDocumentAreKept() throws {
        var options = DecodingOptions()
        options.limits.maxFrameCount = 1
        options.limits.maxPixels = 19_999
        let two = PDFBytes(pages: [.init(content: "", width: 2), .init(content: "")]).data
        let error = #expect(throws: WebImageError.self) { try ImagePDFCoder(animation: two, options: options) }
        #expect(error?.code == .limitExceeded)
        let other = #expect(throws: WebImageError.self) {
            try ImagePDFCoder.shared.imageInfo(of: Self.data, limits: options.limits)
        }
        #expect(other?.code == .limitExceeded)
    }
}
