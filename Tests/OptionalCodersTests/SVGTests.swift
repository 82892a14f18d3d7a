import Foundation
import Testing
import WebImage
import WebImageSVG
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The sizes of SVG documents, and their isolation: a document cannot load other files or URLs.
@Suite(.timeLimit(minutes: 2))
struct SVGTests {
    private let coder = ImageSVGCoder.shared

    private func svg(_ attributes: String, _ content: String = #"<rect width="10" height="10" fill="red"/>"#) -> Data {
        Data(
            #"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" \#(attributes)>\#(content)</svg>"#
                .utf8)
    }

    private func size(_ data: Data, box: PixelSize? = nil, preserve: Bool = true) throws -> PixelSize {
        var options = DecodingOptions()
        options.thumbnailPixelSize = box
        options.preserveAspectRatio = preserve
        return try coder.decode(data, options: options).pixelSize
    }

    @Test func documentsOwnSizeIsUsedWithoutATargetSize() throws {
        #expect(try size(svg(#"width="30" height="20""#)) == PixelSize(width: 30, height: 20))
        #expect(try size(svg(#"viewBox="0 0 131 76""#)) == PixelSize(width: 131, height: 76))
        #expect(try size(svg(#"width="64" viewBox="0 0 32 64""#)) == PixelSize(width: 64, height: 128))
        #expect(try size(svg(#"height="32" viewBox="0 0 32 64""#)) == PixelSize(width: 16, height: 32))
        #expect(try size(svg(#"width="1in" height="25.4mm""#)) == PixelSize(width: 96, height: 96))
        #expect(try size(svg("")) == PixelSize(width: 10, height: 10))
    }

    /// A length in `em` is a number of font sizes (SVG 2, §8.9).
    @Test(arguments: [
        ("2em", "1em", "20", 40, 20), ("2ex", "20", "20", 20, 20), ("2em", "1em", "", 32, 16),
        ("30em", "20", "", 480, 20),
    ])
    func fontSizeCounts(width: String, height: String, font: String, wide: Int, high: Int) throws {
        let attribute = font.isEmpty ? "" : "font-size=\"\(font)\""
        let document = """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" \(attribute)>\
            <rect width="\(wide)" height="\(high)" fill="lime"/></svg>
            """
        let image = try coder.decode(Data(document.utf8), options: DecodingOptions())
        #expect(image.pixelSize == PixelSize(width: wide, height: high))
        // The drawing has the size of the picture.
        for (x, y) in [(0, 0), (wide - 1, 0), (0, high - 1), (wide - 1, high - 1)] {
            #expect(image.color(at: CGPoint(x: x, y: y))?.hexString == "#ff00ff00", "\(x), \(y)")
        }
    }

    @Test func vectorIsDrawnLargerAndSmaller() throws {
        let document = svg(#"viewBox="0 0 10 20""#)
        let box = PixelSize(width: 100, height: 100)
        #expect(try size(document, box: box) == PixelSize(width: 50, height: 100))
        #expect(try size(document, box: box, preserve: false) == box)
    }

    // SDImageCoderTests.test31ThatSVGShouldUseNativeImageClass
    @Test func imageReportsThatItIsAVector() throws {
        let image = try coder.decode(svg(#"viewBox="0 0 10 10""#), options: DecodingOptions())
        #expect(image.isVector)
        #expect(image.imageFormat == .svg)
        #expect(!((coder as Any) is any AnimatedImageCoder))
    }

    @Test func pixelsArePremultipliedAndInTheRightOrder() throws {
        let document = svg(#"width="4" height="4""#, #"<rect width="4" height="4" fill="red" fill-opacity="0.5"/>"#)
        let image = try coder.decode(document, options: DecodingOptions())
        let pixel = image.pixels.withUnsafeBytes { Array($0[0..<4]) }
        #expect(pixel[0] == 0 && pixel[1] == 0)
        #expect(abs(Int(pixel[2]) - 128) <= 1 && abs(Int(pixel[3]) - 128) <= 1)
    }

    @Test func aDocumentTooLargeToDrawIsRefused() {
        let document = svg(#"width="100000" height="100000""#)
        #expect(throws: WebImageError.self) { try coder.decode(document, options: DecodingOptions()) }
    }

    @Test func nothingOutsideTheDocumentIsOpened() throws {
        // The file exists and contains a blue square. If the coder reads the file, the image contains blue pixels.
        let scratch = try ScratchFolder()
        let outside = scratch.url.appendingPathComponent("blue.svg")
        try svg(#"width="8" height="8""#, #"<rect width="8" height="8" fill="blue"/>"#).write(to: outside)
        for reference in [outside.absoluteString, outside.path, "http://127.0.0.1:9/x.svg"] {
            let document = svg(
                #"width="8" height="8""#, #"<image xlink:href="\#(reference)" width="8" height="8"/>"#)
            let image = try coder.decode(document, options: DecodingOptions())
            #expect(image.pixels.withUnsafeBytes { $0[0..<4].allSatisfy { $0 == 0 } }, "\(reference)")
        }
        let entity = Data(
            #"<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY x SYSTEM "\#(outside.absoluteString)">]><svg xmlns="http://www.w3.org/2000/svg" width="8" height="8">&x;</svg>"#
                .utf8)
        if let image = try? coder.decode(entity, options: DecodingOptions()) {
            #expect(image.pixels.withUnsafeBytes { $0[0..<4].allSatisfy { $0 == 0 } })
        }
    }

    @Test func anEntityBombEndsQuickly() {
        var text = "<?xml version=\"1.0\"?><!DOCTYPE svg [<!ENTITY a0 \"lol\">"
        for level in 1..<10 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        text += #"]><svg xmlns="http://www.w3.org/2000/svg" width="64" height="64"><text y="20">&a9;</text></svg>"#
        let units = ProcessorTime.units { _ = try? coder.decode(Data(text.utf8), options: DecodingOptions()) }
        #expect(units < 1500)
    }

    @Test func largeNestedPictureThrowsALimit() throws {
        // This PNG header declares 20,000 × 20,000 px. librsvg would decode such an image without a check of its size.
        var png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13])
        png += Data("IHDR".utf8) + Data([0, 0, 0x4E, 0x20, 0, 0, 0x4E, 0x20, 8, 6, 0, 0, 0, 0, 0, 0, 0])
        #expect(ImageCodersManager.shared.canDecode(from: png))
        let document = svg(
            #"width="8" height="8""#,
            #"<image xlink:href="data:image/png;base64,\#(png.base64EncodedString())" width="8" height="8"/>"#)
        let error = #expect(throws: WebImageError.self) { try coder.decode(document, options: DecodingOptions()) }
        #expect(error?.code == .limitExceeded)
        let hidden = svg(
            #"width="8" height="8""#, ##"<image xlink:href="&#100;ata:image/png;base64,AAAA" width="8" height="8"/>"##)
        #expect(throws: WebImageError.self) { try coder.decode(hidden, options: DecodingOptions()) }
    }

    @Test func compressedDocumentIsReadWithinTheLimit() throws {
        let packed = try gzip(svg(#"width="30" height="20""#))
        #expect(coder.canDecode(from: packed))
        #expect(try size(packed) == PixelSize(width: 30, height: 20))
        let bomb = try gzip(svg(#"width="30" height="20""#, String(repeating: " ", count: 3_000_000)))
        var options = DecodingOptions()
        options.limits.maxEncodedBytes = 1_000_000
        let error = #expect(throws: WebImageError.self) { try coder.decode(bomb, options: options) }
        #expect(error?.code == .limitExceeded)
        #expect(!coder.canDecode(from: try gzip(Data("no picture".utf8))))
        #expect(throws: WebImageError.self) { try coder.decode(packed.prefix(40), options: DecodingOptions()) }
    }

    /// A document in UTF-16 with a byte order mark, which browsers show, is drawn as its form in UTF-8.
    @Test(arguments: [true, false]) func documentInUTF16IsDrawnAsInUTF8(isBigEndian: Bool) throws {
        func wide(_ text: String) -> Data {
            ("\u{FEFF}" + text).utf16.reduce(into: Data()) { data, unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                data += isBigEndian ? [high, low] : [low, high]
            }
        }
        func pixels(_ data: Data) throws -> Data {
            let image = try coder.decode(data, options: DecodingOptions())
            return image.pixels.withUnsafeBytes { Data($0) }
        }
        let body =
            "<!-- größer 𝄞 --><svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'>"
            + "<style>.ü{fill:#0a0}</style><title>☃</title><rect class='ü' width='9' height='9'/></svg>"
        let declared = ["UTF-16", "utf-8", "UTF-16LE"].map { "<?xml version='1.0' encoding='\($0)'?>\n" + body }
        let plain = try pixels(Data(body.utf8))
        #expect(Set(plain).count > 2)
        for text in [body, "\n  " + body] + declared {
            let document = wide(text)
            #expect(ImageFormat(sniffing: document) == .svg && coder.canDecode(from: document))
            #expect(try coder.imageInfo(of: document, limits: .default).storedSize == PixelSize(width: 20, height: 10))
            #expect(try pixels(document) == plain)
            let packed = try gzip(document)
            #expect(coder.canDecode(from: packed))
            #expect(try pixels(packed) == plain)
        }
        // One inside another one.
        let inner = wide(body).base64EncodedString()
        let outer = wide(
            "<svg xmlns='http://www.w3.org/2000/svg' width='20' height='10'>"
                + "<image width='20' height='10' href='data:image/svg+xml;base64,\(inner)'/></svg>")
        #expect(try pixels(outer) == plain)
        // Damaged ones, and what only begins like one.
        let whole = wide(body)
        let start = "<svg xmlns='http://www.w3.org/2000/svg'><title>"
        let lone = wide(start) + Data([0xD8, 0xD8]) + wide("</title></svg>")
        for damaged in [whole.dropLast(), whole.prefix(whole.count / 2), lone] {
            #expect(throws: WebImageError.self) { try coder.decode(Data(damaged), options: DecodingOptions()) }
        }
        for other in [wide("svg"), wide("<html>"), wide(""), whole.prefix(1), whole.prefix(3), wide("<!-- <svg> ")] {
            #expect(ImageFormat(sniffing: Data(other)) == .undefined)
        }
        // Three bytes for each two: the limit counts the larger form.
        let title = String(repeating: "☃", count: 400)
        let long = wide("<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'><title>\(title)</title></svg>")
        var options = DecodingOptions()
        options.limits.maxEncodedBytes = long.count + 100
        let error = #expect(throws: WebImageError.self) { try coder.decode(long, options: options) }
        #expect(error?.code == .limitExceeded)
        // The same checks apply.
        let reference = wide(
            "<svg xmlns='http://www.w3.org/2000/svg' xmlns:x='http://www.w3.org/2001/XInclude' width='9' height='9'/>")
        #expect(throws: WebImageError.self) { try coder.decode(reference, options: DecodingOptions()) }
    }

    private func gzip(_ data: Data) throws -> Data {
        let input = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try data.write(to: input)
        defer { try? FileManager.default.removeItem(at: input) }
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["gzip", "-c", input.path]
        process.standardOutput = output
        try process.run()
        let packed = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return packed
    }
}
