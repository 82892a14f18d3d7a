import Foundation
import Testing
import WebImage
import WebImageCodecs
import WebImagePDF
import WebImageTIFF
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting
import WebImageVideo

@testable import WebImageService

/// The option `page`: documents of pages, and animations.
@Suite struct ResultPageTests {
    private typealias Fix = PictureFixtures

    private static let coders = ImageCodersManager(coders: [
        ImagePNGCoder.shared, ImageGIFCoder.shared, ImageWebPCoder.shared, ImageTIFFCoder.shared, ImagePDFCoder.shared,
        ImageVideoCoder.shared,
    ])

    /// The sides of the pages, which are red, green and blue.
    private static let sizes = [
        PixelSize(width: 80, height: 40), .init(width: 30, height: 60), .init(width: 40, height: 40),
    ]
    private static let colors = [Fix.red, Fix.green, Fix.blue]

    private static func tiff() throws -> Data {
        try file(
            zip(sizes, colors).map { size, color in
                try Image.generated(width: size.width, height: size.height) { _, _ in color }
            })
    }

    private static func file(_ pages: [Image]) throws -> Data {
        let frames = pages.map { ImageFrame(image: $0, duration: 0) }
        return try ImageTIFFCoder.shared.encode(frames, loopCount: 0, format: .tiff, options: EncodingOptions())
    }

    private static func pdf() -> Data {
        let colors = ["1 0 0", "0 1 0", "0 0 1"]
        return PDFBytes(
            pages: zip(sizes, colors).map { size, color in
                .init(
                    content: "\(color) rg 0 0 \(size.width) \(size.height) re f", width: size.width, height: size.height
                )
            }
        ).data
    }

    private func result(_ options: String, _ source: Data) throws -> (image: Image, frameCount: Int) {
        var renderer = ResultRenderer(options: try Fix.options(options))
        renderer.coders = Self.coders
        let made = try renderer.make(from: source)
        let image = try Self.coders.decode(made.data, options: DecodingOptions())
        #expect(made.size == image.pixelSize)
        return (image, image.imageFrameCount)
    }

    private func check(_ source: Data) throws {
        // Page, options, size of the result: each page has its own size, also for fractions and edges of a crop.
        let rows: [(page: Int, options: String, size: PixelSize)] = [
            (0, "", Self.sizes[0]), (1, "", Self.sizes[1]), (2, "", Self.sizes[2]),
            (1, "rs:fit:15:15", PixelSize(width: 8, height: 15)), (0, "rs:fit:15:15", PixelSize(width: 15, height: 8)),
            (1, "rs:fill:10:10", PixelSize(width: 10, height: 10)), (1, "rot:90", Self.sizes[1].swapped),
            (2, "c:0.5:10", PixelSize(width: 20, height: 10)), (1, "ar:0", Self.sizes[1]),
        ]
        for row in rows {
            let (image, _) = try result("pg:\(row.page)/\(row.options.isEmpty ? "" : row.options + "/")f:png", source)
            #expect(image.pixelSize == row.size, "\(row)")
            let middle = CGPoint(x: row.size.width / 2, y: row.size.height / 2)
            let color = try #require(image.color(at: middle))
            let channels = [color.red, color.green, color.blue]
            for channel in 0..<3 { #expect((channels[channel] > 0.9) == (channel == row.page), "\(row): \(channels)") }
        }
    }

    @Test func pagesOfTIFFHaveTheirOwnSize() throws { try check(try Self.tiff()) }

    @Test(.enabled(if: PDFium.isThere)) func pagesOfPDFHaveTheirOwnSize() throws {
        try check(Self.pdf())
        // A page is drawn at the size of the result: the edge of a shape stays sharp.
        let half = PDFBytes(pages: [.init(content: ""), .init(content: "0 g 0 0 50 100 re f", width: 100, height: 100)])
        let (image, _) = try result("pg:1/el:1/rs:force:1000:1000/f:png", half.data)
        let reds = try [497, 502].map { try #require(image.color(at: CGPoint(x: $0, y: 500))).red }
        #expect(reds == [0, 1])
    }

    /// As the border of a still, that of the page is removed.
    @Test func borderOfAPageIsTrimmed() throws {
        let pages = try (0..<2).map { index in
            try Image.generated(width: 60, height: 50) { x, y in
                index == 1 && (20..<40).contains(x) && (10..<20).contains(y) ? Fix.blue : Fix.white
            }
        }
        let source = try Self.file(pages)
        #expect(try result("pg:1/t:10/f:png", source).image.pixelSize == PixelSize(width: 20, height: 10))
    }

    @Test(arguments: [ImageFormat.gif, .webP]) func frameOfAnAnimationIsAStill(format: ImageFormat) throws {
        let source = try Fix.animation(format, frames: 3)
        let (image, frameCount) = try result("page:1/rs:fit:16:16/f:webp", source)
        let color = try #require(image.color(at: CGPoint(x: 8, y: 8)))
        #expect(frameCount == 1 && image.pixelSize == PixelSize(width: 16, height: 16) && color.blue > 0.8)
        #expect(try result("page:0/f:webp", source).frameCount == 3)
        // The file itself has all frames, so it is not the result.
        #expect(try result("pg:2/skp:gif:webp/f:\(format == .gif ? "gif" : "webp")", source).frameCount == 1)
    }

    @Test func pageThatDoesNotExistIsRefused() throws {
        let sources = [try Self.tiff(), try Fix.animation(.gif, frames: 3), try Fix.quadrants()]
        for (source, count) in zip(sources, [3, 3, 1]) {
            let refusal = #expect(throws: ServiceRefusal.self) { try result("pg:\(count)/f:png", source) }
            #expect(refusal?.status == 400 && refusal?.option == "page")
            #expect(refusal?.message.contains("has \(count) of them") == true)
        }
    }

    @Test(.enabled(if: VideoSample.isThere)) func previewsOfAVideoAreNoPages() throws {
        let refusal = #expect(throws: ServiceRefusal.self) {
            try result("pg:1/f:png", try VideoSample.ofDecoders[0].data)
        }
        #expect(refusal?.option == "page")
    }

    @Test func pageIsPartOfTheKeyAndOfNoSharedDecode() throws {
        #expect(try Fix.options("pg:1").keyText != Fix.options("pg:2").keyText)
        #expect(try Fix.options("pg:0/q:50").keyText == Fix.options("q:50").keyText)
        var info = ImageInfo(format: .jpeg, storedSize: PixelSize(width: 9, height: 9))
        info.frameCount = 1
        #expect(try ResultRenderer(options: Fix.options("f:png")).decodeKey(for: info) != nil)
        #expect(try ResultRenderer(options: Fix.options("pg:1/f:png")).decodeKey(for: info) == nil)
    }
}
