import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageSVG
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// The time of drawing an SVG document is estimated before librsvg draws, because librsvg 2.54 cannot be interrupted.
///
/// The time limit only ends a hang: on a busy machine, a drawing can take many times its processor time.
@Suite(.timeLimit(minutes: 15))
struct SVGPriceTests {
    /// A document, its name, and the side of the drawing in pixels.
    struct Drawing: CustomTestStringConvertible, Sendable {
        let name: String
        let content: String
        var side = 1000
        var testDescription: String { name }

        var data: Data {
            Data(
                (#"<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" "#
                    + #"width="1000" height="1000">\#(content)</svg>"#).utf8)
        }

        /// A filter with the given primitives on a rectangle that fills the drawing.
        static func filter(
            _ name: String, _ primitives: String, on element: String = #"<rect width="1000" height="1000" "#,
            _ attributes: String = "", around: (String, String) = ("", "")
        ) -> Drawing {
            Drawing(
                name: name,
                content:
                    ##"<filter id="f" \##(attributes)>\##(primitives)</filter>\##(around.0)\##(element)filter="url(#f)"/>\##(around.1)"##
            )
        }
    }

    private static func repeated(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let blur = #"<feGaussianBlur stdDeviation="5"/>"#
    private static let crossings = (0..<50_000).map { "L\($0 % 7 * 140) \($0 * 7919 % 1000)" }.joined()

    static let costly: [Drawing] = [
        .filter("octaves", #"<feTurbulence baseFrequency=".05" numOctaves="1000000000"/>"#),
        .filter("radius", #"<feMorphology radius="100"/>"#),
        .filter(
            "radius, scaled", #"<feMorphology radius="1"/>"#, on: #"<rect width="10" height="10" "#,
            around: (#"<g transform="scale(100)">"#, "</g>")),
        .filter("radius in boxes", #"<feMorphology radius=".1"/>"#, #"primitiveUnits="objectBoundingBox""#),
        .filter("order", repeated(#"<feConvolveMatrix order="20" kernelMatrix="1"/>"#, 5)),
        .filter("unit of a kernel", #"<feConvolveMatrix order="3" kernelUnitLength=".01"/>"#),
        .filter("unit of light", #"<feDiffuseLighting kernelUnitLength=".01"><feDistantLight/></feDiffuseLighting>"#),
        .filter("chain", repeated(blur, 1000)),
        Drawing(
            name: "many elements",
            content: #"<filter id="f">\#(blur)</filter>"#
                + repeated(##"<rect width="1000" height="1000" filter="url(#f)"/>"##, 100)),
        Drawing(
            name: "nested",
            content:
                ##"<filter id="f">\##(blur)</filter>\##(repeated(##"<g filter="url(#f)">"##, 60))<rect width="9" height="9"/>"##
                + repeated("</g>", 60)),
        Drawing(
            name: "style sheet",
            content: ##"<style>.a{filter:url(#f)}</style><filter id="f">\##(blur)</filter>"##
                + repeated(#"<g class="b a"><rect width="9" height="9"/></g>"#, 60)),
        Drawing(
            name: "style sheet with escapes",
            content: ##"<style>.\61{filter:url(#f)}</style><filter id="f">\##(blur)</filter>"##
                + repeated(#"<g class="a"><rect width="9" height="9"/></g>"#, 60)),
        Drawing(
            name: "inherited",
            content: ##"<filter id="f">\##(blur)</filter><g filter="url(#f)">"##
                + repeated(#"<g filter="inherit"><rect width="9" height="9"/></g>"#, 60) + "</g>"),
        Drawing(
            name: "functions",
            content: repeated(#"<rect width="9" height="9" style="filter:blur(5px) blur(5px)"/>"#, 60)),
        Drawing(
            name: "used",
            content: ##"<filter id="f">\##(blur)</filter><g id="a" filter="url(#f)"><rect width="9" height="9"/></g>"##
                + repeated(##"<use xlink:href="#a"/>"##, 60)),
        Drawing(
            name: "in a pattern",
            content: ##"<filter id="f">\##(repeated(blur, 60))</filter><pattern id="p" width="1" height="1">"##
                + ##"<g filter="url(#f)"><rect width="9" height="9"/></g></pattern><rect width="9" height="9" fill="url(#p)"/>"##
        ),
        Drawing(
            name: "masks",
            content: #"<mask id="m"><rect width="9" height="9"/></mask>"#
                + repeated(##"<rect width="9" height="9" mask="url(#m)"/>"##, 1000)),
        Drawing(name: "layers", content: repeated(#"<rect width="9" height="9" opacity=".5"/>"#, 10_000)),
        Drawing(name: "shapes", content: repeated(#"<rect width="100%" height="100%"/>"#, 20_000)),
        Drawing(name: "text", content: "<text>\(repeated("W", 30_000))</text>"),
        Drawing(name: "crossing lines", content: #"<path d="M0 0\#(crossings)"/>"#),
        Drawing(name: "dashes", content: #"<path d="M0 0H1e9" stroke="red" stroke-dasharray=".1"/>"#),
        Drawing(
            name: "markers",
            content: #"<filter id="f">\#(blur)</filter><marker id="m"><g filter="url(#f)"><rect/></g></marker>"#
                + ##"<path marker-mid="url(#m)" d="M0 0\##(repeated("h1", 1000))"/>"##),
    ]

    private func decode(_ drawing: Drawing, limits: DecodingLimits = .default) throws(WebImageError) -> Image {
        var options = DecodingOptions()
        options.limits = limits
        options.thumbnailPixelSize = PixelSize(width: drawing.side, height: drawing.side)
        return try ImageSVGCoder.shared.decode(drawing.data, options: options)
    }

    @Test(arguments: costly)
    func costlyDrawingIsRefusedBeforeItIsDrawn(_ drawing: Drawing) throws {
        let start = ProcessorTime.seconds
        let error = #expect(throws: WebImageError.self) { try decode(drawing) }
        #expect(error?.code == .limitExceeded)
        if case .limit(let limit, _, _) = error?.underlying { #expect([.decodeTime, .decodeBytes].contains(limit)) }
        // Drawing takes more than eight seconds; the estimate of a debug build on a slow machine more than one.
        #expect(ProcessorTime.seconds - start < Sanitizer.seconds(3))
    }

    /// librsvg 2.54 ends the process for such letters.
    @Test(arguments: [
        #"<text font-size="3000000">W</text>"#, #"<text style="font:3000000px serif">W</text>"#,
        "<style>text{font-size:1e7px}</style><text>W</text>",
        repeated(#"<g font-size="10em">"#, 8) + "<text>W</text>" + repeated("</g>", 8),
        ##"<g id="a"><g font-size="1000%"><text>W</text></g></g><g font-size="99999"><use xlink:href="#a"/></g>"##,
    ])
    func hugeLettersAreRefused(_ content: String) {
        let drawing = Drawing(name: "letters", content: content)
        let error = #expect(throws: WebImageError.self) { try decode(drawing) }
        #expect(error?.code == .badImageData)
        #expect(throws: WebImageError.self) {
            try ImageSVGCoder.shared.imageInfo(of: drawing.data, limits: .default)
        }
    }

    /// librsvg 2.54 ends the process for such filters; 2.60 draws them.
    @Test(arguments: [
        Drawing.filter("kernel", #"<feConvolveMatrix order="100" kernelMatrix="\#(repeated("1 ", 10_000))"/>"#),
        .filter("kernel with two sides", #"<feConvolveMatrix order="20 21" kernelMatrix="\#(repeated("1 ", 420))"/>"#),
        .filter("flat tile", #"<feFlood width="0"/><feTile/>"#),
        .filter("tile outside", "<feFlood/><feTile/>", #"x="1e10""#),
        .filter("tile below a pixel", "<feFlood/><feTile/>", on: #"<rect width="1e-9" height="1e-9" "#),
    ])
    func filterThatAbortsIsRefused(_ drawing: Drawing) {
        var small = drawing
        small.side = 100
        do throws(WebImageError) {
            let size = try decode(small).pixelSize
            #expect(size == PixelSize(width: 100, height: 100))
        } catch {
            #expect(error.code == .badImageData, "\(error)")
        }
    }

    static let usual: [Drawing] = [
        .filter("shadow", #"<feGaussianBlur stdDeviation="5"/><feOffset dx="3"/><feBlend in2="SourceGraphic"/>"#),
        .filter("outline", #"<feMorphology radius="2"/>"#),
        .filter("light", #"<feSpecularLighting><fePointLight x="1" y="1" z="9"/></feSpecularLighting>"#),
        Drawing(
            name: "shadows of icons",
            content: #"<filter id="f">\#(blur)</filter>"#
                + repeated(##"<rect width="20" height="20" filter="url(#f)"/>"##, 100)),
        Drawing(name: "map", content: (0..<20_000).map { "<path d=\"M\($0 % 900) \($0 / 30)l9 9 9 -9z\"/>" }.joined()),
        Drawing(
            name: "coast",
            content: "<path d=\"M0 0"
                + (0..<50_000).map { "l\(cos(Double($0) / 8000)) \(sin(Double($0) / 8000))" }.joined()
                + #"" stroke="red"/>"#),
        Drawing(name: "text", content: repeated("<text>The quick brown fox jumps over the lazy dog</text>", 100)),
        Drawing(
            name: "layers", content: repeated(#"<g opacity=".5"><rect width="9" height="9"/></g>"#, 200)),
        Drawing(
            name: "dashes",
            content: repeated(#"<path d="M0 0H1000V1000" fill="none" stroke="red" stroke-dasharray="2 1"/>"#, 100)),
    ]

    @Test(arguments: usual)
    func usualDrawingIsDrawn(_ drawing: Drawing) throws {
        // The default time is compared with the processor time of this thread, because the machine may be busy.
        let thread = ProcessorTime.Thread.current
        var limits = DecodingLimits.default
        let budget = WorkBudget(time: Sanitizer.time(limits.maxDecodeTime), now: { .seconds(thread.seconds) })
        limits.maxDecodeTime = .seconds(3600)
        budget.start()
        let image = try budget.run { () throws(WebImageError) in try decode(drawing, limits: limits) }
        #expect(image.pixelSize == PixelSize(width: 1000, height: 1000))
    }

    /// The estimate is compared with the time of the budget, too.
    @Test
    func costlyDrawingIsRefusedByTheTimeOfTheBudget() throws {
        var limits = DecodingLimits.default
        limits.maxDecodeTime = .seconds(3600)
        let budget = WorkBudget(time: .seconds(10), now: { .zero })
        budget.start()
        let drawing = Drawing.filter("chain", Self.repeated(Self.blur, 1000))
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) in try decode(drawing, limits: limits) }
        }
        #expect(error?.code == .limitExceeded)
    }

    @Test
    func priceGrowsWithTheDrawing() throws {
        var drawing = Drawing.filter("chain", Self.repeated(Self.blur, 20))
        drawing.side = 100
        #expect(throws: Never.self) { try decode(drawing) }
        drawing.side = 5000
        #expect(throws: WebImageError.self) { try decode(drawing) }
    }

    @Test
    func keptSurfacesCountAsMemory() throws {
        let drawing = Drawing(
            name: "results", content: Self.repeated(#"<g opacity=".9">"#, 50) + "<rect/>" + Self.repeated("</g>", 50))
        var limits = DecodingLimits.default
        limits.maxDecodeBytes = 100 << 20
        let error = #expect(throws: WebImageError.self) { try decode(drawing, limits: limits) }
        #expect(error?.underlying == .limit(.decodeBytes, actual: 51 * 4_000_000, allowed: 100 << 20))
    }
}
