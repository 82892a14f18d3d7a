import Foundation
import Testing
import WebImageTestTraits

@testable import WebImageService

/// Tests the parser for thumbor's URL grammar.
@Suite(.timeLimit(minutes: 1))
struct ThumborRouterTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let parts: String
        let set: @Sendable (inout ProcessingOptions) -> Void

        init(_ parts: String, _ set: @escaping @Sendable (inout ProcessingOptions) -> Void) {
            self.parts = parts
            self.set = set
        }

        var testDescription: String { parts }
    }

    static let rows: [Row] = [
        Row("") { _ in },
        Row("300x200/") { ($0.width, $0.height) = (300, 200) },
        Row("300x/") { $0.width = 300 },
        Row("x200/") { $0.height = 200 },
        Row("-300x-200/") {
            ($0.width, $0.height) = (300, 200)
            ($0.flipHorizontal, $0.flipVertical) = (true, true)
        },
        Row("-0x0/") { $0.flipHorizontal = true },
        Row("origx100/") {
            $0.height = 100
            $0.keepsSourceWidth = true
        },
        Row("10x20:110x220/50x50/") {
            $0.manualCrop = .init(left: 10, top: 20, right: 110, bottom: 220)
            ($0.width, $0.height) = (50, 50)
        },
        Row("fit-in/300x200/") {
            ($0.width, $0.height, $0.resizing, $0.enlarge) = (300, 200, .fit, false)
        },
        Row("adaptive-full-fit-in/300x200/") {
            ($0.width, $0.height, $0.resizing, $0.enlarge) = (300, 200, .cover, true)
            $0.isAdaptive = true
        },
        Row("300x200/left/top/") {
            ($0.width, $0.height) = (300, 200)
            $0.gravity.anchor = .northWest
        },
        Row("right/bottom/smart/") { $0.gravity.anchor = .smart },
        Row("center/middle/") { _ in },
        Row("top/") { $0.gravity.anchor = .north },
        Row("trim/") { $0.trim = .init(threshold: 0) },
        Row("trim:bottom-right:40/") { $0.trim = .init(threshold: 23, usesBottomRight: true) },
        Row("filters:quality(60):format(webp):max_bytes(1000)/") {
            ($0.quality, $0.format, $0.maxBytes) = (60, .webp, 1000)
        },
        Row("filters:fill(ff0000)/") {
            $0.extend.isEnabled = true
            $0.extendBackground = .color(PlainColor(red: 255, green: 0, blue: 0))
        },
        Row("filters:fill(blue,1)/") {
            $0.extend.isEnabled = true
            $0.extendBackground = .color(PlainColor(red: 0, green: 0, blue: 255))
            $0.background = $0.extendBackground
        },
        Row("filters:fill(transparent)/") { $0.extend.isEnabled = true },
        Row("filters:fill(auto)/") {
            $0.extend.isEnabled = true
            $0.extendBackground = .mean
        },
        Row("filters:background_color(#010203)/") {
            $0.background = .color(PlainColor(red: 1, green: 2, blue: 3))
        },
        Row("filters:background_color(%23010204)/") {
            $0.background = .color(PlainColor(red: 1, green: 2, blue: 4))
        },
        Row("filters:background_color(Navy)/") {
            $0.background = .color(PlainColor(red: 0, green: 0, blue: 128))
        },
        Row("filters:fill(rebeccapurple)/") {
            $0.extend.isEnabled = true
            $0.extendBackground = .color(PlainColor(red: 102, green: 51, blue: 153))
        },
        Row("filters:background_color(transparent)/") { _ in },
        Row("300x200/filters:no_upscale()/") {
            ($0.width, $0.height, $0.enlarge) = (300, 200, false)
        },
        Row("fit-in/filters:upscale()/") { ($0.resizing, $0.enlarge) = (.fit, true) },
        Row("filters:stretch()/") { $0.resizing = .force },
        Row("filters:focal(10x20:30x40)/") {
            $0.focalArea = .init(left: 10, top: 20, right: 30, bottom: 40)
        },
        Row("filters:blur(7)/") { $0.blur = 7 },
        Row("filters:blur(7, 2.5)/") { $0.blur = 2.5 },
        Row("filters:blur(7,%202.5)/") { $0.blur = 2.5 },
        Row("filters:blur(8,0)/") { $0.blur = 8 },
        Row("filters:blur(200)/") { $0.blur = 150 },
        Row("filters:quality(40):%20blur(6)/") { ($0.quality, $0.blur) = (40, 6) },
        Row("filters:sharpen(1.5,0.5,true)/") { $0.sharpen = 1.5 },
        Row("filters:grayscale()/") { $0.isGray = true },
        Row("filters:brightness(20)/") { $0.brightness = 20 },
        Row("filters:contrast(-30)/") { $0.contrast = -30 },
        Row("filters:saturation(0.5)/") { $0.saturation = 0.5 },
        Row("filters:rgb(10,-20,30)/") { $0.channels = .init(red: 10, green: -20, blue: 30) },
        Row("filters:rotate(30)/") { _ in },
        Row("filters:rotate(-90)/") { $0.angle = 270 },
        Row("filters:round_corner(20|10,255,0,0)/") {
            $0.roundCorner = .init(
                radius: 20, verticalRadius: 10, color: PlainColor(red: 255, green: 0, blue: 0))
        },
        Row("filters:round_corner(20%7C10%2C255,0,1)/") {
            $0.roundCorner = .init(
                radius: 20, verticalRadius: 10, color: PlainColor(red: 255, green: 0, blue: 1))
        },
        Row("filters:blur(1):grayscale():fill(red)/") {
            ($0.blur, $0.isGray, $0.extend.isEnabled) = (1, true, true)
            $0.extendBackground = .color(PlainColor(red: 255, green: 0, blue: 0))
        },
        Row("filters:grayscale():blur(1):grayscale()/") { ($0.blur, $0.isGray) = (1, true) },
        Row("filters:grayscale():blur(1)/") {
            ($0.blur, $0.isGray) = (1, true)
            $0.pixelSteps = [
                .sharpen, .pixelate, .brightness, .contrast, .saturation, .channels, .canvas, .rotation, .background,
                .watermark, .corners, .gray, .blur,
            ]
        },
        Row("filters:round_corner(20,0,0,0,1)/") { $0.roundCorner = .init(radius: 20, color: nil) },
        Row("filters:strip_exif():strip_icc()/") { $0.keepCopyright = false },
    ]

    @Test(arguments: rows) func everyPartIsRead(row: Row) throws {
        var expected = ProcessingOptions()
        (expected.resizing, expected.enlarge, expected.flipsLast, expected.drawsSVG) = (.fill, true, true, true)
        (expected.cutsExactly, expected.extendsExactly) = (true, true)
        row.set(&expected)
        let parsed = try ThumborRouter().parse("/unsafe/\(row.parts)example.com/a/b.jpg")
        #expect(parsed == ImageTarget(source: "http://example.com/a/b.jpg", options: expected))
        #expect(try ThumborRouter().parse("/unsafe/meta/\(row.parts)example.com/a.jpg").kind == .meta)
    }

    @Test func sourcesAreDecodedAndGetAScheme() throws {
        func source(_ text: String) throws -> String {
            try ThumborRouter().parse("/unsafe/\(text)"[...]).source
        }
        #expect(try source("https%3A//example.com/a.jpg%3Fb=c") == "https://example.com/a.jpg?b=c")
        #expect(try source("http://example.com/a.jpg") == "http://example.com/a.jpg")
        #expect(try source("example.com:8080/a.jpg") == "http://example.com:8080/a.jpg")
        // The path of the source contains a size. This size is not an option, because the order of the parts of the URL
        // is fixed.
        #expect(try source("100x100/example.com/200x200/a.jpg") == "http://example.com/200x200/a.jpg")
    }

    @Test(arguments: [
        "", "/", "/unsafe", "/unsafe/", "/unsafe/300x200/", "/unsafe/filters:noise(10)/a.b/c",
        "/unsafe/filters:quality(a)/a.b/c", "/unsafe/filters:quality(/a.b/c", "/unsafe/filters:quality/a.b/c",
        "/unsafe/filters:quality(1,2)/a.b/c", "/unsafe/trim:900/a.b/c", "/unsafe/a%0ab",
        "/unsafe/filters:fill(blur)/a.b/c", "/unsafe/filters:focal(1x2)/a.b/c",
        "/unsafe/filters:watermark(a,0,0,0)/a.b/c",
    ]) func invalidTargetIs400(path: String) {
        #expect { try ThumborRouter().parse(path[...]) } throws: { ($0 as? ServiceRefusal)?.status == 400 }
    }

    @Test func signaturesAreChecked() throws {
        var router = ThumborRouter()
        router.signers = [
            try #require(ThumborSigner(key: "other")), try #require(ThumborSigner(key: "my-security-key")),
        ]
        for vector in SigningTests.thumbor.prefix(4) {
            _ = try router.parse("/\(vector.signature)/\(vector.path)"[...])
            #expect { try router.parse("/\(vector.signature)/1x1/\(vector.path)"[...]) } throws: {
                ($0 as? ServiceRefusal)?.status == 403
            }
        }
        #expect(throws: ServiceRefusal.self) { try router.parse("/unsafe/a.b/c") }
        router.allowsUnsafe = true
        _ = try router.parse("/unsafe/a.b/c")
    }
}
