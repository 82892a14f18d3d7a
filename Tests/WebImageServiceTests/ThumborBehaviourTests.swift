import Foundation
import Testing
import WebImage
import WebImageTestTraits

@testable import WebImageService

/// Tests that targets in thumbor's grammar obey the configuration and give the same pictures as thumbor.
@Suite(.timeLimit(minutes: 2))
struct ThumborBehaviourTests {
    typealias Fix = PictureFixtures

    private func look(_ parts: String, _ source: Data? = nil) throws -> Look {
        var options = try ThumborRouter().parse("/unsafe/\(parts)/a.b/c"[...]).options
        options.format = .png
        return try Fix.look(at: try ResultRenderer(options: options).make(from: try source ?? Fix.quadrants()))
    }

    // MARK: Policy

    @Test func grammarWithoutPresetsIsRefusedWithOnlyPresets() throws {
        #expect { try ServiceSettings(.with { ($0.thumborPrefix, $0.onlyPresets) = ("/t", true) }) } throws: {
            ($0 as? ConfigurationError)?.name == "only-presets"
        }
        _ = try ServiceSettings(.with { ($0.onlyPresets, $0.presets) = (true, ["a=w:1"]) })
    }

    @Test func allowedOptionsApplyToPartsAndFilters() async throws {
        let bench = try ServiceBench {
            $0.thumborPrefix = "/t"
            $0.allowedOptions = ["s", "quality", "format", "rt"]
        }
        func status(_ parts: String) async -> Int { await bench.get("/t/unsafe/\(parts)example.com/photo.png").status }
        for parts in ["", "40x30/", "fit-in/40x30/", "40x30/filters:quality(50):format(png)/", "meta/40x30/"] {
            #expect(await status(parts) == 200, "\(parts)")
        }
        for parts in [
            "trim/", "10x10:20x20/", "-40x30/", "0x-0/", "40x30/left/", "40x30/smart/", "filters:blur(2)/",
            "filters:quality(50):blur(2)/", "filters:rotate(90)/", "meta/trim/", "filters:max_bytes(100)/",
        ] {
            #expect(await status(parts) == 400, "\(parts)")
        }
        let open = try ServiceBench { $0.thumborPrefix = "/t" }
        #expect(await open.get("/t/unsafe/trim/-40x30/left/filters:blur(2)/example.com/photo.png").status == 200)
    }

    @Test func limitsOfTheDefaultPresetApply() async throws {
        let bench = try ServiceBench {
            $0.thumborPrefix = "/t"
            $0.presets = ["default=mrd:20"]
        }
        let response = await bench.get("/t/unsafe/60x0/example.com/photo.png")
        #expect(response.logEntry.size == PixelSize(width: 20, height: 15))
    }

    @Test(arguments: ["default=msr:0.001", "default=msfs:20"])
    func limitsApplyToDescriptions(_ preset: String) async throws {
        let bench = try ServiceBench {
            $0.thumborPrefix = "/t"
            $0.presets = [preset]
        }
        for target in ["/t/unsafe/meta/example.com/photo.png", "/info/_/plain/http://example.com/photo.png"] {
            let refused = await bench.get(target)
            #expect(refused.status == 413 && refused.logEntry.reason == "limit", "\(target)")
        }
        let open = try ServiceBench()
        let limit = String(preset.dropFirst(8))
        #expect(await open.get("/info/_/\(limit)/plain/http://example.com/photo.png").status == 413)
        #expect(await open.get("/info/_/plain/http://example.com/photo.png").status == 200)
    }

    // MARK: Geometry

    @Test(arguments: [
        ("fit-in/160x160", "80x60"), ("full-fit-in/160x160", "213x160"), ("full-fit-in/40x40", "53x40"),
        ("full-fit-in/160x160/filters:no_upscale()", "80x60"), ("adaptive-full-fit-in/60x240", "240x180"),
        ("fit-in/160x160/filters:upscale()", "160x120"),
        ("fit-in/40x40/filters:stretch()", "40x30"), ("40x40/filters:stretch()", "40x40"),
        ("160x60/filters:stretch()", "160x60"), ("160x30/filters:stretch():no_upscale()", "80x30"),
        ("fit-in/40x20/filters:rotate(90):fill(blue)", "40x20"),
        ("fit-in/40x20/filters:fill(blue):rotate(90)", "20x40"), ("40x20/filters:rotate(90):fill(blue)", "40x20"),
        ("40x0/filters:rotate(90):fill(blue)", "40x40"), ("filters:rotate(90):fill(blue)", "60x80"),
        ("full-fit-in/40x20/filters:rotate(90):fill(blue)", "40x30"), ("full-fit-in/40x40/filters:stretch()", "53x40"),
        ("adaptive-fit-in/30x60", "40x30"), ("adaptive-fit-in/0x30", "40x30"), ("adaptive-fit-in/40x0", "40x30"),
    ]) func sizesAreThoseOfThumbor(row: (parts: String, size: String)) throws {
        #expect(try look(row.parts).size == row.size)
    }

    @Test func adaptiveBoxIsNotTurnedForASquareSource() throws {
        let square = try Fix.png(60, 60) { _, _ in Fix.red }
        #expect(try look("adaptive-full-fit-in/40x20", square).size == "40x40")
        #expect(try look("adaptive-fit-in/40x20/filters:fill(blue)", square).size == "40x20")
        let tall = try Fix.png(30, 60) { _, _ in Fix.red }
        #expect(try look("adaptive-fit-in/40x0", tall).size == "30x60")
        #expect(try look("adaptive-fit-in/20x0", tall).size == "20x40")
    }

    @Test(arguments: ["45", "1", "-30", "89.5", "359"]) func rotationByAnotherAngleThanQuarterTurnsIsIgnored(
        angle: String
    ) throws {
        let result = try look("filters:rotate(\(angle))")
        #expect(result.size == "80x60" && result.shows(Fix.red, 1, 1) && result.shows(Fix.white, 78, 58))
    }

    @Test(arguments: [
        ("rotate(90)", "60x80", Fix.green), ("rotate(-90)", "60x80", Fix.blue), ("rotate(180)", "80x60", Fix.white),
        ("rotate(450)", "60x80", Fix.green), ("rotate(90):rotate(90)", "80x60", Fix.white),
        ("rotate(90):rotate(45)", "60x80", Fix.green),
    ]) func quarterTurnsAddUp(row: (filters: String, size: String, corner: Fix.Pixel)) throws {
        let result = try look("filters:\(row.filters)")
        #expect(result.size == row.size && result.shows(row.corner, 1, 1), "\(row.filters)")
    }

    // The source is red, green, blue and white (quadrants of 40 × 30 px). The colours are those of thumbor 7.8.0.
    @Test(arguments: [
        ("fit-in/80x80/filters:fill(red)", 40, 1, Fix.red),
        ("fit-in/80x80/filters:fill(red):grayscale()", 40, 1, (76, 76, 76, 255)),
        ("fit-in/80x80/filters:grayscale():fill(red)", 40, 1, Fix.red),
        ("fit-in/80x80/filters:fill(red):background_color(blue)", 40, 1, Fix.red),
        ("fit-in/80x80/filters:background_color(blue):fill(transparent)", 40, 1, Fix.clear),
        ("fit-in/80x80/filters:fill(transparent):background_color(blue)", 40, 1, Fix.blue),
        ("fit-in/80x80/filters:round_corner(20,0,0,0):fill(red)", 0, 0, Fix.red),
        ("fit-in/80x80/filters:round_corner(20,0,0,0):fill(red)", 1, 11, (0, 0, 0, 255)),
        ("fit-in/80x80/filters:fill(red):round_corner(20,0,0,0)", 0, 0, (0, 0, 0, 255)),
        ("fit-in/80x80/filters:round_corner(20,0,0,255):grayscale()", 0, 0, (29, 29, 29, 255)),
        // 60 × 80 px after the rotation: 10 px of space on the left, none above.
        ("fit-in/80x80/filters:rotate(90):fill(blue)", 1, 1, Fix.blue),
        ("fit-in/80x80/filters:rotate(90):fill(blue)", 11, 1, Fix.green),
        ("fit-in/80x80/filters:fill(blue):rotate(90)", 11, 1, Fix.green),
        // The box cuts 10 px above and 10 px below of the 60 × 80 px.
        ("fit-in/80x60/filters:rotate(90):fill(blue)", 11, 1, Fix.green),
        ("fit-in/80x60/filters:rotate(90):fill(blue)", 11, 29, Fix.green),
        ("fit-in/80x60/filters:rotate(90):fill(blue)", 11, 31, Fix.red),
    ]) func filtersApplyInTheirOrder(row: (parts: String, x: Int, y: Int, color: Fix.Pixel)) throws {
        let result = try look(row.parts)
        #expect(result.shows(row.color, row.x, row.y), "\(row.parts): \(result.pixel(row.x, row.y))")
    }

    /// 60 × 45 px in a box that is 1 px higher: thumbor puts the odd row below.
    @Test func oddSpaceIsBelowAndToTheRight() throws {
        let high = try look("fit-in/80x61/filters:fill(12ab34)")
        #expect(high.size == "80x61" && high.shows(Fix.red, 1, 0) && high.shows((0x34, 0xAB, 0x12, 255), 1, 60))
        let wide = try look("fit-in/81x60/filters:fill(12ab34)")
        #expect(wide.size == "81x60" && wide.shows(Fix.red, 0, 1) && wide.shows((0x34, 0xAB, 0x12, 255), 80, 1))
    }

    @Test(arguments: [(1, 1, 76), (78, 1, 150), (1, 58, 29), (78, 58, 255)]) func greyIsTheLumaOfStoredValues(
        row: (x: Int, y: Int, grey: UInt8)
    ) throws {
        let result = try look("filters:grayscale()")
        #expect(result.shows((row.grey, row.grey, row.grey, 255), row.x, row.y, tolerance: 1))
    }

    // The levels are those of thumbor 7.8.0, which removes fractions.
    @Test(arguments: [
        ("brightness(20)", [151, 201, 251]), ("brightness(-60)", [0, 0, 47]),
        ("brightness(400)", [255, 255, 255]), ("contrast(20)", [88, 159, 231]),
        ("contrast(-100)", [128, 128, 128]), ("contrast(-150)", [121, 133, 146]),
        ("saturation(0)", [144, 144, 144]), ("saturation(0.5)", [122, 147, 172]),
        ("saturation(2)", [55, 155, 255]), ("saturation(-0.5)", [166, 141, 116]),
        ("rgb(10,-20,50)", [125, 99, 255]), ("brightness(20):contrast(20)", [161, 233, 255]),
        ("contrast(20):brightness(20)", [139, 210, 255]),
    ]) func tonesAreThoseOfThumbor(row: (filters: String, levels: [Int])) throws {
        let (red, green, blue) = (UInt8(row.levels[0]), UInt8(row.levels[1]), UInt8(row.levels[2]))
        let source = try Fix.png(80, 60) { _, _ in (200, 150, 100, 255) }
        let result = try look("filters:\(row.filters)", source)
        #expect(
            result.shows((blue, green, red, 255), 40, 30, tolerance: 1), "\(row.filters): \(result.pixel(40, 30))")
    }

    @Test func tonesKeepTransparency() throws {
        let source = try Fix.png(80, 60, hasAlpha: true) { x, _ in x < 40 ? (100, 75, 50, 128) : Fix.clear }
        for filter in ["brightness(20)", "contrast(20)", "saturation(0.5)", "rgb(10,10,10)"] {
            let result = try look("filters:\(filter)", source)
            #expect(result.pixel(20, 30).last == 128 && result.shows(Fix.clear, 60, 30), "\(filter)")
        }
    }

    @Test(arguments: ["brightness()", "brightness(x)", "contrast(1,2)", "rgb(1,2)", "saturation(nan)"])
    func incompleteTonesAreRefused(filters: String) {
        #expect(throws: ServiceRefusal.self) { try look("filters:\(filters)") }
    }

    @Test func coloredCornersKeepTheTransparencyInside() throws {
        let source = try Fix.png(80, 60, hasAlpha: true) { x, y in
            x >= 40 && y < 30 ? Fix.red : x >= 40 ? (0, 0, 128, 128) : Fix.clear
        }
        for radius in ["20", "20|18"] {
            let result = try look("filters:round_corner(\(radius),0,0,255)", source)
            #expect(result.shows(Fix.blue, 79, 0) && result.shows(Fix.red, 60, 15))
            #expect(result.shows(Fix.clear, 0, 0) && result.shows(Fix.clear, 20, 30))
            #expect(result.shows((128, 0, 0, 128), 79, 59) && result.shows((0, 0, 128, 128), 60, 35))
        }
    }

    @Test func edgesOfACropAfterTrimAreThoseOfTheSource() throws {
        let source = try Fix.png(80, 60) { x, y in
            x < 10 || y < 5 || x >= 70 || y >= 50 ? Fix.white : x < 20 ? Fix.red : y < 15 ? Fix.green : Fix.blue
        }
        let part = try look("trim/20x15:60x40", source)
        #expect(part.size == "40x25" && part.shows(Fix.blue, 0, 0) && part.shows(Fix.blue, 39, 24))
        // What is outside of the trimmed picture does not count.
        let wide = try look("trim/0x0:20x15", source)
        #expect(wide.size == "10x10" && wide.shows(Fix.red, 0, 0) && wide.shows(Fix.red, 9, 9))
        #expect(try look("trim/0x0:5x5", source).size == "60x45")
    }

    @Test func turnedAnimationHasItsTurnedSize() throws {
        var options = try ThumborRouter().parse("/unsafe/20x10/filters:rotate(90)/a.b/c").options
        options.format = .gif
        let made = try ResultRenderer(options: options).make(from: try Fix.animation())
        let info = try ImageCodersManager.shared.imageInfo(of: made.data, limits: .default)
        #expect(info.frameCount == 2 && info.pixelSize == PixelSize(width: 10, height: 20))
        #expect(made.size == info.pixelSize)
    }

    @Test func cornersAreEllipsesWithTheirOwnLimits() throws {
        let source = try Fix.png(80, 60) { _, _ in Fix.red }
        let wide = try look("filters:round_corner(30|10,0,0,255)", source)
        // On the ellipse with the radii 30 and 10, x = 9 at y = 3 (0.7² + 0.7² ≈ 1).
        #expect(wide.shows(Fix.blue, 4, 3) && wide.shows(Fix.red, 12, 3))
        #expect(wide.shows(Fix.blue, 12, 0) && wide.shows(Fix.red, 0, 12) && wide.shows(Fix.red, 31, 0))
        #expect(wide.shows(Fix.blue, 79 - 4, 59 - 3) && wide.shows(Fix.red, 79 - 12, 59 - 3))
        let high = try look("filters:round_corner(10|30,0,0,255)", source)
        #expect(high.shows(Fix.blue, 0, 12) && high.shows(Fix.red, 12, 0))
        // Each radius is limited to half of its side: 40 and 30 px.
        let round = try look("filters:round_corner(500,0,0,255)", source)
        #expect(round.shows(Fix.blue, 9, 6) && round.shows(Fix.red, 16, 12))
        #expect(round.shows(Fix.blue, 20, 0) && round.shows(Fix.red, 40, 1) && round.shows(Fix.red, 1, 30))
        #expect(round.shows(Fix.blue, 0, 20))
        let clear = try look("filters:round_corner(30|10,0,0,0,1)", source)
        #expect(clear.shows(Fix.clear, 4, 3) && clear.image.hasAlpha)
        #expect(try look("filters:round_corner(0|10,0,0,255)", source).shows(Fix.red, 0, 0))
        let equal = try look("filters:round_corner(20|20,0,0,255)", source)
        #expect(equal.shows(Fix.blue, 1, 1) && equal.shows(Fix.red, 7, 7))
    }
}
