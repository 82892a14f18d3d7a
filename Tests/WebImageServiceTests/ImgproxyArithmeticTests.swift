import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests that sizes, positions and formats are the same as in imgproxy.
@Suite(.timeLimit(minutes: 2))
struct ImgproxyArithmeticTests {
    typealias Fix = PictureFixtures

    private func look(
        _ options: String, _ source: Data? = nil, watermark: WatermarkSource? = nil
    ) throws -> Look {
        try Fix.look(at: try Fix.make(options + "/f:png", from: try source ?? Fix.quadrants(), watermark: watermark))
    }

    @Test(arguments: [
        ("rs:fit:160:120/dpr:0.5", "80x60"), ("rs:fit:160:120/dpr:0.25", "40x30"), ("rs:fit:40:30/dpr:0.5", "20x15"),
        ("rs:fill:160:160/dpr:0.5", "80x60"), ("w:800/dpr:0.2", "80x60"), ("w:800/dpr:0.05", "40x30"),
        ("rs:fit:160:120:1/dpr:0.5", "80x60"), ("rs:force:160:60/dpr:0.5", "80x30"), ("w:160/dpr:3", "80x60"),
    ]) func ratioBelowOneReducesTheBoxAndNotASmallerSource(row: (options: String, size: String)) throws {
        #expect(try look(row.options).size == row.size)
    }

    /// With `extend`, the ratio reduces the picture and the added space alike.
    @Test func ratioBelowOneReducesAnExtendedComposition() throws {
        let extended = try look("rs:fit:160:160:0:1/dpr:0.5")
        #expect(extended.size == "80x80")
        #expect(
            extended.shows(Fix.clear, 18, 40) && extended.shows(Fix.red, 22, 28) && extended.shows(Fix.clear, 40, 22))
    }

    @Test func watermarkKeepsItsSizeUnderAPixelRatio() throws {
        let mark = WatermarkSource(data: try Fix.png(10, 10) { _, _ in Fix.green }, opacity: 1)
        let source = try Fix.png(60, 60) { _, _ in Fix.red }
        let corner = try look("w:30/dpr:2/wm:1:nowe:2:2", source, watermark: mark)
        #expect(corner.size == "60x60")
        // The ratio applies to the offsets: 2 px become 4 px.
        #expect(corner.shows(Fix.red, 3, 3) && corner.shows(Fix.green, 4, 4))
        #expect(corner.shows(Fix.green, 13, 13) && corner.shows(Fix.red, 15, 15))
    }

    /// Half of the gap is on each side of a mark, and the middle mark is at the centre.
    @Test func repeatedWatermarksAreCentredWithTheirGaps() throws {
        let mark = WatermarkSource(data: try Fix.png(10, 10) { _, _ in Fix.green }, opacity: 1)
        let source = try Fix.png(60, 50) { _, _ in Fix.red }
        func greens(_ options: String) throws -> [Int] {
            let look = try look(options, source, watermark: mark)
            return (0..<60).filter { look.shows(Fix.green, $0, 25) }
        }
        #expect(try greens("wm:1:re:10:10") == Array(5..<15) + Array(25..<35) + Array(45..<55))
        // Three tiles of 22 px have 66 px, so 3 px are cut off at each side.
        #expect(try greens("wm:1:re:12:0") == Array(3..<13) + Array(25..<35) + Array(47..<57))
        // Four tiles would have no middle, so there are five. Half of the outer tiles is cut off.
        #expect(
            try greens("wm:1:re:5:0") == Array(0..<5) + Array(10..<20) + Array(25..<35) + Array(40..<50)
                + Array(55..<60))
        // The gap follows the pixel ratio.
        #expect(try greens("w:30/dpr:2/wm:1:re:5:5") == Array(5..<15) + Array(25..<35) + Array(45..<55))
        // A gap below 1 is a fraction of the side.
        #expect(try greens("wm:1:re:0.5:0") == Array(25..<35))
    }

    @Test func fractionOfAPixelInACropIsCutOff() throws {
        #expect(try look("c:40.9:30.5:nowe").size == "40x30")
        #expect(try look("c:1.9:1.99:nowe").size == "1x1")
        #expect(try look("c:0.001:0.5").size == "1x30")
        #expect(try look("c:0.51:0.999").size == "41x60")
    }

    @Test func expiryZeroMeansNever() async throws {
        let bench = try ServiceBench()
        let response = await bench.picture("exp:0/w:8/f:png")
        #expect(response.status == 200)
        #expect(response.headers["Cache-Control"] == "public, max-age=86400, stale-while-revalidate=60")
    }

    @Test(arguments: [
        ("fn:my%20cat", "inline; filename=\"my cat.png\""),
        ("fn:caf%C3%A9", "inline; filename=\"caf_.png\"; filename*=UTF-8''caf%C3%A9.png"),
        ("fn:50%25", "inline; filename=\"50_.png\"; filename*=UTF-8''50%25.png"),
        ("fn:a%0d%0ab%2Fc", "inline; filename=\"abc.png\""),
        ("fn:a%zz", "inline; filename=\"a_zz.png\"; filename*=UTF-8''a%25zz.png"),
    ]) func escapedFileNamesAreDecoded(row: (options: String, field: String)) async throws {
        let bench = try ServiceBench()
        #expect(await bench.picture("w:4/f:png/\(row.options)").headers["Content-Disposition"] == row.field)
    }

    /// A format without transparency is not chosen for a result with added transparent space.
    @Test func addedSpaceDecidesTheFormat() throws {
        let opaque = try Fix.encoded(try Image.generated(width: 40, height: 30) { _, _ in Fix.red }, .webP)
        let clear = try Fix.encoded(
            try Image.generated(width: 40, height: 30) { x, _ in x < 20 ? Fix.red : Fix.clear }, .webP, hasAlpha: true)
        #expect(try Fix.make("w:20", from: opaque).format == .jpeg)
        #expect(try Fix.make("rs:fit:20:20:0:1", from: opaque).format == .png)
        #expect(try Fix.make("w:20/pd:3", from: opaque).format == .png)
        #expect(try Fix.make("rs:fit:20:20/exar:1", from: opaque).format == .png)
        #expect(try Fix.make("rs:fit:20:20:0:1/bg:fff", from: opaque).format == .jpeg)
        #expect(try Fix.make("w:20", from: clear).format == .png)
        #expect(try Fix.make("w:20/bg:fff", from: clear).format == .jpeg)
        // The format of a JPEG source is kept.
        let jpeg = try Fix.encoded(try Image.generated(width: 40, height: 30) { _, _ in Fix.red }, .jpeg)
        #expect(try Fix.make("rs:fit:20:20:0:1", from: jpeg).format == .jpeg)
    }

    @Test func watermarkOptionWithoutAWatermarkHasNoEffect() throws {
        let source = try Fix.quadrants()
        #expect(try Fix.make("wm:1:ce/f:png", from: source).data == (try Fix.make("f:png", from: source).data))
    }

    @Test(arguments: ["eth", "enforce_thumbnail"])
    func unsupportedFlagIsRefusedWithItsReason(name: String) throws {
        _ = try Fix.options("\(name):0")
        let refusal = #expect(throws: ServiceRefusal.self) { try Fix.options("\(name):1") }
        #expect(refusal?.status == 400 && refusal?.option == name)
        #expect(refusal?.message.contains(name.hasPrefix("p") ? "8 bits" : "embedded thumbnail") == true)
    }
}
