import Foundation
import Testing
import WebImage
import WebImageSVG
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests which parts of an SVG reach a browser, and when an SVG stays an SVG.
@Suite(.timeLimit(minutes: 2))
struct SVGSanitizerTests {
    private static let head =
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\""

    private func sanitized(_ text: String) -> String? {
        SVGSanitizer.sanitized(Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns the sanitised content of an SVG with the given content.
    private func content(_ text: String) -> String? {
        guard let result = sanitized("<svg>\(text)</svg>") else { return nil }
        let prefix = Self.head + ">"
        guard result.hasPrefix(prefix), result.hasSuffix("</svg>") else { return "?" + result }
        return String(result.dropFirst(prefix.count).dropLast(6))
    }

    static let kept = [
        "<g id=\"a\" transform=\"rotate(3)\"><path d=\"M0 0L1 1\" fill=\"url(#b)\"></path></g>",
        "<style>.a{fill:#f00;mask:url(#m)}</style>", "<text xml:space=\"preserve\">a &lt; b &amp; c</text>",
        "<use xlink:href=\"#a\"></use>", "<image href=\"data:image/png;base64,AAAA\"></image>",
        "<animateTransform attributeName=\"transform\" type=\"rotate\"></animateTransform>",
        "<filter><feImage href=\"#x\"></feImage></filter>", "<title>Größe ▶</title>",
        "<rect style=\"fill:red;stroke:blue\" font-family=\"A, 'B'\"></rect>",
    ]

    @Test(arguments: kept) func harmlessContentIsKept(text: String) { #expect(content(text) == text) }

    static let removed: [(text: String, result: String)] = [
        ("<script>alert(1)</script><g/>", "<g></g>"), ("<g onload=\"x()\" oNcLick='y' id=\"a\"/>", "<g id=\"a\"></g>"),
        ("<foreignObject><body xmlns=\"http://www.w3.org/1999/xhtml\"><script/></body></foreignObject>", ""),
        ("<a href=\"javascript:alert(1)\"><path/></a>", "<g><path></path></g>"),
        ("<use href=\"http://evil.example/a.svg#b\"/>", "<use></use>"),
        ("<use xlink:href=\"data:image/svg+xml;base64,AA\"/>", "<use></use>"),
        ("<image href=\"https://evil.example/a.png\"/>", "<image></image>"),
        ("<image href=\"data:image/svg+xml;base64,AA\"/>", "<image></image>"),
        ("<image href=\"data:text/html,x\"/>", "<image></image>"),
        ("<image href=\"java&#115;cript:alert(1)\"/>", "<image></image>"),
        ("<style>@import 'http://evil.example/a.css';</style>", ""),
        ("<style>a{background:url(http://evil.example)}</style>", ""), ("<style>a{b:u\\72l(x)}</style>", ""),
        ("<style>a{b:u/**/rl(http://evil)}</style>", ""),
        ("<style>a{b:url/**/(http://evil)}</style>", ""), ("<style>a{b:image-set('http://e' 1x)}</style>", ""),
        ("<rect fill=\"url(http://evil.example/a#b)\"/>", "<rect></rect>"),
        ("<rect style=\"behavior:url(x)\"/>", "<rect></rect>"),
        ("<rect style=\"-moz-binding:url(#x)\"/>", "<rect></rect>"),
        ("<animate attributeName=\"href\" values=\"javascript:alert(1)\"/>", ""),
        ("<animate attributeName=\"xlink:href\" to=\"x\"/>", ""), ("<set attributeName=\"onclick\" to=\"x\"/>", ""),
        ("<iframe src=\"x\"/><embed/><object/><form/><handler/><listener/><link/><meta/><audio/><video/>", ""),
        ("<metadata><rdf:RDF>x</rdf:RDF></metadata><sodipodi:namedview inkscape:zoom=\"1\"/>", ""),
        ("<g xmlns:x=\"y\" x:onload=\"z\" sodipodi:role=\"line\"/>", "<g></g>"),
        ("<style xmlns=\"http://www.w3.org/1999/xhtml\">a</style>", ""),
        ("<svg:script>alert(1)</svg:script>", ""), ("<unknown><g>a</g>b</unknown>c", "c"),
        ("<!-- <script>a</script> --><g/>", "<g></g>"), ("<?php echo 1 ?><g/>", "<g></g>"),
        ("<![CDATA[<script>alert(1)</script>]]>", "&lt;script&gt;alert(1)&lt;/script&gt;"),
        ("&lt;script&gt;", "&lt;script&gt;"),
        ("<g id=\"&quot;&gt;&lt;script&gt;\"/>", "<g id=\"&quot;&gt;&lt;script&gt;\"></g>"),
        ("<g id='a\"b'/>", "<g id=\"a&quot;b\"></g>"),
        ("<script/><g><script><g>x</g></script><path/></g>", "<g><path></path></g>"),
    ]

    @Test(arguments: removed) func harmfulContentIsRemoved(row: (text: String, result: String)) {
        #expect(content(row.text) == row.result)
    }

    @Test(arguments: [
        "", "text", "<svg", "<svg>", "<svg></g>", "<svg><g></svg></g>", "<svg/><svg/>", "<html><svg/></html>",
        "<svg a=1/>", "<svg a='1' a='2'/>", "<svg a='<'/>", "<svg a='1'b='2'/>", "<svg>&unknown;</svg>",
        "<svg>&#0;</svg>",
        "<svg>&#xFFFFFFFFFF;</svg>", "<svg>&amp</svg>", "<!DOCTYPE svg [<!ENTITY a \"<g/>\">]><svg>&a;</svg>",
        "<!DOCTYPE svg [<!ENTITY a \"&b;\"><!ENTITY b \"c\">]><svg>&a;</svg>",
        "<!DOCTYPE svg [<!ENTITY % a \"b\">%a;]><svg/>", "<!DOCTYPE svg [<!ENTITY a SYSTEM \"b\">]><svg>&a;</svg>",
        "<!DOCTYPE svg [<!ATTLIST g onload CDATA \"x()\">]><svg/>", "<!DOCTYPE svg [<!ENTITY a 'b'>",
        "<!ENTITY a 'b'><svg/>", "<svg><![CDATA[</svg>", "<svg><!-- </svg>", "<svg>\u{1}</svg>", "<svg/>text",
        "<?xml version=\"1.0\" encoding=\"utf-7\"?><svg/>", "<x:svg xmlns:x=\"http://www.w3.org/1999/xhtml\"/>",
        "<svg:svg/>",
        "<svg><style><g/></style></svg>", "<svg xmlns=\"http://www.w3.org/1999/xhtml\"/>",
    ]) func documentThatIsNotUnderstoodHasNoResult(text: String) { #expect(sanitized(text) == nil) }

    @Test func declarationsAndWhiteSpaceAreAccepted() {
        let text = """
            \u{FEFF}<?xml version="1.0" encoding="UTF-8" standalone="no"?>
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
            <svg width = '8' height="8"
            viewBox="0 0 8 8" ></svg >

            """
        #expect(sanitized(text) == Self.head + " width=\"8\" height=\"8\" viewBox=\"0 0 8 8\"></svg>")
    }

    /// Illustrator declares its namespaces as entities, old programs write Latin-1, and some put a prefix on every name.
    @Test func entitiesLatin1AndPrefixesStayAnSVG() {
        let illustrator = """
            <?xml version="1.0" encoding="utf-8"?>
            <!-- Generator: a program -->
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.0//EN" "http://www.w3.org/TR/2001/REC-SVG-20010904/DTD/svg10.dtd" [
                <!-- it's a comment -->
                <!ENTITY ns_extend "http://ns.example/Extensibility/1.0/">
                <!ENTITY ns_svg "http://www.w3.org/2000/svg">
                <!ENTITY ns_xlink "http://www.w3.org/1999/xlink">
                <!ENTITY red 'fill:#f00'>
            ]>
            <svg xmlns:x="&ns_extend;" xmlns="&ns_svg;" xmlns:xlink="&ns_xlink;" width="8"><x:g/><g style="&red;"/></svg>
            """
        #expect(sanitized(illustrator) == Self.head + " width=\"8\"><g style=\"fill:#f00\"></g></svg>")
        let latin =
            Data("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><svg><title>".utf8)
            + Data([0x47, 0x72, 0xF6, 0xDF, 0x65, 0x80]) + Data("</title></svg>".utf8)
        let title = SVGSanitizer.sanitized(latin).map { String(decoding: $0, as: UTF8.self) }
        #expect(title == Self.head + "><title>Größe€</title></svg>")
        let prefixed = """
            <svg:svg xmlns:svg="http://www.w3.org/2000/svg" xmlns:x="y"><svg:g><svg:path d="M0 0"/><path/><x:path/>\
            <g xmlns="http://www.w3.org/2000/svg"><circle/></g></svg:g><svg:script>x</svg:script></svg:svg>
            """
        #expect(sanitized(prefixed) == Self.head + "><g><path d=\"M0 0\"></path><g><circle></circle></g></g></svg>")
        // Entities must not make a small document large.
        let many = String(repeating: "&a;", count: 20_000)
        let entity = "<!DOCTYPE svg [<!ENTITY a \"\(String(repeating: "x", count: 100))\">]>"
        #expect(sanitized(entity + "<svg>\(many)</svg>") == nil)
    }

    /// A document in UTF-16 loses the same parts, and is written in UTF-8.
    @Test func documentInUTF16IsCleanedAsInUTF8() throws {
        let text = "<svg xmlns='http://www.w3.org/2000/svg'><title>ö☃</title><script>x</script><g onload='x'/></svg>"
        let wanted = try #require(sanitized(text))
        for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian] {
            for start in ["", "<?xml version='1.0' encoding='UTF-16'?>"] {
                let wide = try #require(("\u{FEFF}" + start + text).data(using: encoding))
                #expect(SVGSanitizer.sanitized(wide).map { String(decoding: $0, as: UTF8.self) } == wanted)
                #expect(SVGSanitizer.sanitized(wide.dropLast()) == nil)
            }
        }
    }

    @Test func depthAndSizeAreLimitedAndTheTimeIsLinear() {
        func nested(_ depth: Int) -> String {
            String(repeating: "<g>", count: depth) + String(repeating: "</g>", count: depth)
        }
        #expect(content(nested(200)) == nested(200) && content(nested(300)) == nil)
        #expect(sanitized("<svg>" + String(repeating: " ", count: 11 << 20) + "</svg>") == nil)
        let many = String(repeating: "<path d=\"M0 0\"></path>", count: 20_000)
        #expect(content(many) == many)
        #expect(content(String(repeating: "<", count: 100_000)) == nil)
        #expect(content(String(repeating: "&", count: 100_000)) == nil)
    }

    /// A sanitised document is not changed by a second pass, for documents with random mutations.
    @Test func sanitisingIsStableForMutatedDocuments() {
        var random = SeededRandom(seed: 32)
        let pieces = (Self.kept + Self.removed.map(\.text)).map { Array($0.utf8) }
        let marks = Array("<>/\"'=&;:#! \\[]-?a".utf8)
        for _ in 0..<3_000 {
            var bytes = (0..<3).flatMap { _ in pieces.randomElement(using: &random)! }
            for _ in 0..<Int.random(in: 0..<4, using: &random) where !bytes.isEmpty {
                let place = bytes.indices.randomElement(using: &random)!
                if Bool.random(using: &random) {
                    bytes[place] = marks.randomElement(using: &random)!
                } else {
                    bytes.remove(at: place)
                }
            }
            guard let once = SVGSanitizer.sanitized(Data("<svg>".utf8) + bytes + Data("</svg>".utf8)) else { continue }
            #expect(SVGSanitizer.sanitized(once) == once)
            let text = String(decoding: once, as: UTF8.self)
            let reference = #"href="(?!#|data:image/(png|jpe?g|gif|webp|avif);)"#
            #expect(text.range(of: reference, options: .regularExpression) == nil, "\(text)")
            // All quotes in texts are escaped, so the text between two quotes is the value of an attribute.
            let tags = text.replacingOccurrences(of: "\"[^\"]*\"", with: "", options: .regularExpression)
            let forbidden = #"<script|<foreign|<[^<>]*\son\w+="#
            #expect(tags.range(of: forbidden, options: [.regularExpression, .caseInsensitive]) == nil, "\(text)")
        }
    }

    // MARK: Results

    private func bench(_ svg: String) throws -> ServiceBench {
        let coders = ImageCodersManager(coders: ImageCodersManager.shared.coders + [ImageSVGCoder.shared])
        let bench = try ServiceBench(coders: coders) { $0.thumborPrefix = "/t" }
        bench.server.answer("http://example.com/a.svg", Data(svg.utf8))
        return bench
    }

    @Test func svgStaysASanitisedSVGUnlessAFormatIsNamed() async throws {
        let bench = try bench(
            Self.head + " width=\"40\" height=\"20\"><script>x</script><rect width=\"9\" height=\"9\"/></svg>")
        let url = "http://example.com/a.svg"
        for options in ["w:20", "w:20/f:svg", "rs:fill:5:5/bl:2", "skp:svg"] {
            let response = await bench.get("/_/\(options)/plain/\(url)", ["Accept": "image/webp"])
            #expect(response.status == 200 && response.headers["Content-Type"] == "image/svg+xml", "\(options)")
            #expect(response.text.contains("<rect width=\"9\"") && !response.text.contains("script"))
            #expect(response.headers["Content-Security-Policy"]?.contains("sandbox") == true)
            #expect(response.headers["Content-Disposition"] == "inline; filename=\"a.svg\"")
        }
        let png = await bench.get("/_/w:20/plain/\(url)@png")
        #expect(png.headers["Content-Type"] == "image/png" && png.logEntry.size == PixelSize(width: 20, height: 10))
        let thumbor = await bench.get("/t/unsafe/20x10/\(url)")
        #expect(thumbor.headers["Content-Type"] == "image/png")
    }

    /// A document that cannot be sanitised is drawn, or refused if the target names SVG.
    @Test func svgInAnotherEncodingIsDrawn() async throws {
        let bench = try bench(
            "<?xml version=\"1.0\" encoding=\"iso-8859-7\"?>" + Self.head
                + " width=\"40\" height=\"20\"><rect width=\"40\" height=\"20\" fill=\"red\"/></svg>")
        let drawn = await bench.get("/_/w:20/plain/http://example.com/a.svg")
        #expect(drawn.status == 200 && drawn.headers["Content-Type"] == "image/png")
        #expect(await bench.get("/_/w:20/plain/http://example.com/a.svg@svg").status == 415)
    }
}
