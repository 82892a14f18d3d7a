import Foundation
import Testing
import WebImage
import WebImageSVG
import WebImageTestSupport
import WebImageTestTraits

/// Style sheets apply as in browsers on a screen, although librsvg ignores media. Every row draws a red rectangle of the class
/// `a`, and its style sheets make it green, or not.
@Suite(.timeLimit(minutes: 2))
struct SVGMediaTests {
    private static let (green, red) = (UInt32(0xff00_ff00), UInt32(0xffff_0000))

    private func color(_ content: String, _ attributes: String = "width='16' height='16'") throws -> UInt32 {
        let document = """
            <svg xmlns="http://www.w3.org/2000/svg" xmlns:s="http://www.w3.org/2000/svg" \(attributes)>\(content)\
            <rect class="a" fill="red" width="1000" height="1000"/></svg>
            """
        return try color(of: Data(document.utf8))
    }

    private func color(of document: Data) throws -> UInt32 {
        let pixels = try ImageSVGCoder.shared.decode(document, options: DecodingOptions()).pixels
        let middle = pixels.height / 2 * pixels.bytesPerRow + pixels.width / 2 * 4
        return pixels.withUnsafeBytes { $0.load(fromByteOffset: middle, as: UInt32.self) }
    }

    /// The condition of a `@media` block or of a `style` element, and whether it holds.
    static let conditions: [(text: String, holds: Bool)] = [
        ("", true), ("screen", true), ("all", true), ("SCREEN", true), ("only screen", true), ("not print", true),
        ("print", false), ("speech", false), ("tv", false), ("not screen", false), ("not all", false),
        ("print, screen", true), ("print, speech", false), ("screen,", true), (",print", false),
        ("and", false), ("screen print", false), ("screen and print", false), ("screen and", false), ("{", false),
        // The document has 16 px in each direction, at 96 dpi.
        ("screen and (min-width: 16px)", true), ("screen and (min-width: 17px)", false), ("(max-width: 1em)", true),
        ("(max-width: 0.1in)", false), ("(width: 12pt)", true), ("(width: 16)", false), ("(min-width: 0)", true),
        ("(width >= 10px)", true), ("(10px < width < 16px)", false), ("(10px < width <= 16px)", true),
        ("(20px > width > 10px)", true), ("(10px < width > 12px)", false), ("(16px = width)", true),
        ("(min-width: 50vw)", true), ("(min-width: calc(1px))", false), ("(width)", true),
        ("(aspect-ratio: 1/1)", true), ("(min-aspect-ratio: 16/9)", false), ("(aspect-ratio >= 1)", true),
        ("(orientation: portrait)", true), ("(orientation: landscape)", false), ("(min-orientation: portrait)", false),
        ("(resolution: 96dpi)", true), ("(min-resolution: 2dppx)", false),
        ("(-webkit-min-device-pixel-ratio: 1.5)", false),
        ("(-webkit-max-device-pixel-ratio: 1.5)", true), ("(min-color: 8)", true), ("(color)", true),
        ("(monochrome)", false),
        ("(prefers-color-scheme: light)", true), ("(prefers-color-scheme: dark)", false),
        ("(prefers-color-scheme)", true),
        ("(prefers-reduced-motion: reduce)", false), ("(prefers-reduced-motion)", false), ("(hover: none)", true),
        ("(hover)", false), ("(grid: 0)", true), ("(grid)", false),
        ("(min-width: 1px) and (max-width: 99px)", true), ("(min-width: 99px) or (max-width: 99px)", true),
        ("(min-width: 1px) and (max-width: 99px) or (color)", false), ("screen and (color) or (color)", false),
        ("not (color)", false), ("not (monochrome)", true), ("(not (monochrome))", true),
        ("screen and not (color)", false),
        ("((min-width: 1px) and (not (print)))", false), ("((color) or (monochrome)) and (width)", true),
        // An unknown condition does not hold, and neither does its opposite. It does not spoil the others.
        ("(unknown)", false), ("not (unknown)", false), ("(unknown: 1px)", false), ("(unknown) or (color)", true),
        ("not ((unknown) and (color))", false), ("not ((unknown) and (monochrome))", true), ("future(1)", false),
        ("not screen and (unknown)", false), ("(unknown), screen", true), ("screen and (width: 16px", true),
        ("/* print */ screen", true), ("scr\\65 en", true), ("screen/**/and (color)", true),
        ("screen and(color)", false),
        (String(repeating: "(", count: 200) + "color" + String(repeating: ")", count: 200), false),
        ("not (((((((((((((((((((((((color)))))))))))))))))))))))", false),
    ]

    @Test(arguments: conditions) func conditionsHoldAsOnAScreen(row: (text: String, holds: Bool)) throws {
        let escaped = row.text.replacing("<", with: "&lt;").replacing(">", with: "&gt;")
        let expected = row.holds ? Self.green : Self.red
        #expect(try color("<style media='\(escaped)'>.a{fill:lime}</style>") == expected, "media attribute")
        // An open parenthesis contains the rest of the style sheet.
        guard row.text != "{", !row.text.hasSuffix("16px") else { return }
        #expect(try color("<style>@media \(escaped){.a{fill:lime}}</style>") == expected, "@media")
        #expect(try color("<style>@media screen{@media \(escaped){.a{fill:lime}}}</style>") == expected, "nested")
    }

    /// Style sheets, and whether the rectangle becomes green.
    static let sheets: [(text: String, isGreen: Bool)] = [
        ("<style>@media screen{.a{fill:lime}}@media print{.a{fill:red}}</style>", true),
        ("<style>@media print{.b{fill:red}@media screen{.a{fill:red}}}.a{fill:lime}</style>", true),
        ("<style>.a{fill:lime}</style><style media='print'>.a{fill:red}</style>", true),
        ("<style>.a{fill:lime}</style><style type='text/plain'>.a{fill:red}</style>", true),
        ("<style type='TEXT/CSS' media='all'>.a{fill:lime}</style>", true),
        ("<s:style>@media screen{.a{fill:lime}}</s:style>", true),
        ("<style><![CDATA[@media screen{svg > .a{fill:lime}}]]></style>", true),
        ("<style>@media screen{svg &gt; .a{fill:lime}}</style>", true),
        ("<style>@media screen{.a{fill:&#108;ime}}</style>", true),
        ("<style>@\\6d edia screen{.a{fill:lime}}</style>", true),
        ("<style>@MEDIA SCREEN{.a{fill:lime}}</style>", true),
        ("<style>/*@media print{*/.a{fill:lime}/*}*/</style>", true),
        ("<style>.b{content:'@media print{'}.a{fill:lime}</style>", true),
        ("<style>@media screen{.b:not([x='}']){fill:red}.a{fill:lime}}</style>", true),
        ("<style>@media print{.b{content:'}'}.a{fill:red}}.a{fill:lime}</style>", true),
        ("<style>@media print;.a{fill:lime}</style>", true),
        ("<style>@media print{.a{fill:red}</style><style>.a{fill:lime}</style>", true),
        ("<style>@media screen{.a{fill:lime}</style>", true),
        ("<style>@media screen{}.a{fill:lime}</style>", true),
        ("<style>@media screen{@font-face{font-family:x}.a{fill:lime}}</style>", true),
        ("<style>@media screen{@media (color){.b{fill:red}}.a{fill:lime}}</style>", true),
        ("<style>@media screen{.a{fill:lime}}.b{fill:red}}</style>", true),
        ("<style>.a{fill:lime}@media screen{.a{fill:red}}</style>", false),
        ("<style>@media screen{.a{fill:lime}}@media (color){.a{fill:red}}</style>", false),
        // A rule that is not valid takes the block with it, as in browsers.
        ("<style>x @media screen{.a{fill:lime}}</style>", false),
        ("<style>@media screen{.a</style><style>.b{fill:lime}</style>", false),
    ]

    @Test(arguments: sheets) func rulesForScreensApply(row: (text: String, isGreen: Bool)) throws {
        #expect(try color(row.text) == (row.isGreen ? Self.green : Self.red))
    }

    /// The sizes of a condition are those of the document.
    @Test(arguments: [
        ("width='400' height='20'", true), ("width='300' height='20'", false), ("viewBox='0 0 800 20'", true),
        ("viewBox='0 0 20 20'", false), ("height='20' viewBox='0 0 400 20'", true), ("width='30em' height='20'", true),
        ("width='100%' viewBox='0 0 20 20'", false),
    ]) func sizesAreThoseOfTheDocument(attributes: String, isGreen: Bool) throws {
        let style = "<style>@media (min-width: 301px){.a{fill:lime}}</style>"
        #expect(try color(style, attributes) == (isGreen ? Self.green : Self.red))
    }

    /// A document in another encoding keeps its other text, and so does a document inside of a document.
    @Test func encodingsAndEmbeddedDocumentsKeepTheirText() throws {
        let style = "<style>@media screen{.é,.a{fill:lime}}</style><rect class='é' fill='red' width='99' height='99'/>"
        let text = "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'>\(style)</svg>"
        let latin = Data("<?xml version='1.0' encoding='iso-8859-1'?>".utf8) + (text.data(using: .isoLatin1) ?? Data())
        #expect(try color(of: latin) == Self.green)
        let wide = "\u{FEFF}<?xml version='1.0' encoding='UTF-16'?>\(text)"
        #expect(try color(of: wide.data(using: .utf16LittleEndian) ?? Data()) == Self.green)
        let url = "data:image/svg+xml;base64,\(Data(text.utf8).base64EncodedString())"
        let outer =
            "<svg xmlns='http://www.w3.org/2000/svg' width='16' height='16'><image width='16' height='16' href='\(url)'/></svg>"
        #expect(try color(of: Data(outer.utf8)) == Self.green)
    }

    /// A style sheet from a `data:` URL is refused, in every place. Other style sheets are not read.
    @Test(arguments: [
        "@media screen{@import url(data:text/css,.a%7Bfill:lime%7D);}",
        "@media screen{@import 'data:text/css;base64,LmF7ZmlsbDpsaW1lfQ==';.b{}}",
        "@media screen{}@import url(data:text/css,.a%7Bfill:lime%7D);",
        "@media print{}@im\\70ort url(data:text/css,.a%7Bfill:lime%7D);",
    ]) func importsStayOutside(css: String) throws {
        let drawn = try? color("<style>\(css)</style>")
        #expect(drawn == nil || drawn == Self.red)
    }

    /// The time does not depend on how blocks are nested or left open: it is that of twice the text, doubled.
    @Test(arguments: [
        "@media screen{", "@media print{", "@media (", "@media screen{.a{x:(", "}", "@media not ((", "@m", "@\\",
        "@media,",
        "@media screen{}", "/*", "'", "@media(width<", "@media screen;",
    ]) func hostileTablesTakeLinearTime(piece: String) throws {
        func units(_ count: Int) -> Double {
            let css = String(repeating: piece, count: count).replacing("<", with: "&lt;")
            return Double(ProcessorTime.units { _ = try? color("<style>\(css)</style>") })
        }
        let (small, large) = (units(20_000), units(80_000))
        #expect(large < 12 * small + 40, "\(small), then \(large)")
    }
}
