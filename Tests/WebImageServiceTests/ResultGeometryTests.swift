import Testing
import WebImageCore
import WebImageTestTraits
import WebImageTesting

@testable import WebImageService

/// Tests the sizes and positions that `ResultGeometry` computes. The tests need no pixels.
@Suite(.timeLimit(minutes: 1))
struct ResultGeometryTests {
    /// A source, the options, and the sizes: of the scaled picture, after the cut, and of the result.
    struct Row: Sendable, CustomTestStringConvertible {
        let source: PixelSize
        let options: String
        let scaled: PixelSize
        let cut: PixelSize
        let result: PixelSize

        /// - Parameter words: Source, options and scaled size; `cut` and `result` follow if they differ.
        init(_ words: [String]) {
            func size(_ name: String) -> PixelSize? {
                words.firstIndex(of: name).map { ResultGeometryTests.size(words[$0 + 1]) }
            }
            (source, options, scaled) = (
                ResultGeometryTests.size(words[0]), words[1], ResultGeometryTests.size(words[2])
            )
            cut = size("cut") ?? scaled
            result = size("result") ?? cut
        }

        var testDescription: String { "\(source) \(options)" }
    }

    /// A side has at least one pixel. So a result of an extreme ratio can exceed the limit even if it is reduced.
    @Test(arguments: [
        ("300x200", "rs:force:57:100000/exar:1"), ("40x40", "rs:force:100000:65/exar:1"),
        ("10000x1", "rs:fill-down:100000:97"), ("1x10000", "rs:fill-down:97:100000"),
        ("1x1", "rs:auto:56:100000/exar:1"),
        ("10x10", "pd:100000:100000:100000:100000"), ("10x10", "rs:fit:100000:1:1:1/pd:0:5"),
        ("1x1", "pd:100000:0:0:1"),
        ("100x1", "rs:force:1:1/mw:100000"), ("1000000x2", "w:0"), ("1x1", "z:10000:0.0001/el:1/w:100000"),
    ]) func resultNeverExceedsTheLimit(row: (source: String, options: String)) throws {
        let options = try Self.options(row.options)
        for limit in [1, 2, 256, 1_024, 8_192] {
            let geometry = ResultGeometry(source: Self.size(row.source), options: options, maxSide: limit)
            #expect(max(geometry.result.width, geometry.result.height) <= limit, "\(limit): \(geometry.result)")
            #expect(min(geometry.result.width, geometry.result.height) >= 1)
            #expect(
                min(geometry.padding.left, geometry.padding.right, geometry.padding.top, geometry.padding.bottom) >= 0)
        }
    }

    /// thumbor's crop has the ratio of the box, however little of the source it leaves out, and is centred.
    @Test func exactCutsHaveTheRatioOfTheBox() throws {
        var random = SeededRandom.printingSeed()
        func side() -> Int {
            let root = Int.random(in: 1...55, using: &random)
            return root * root + Int.random(in: 0...root, using: &random)
        }
        for _ in 0..<2000 {
            let source = PixelSize(width: side(), height: side())
            var box = PixelSize(width: side(), height: side())
            if Bool.random(using: &random) {
                // Nearly the ratio of the source: less than a pixel is cut.
                box.height = min(max(box.width * source.height / source.width, 1), 60_000)
            }
            var options = ProcessingOptions()
            (options.resizing, options.enlarge, options.cutsExactly) = (.fill, true, true)
            (options.width, options.height) = (box.width, box.height)
            let geometry = ResultGeometry(source: source, options: options)
            let region = try #require(geometry.fixedRegion)
            let (wide, high) = (region.width / Double(box.width), region.height / Double(box.height))
            #expect(abs(wide / high - 1) < 1e-5, "\(source) in \(box): \(region)")
            let (across, down) = (region.left + region.width / 2, region.top + region.height / 2)
            #expect(abs(across - Double(source.width) / 2) < 1e-4)
            #expect(abs(down - Double(source.height) / 2) < 1e-4)
            #expect(min(region.left, region.top) >= 0)
        }
    }

    static let rows = """
        400x300  w:0                      400x300
        400x300  w:200                    200x150
        400x300  h:150                    200x150
        400x300  rs:fit:200:200           200x150
        400x300  rs:fit:100:30            40x30
        401x300  rs:fit:0:150             201x150
        400x300  rs:fit:800:800           400x300
        400x300  rs:fit:800:800:1         800x600
        400x300  rs:fill:200:200          267x200     cut 200x200
        400x300  rs:fill:200:100          200x150     cut 200x100
        400x300  rs:fill:800:100          400x300     cut 400x100
        400x300  rs:fill:800:100:1        800x600     cut 800x100
        400x300  rs:fill:200:0            200x150
        400x300  rs:fill-down:800:800     400x300     cut 300x300
        400x300  rs:fill-down:800:200     400x300     cut 400x100
        400x300  rs:fill-down:200:200     267x200     cut 200x200
        400x300  rs:force:200:30          200x30
        400x300  rs:force:200:0           200x300
        400x300  rs:force:800:150         400x75
        400x300  rs:force:800:150:1       800x150
        400x300  rs:auto:200:100          200x150     cut 200x100
        400x300  rs:auto:100:200          100x75
        400x300  rs:auto:100:100          133x100     cut 100x100
        400x300  w:100/mw:200             200x150     cut 100x150
        400x300  w:100/mh:600             800x600     cut 100x600
        400x300  w:100/z:2                200x150
        400x300  rs:force:100:100/z:2:0.5 200x50
        400x300  z:0.5                    200x150
        400x300  w:100/dpr:2              200x150
        400x300  w:300/dpr:2              400x300
        400x300  w:300/dpr:2/el:1         600x450
        400x300  rs:fit:200:200:0:1       200x150     result 200x200
        400x300  rs:fit:800:800:0:1       400x300     result 800x800
        400x300  rs:fit:0:150:0:1         200x150
        400x300  rs:fit:800:800/exar:1    400x300     result 400x400
        400x300  rs:fit:800:400/exar:1    400x300     result 600x300
        400x300  w:200/pd:10:20:30:40     200x150     result 260x190
        400x300  w:100/dpr:2/pd:10        200x150     result 240x190
        400x300  w:400/dpr:2/pd:10        400x300     result 420x320
        400x300  c:200:100                200x100
        400x300  c:0.5:0.5/w:100          100x75
        400x300  c:0:100/w:200            200x50
        400x300  c:1000:1000              400x300
        400x300  rot:90                   300x400
        400x300  rot:90/w:150             150x200
        400x300  rot:90/c:100:0           100x400
        22x44    rs:fit:15:15             8x15
        44x22    rs:fit:15:15             15x8
        1000x1   w:10                     10x1
        1x1      rs:fill:300:300          1x1
        1x1      rs:fill:300:200:1        300x300     cut 300x200
        400x300  dpr:0.0001               1x1
        400x300  el:1/z:10000/dpr:10000   65535x49151
        """.split(separator: "\n").map { Row($0.split(separator: " ").map(String.init)) }

    private static func size(_ text: String) -> PixelSize {
        let sides = text.split(separator: "x").compactMap { Int($0) }
        return PixelSize(width: sides[0], height: sides[1])
    }

    private static func options(_ text: String) throws -> ProcessingOptions {
        try ImgproxyRouter().parse("/_/\(text)/plain/a"[...]).options
    }

    @Test(arguments: rows) func sizesFollowTheOptions(row: Row) throws {
        let geometry = ResultGeometry(source: row.source, options: try Self.options(row.options))
        #expect(geometry.scaled == row.scaled)
        #expect(geometry.cut == row.cut)
        #expect(geometry.result == row.result)
    }

    @Test func croppedImageIsDecodedAtTheSizeOfItsCrop() throws {
        let geometry = ResultGeometry(
            source: PixelSize(width: 4000, height: 3000), options: try Self.options("c:0.5:0.5/w:100"))
        #expect(geometry.decodeSize(isVector: false) == PixelSize(width: 200, height: 150))
        let large = ResultGeometry(source: PixelSize(width: 40, height: 30), options: try Self.options("w:100/el:1"))
        #expect(large.decodeSize(isVector: false) == PixelSize(width: 40, height: 30))
        #expect(large.decodeSize(isVector: true) == PixelSize(width: 100, height: 75))
    }

    @Test func resultBeyondTheLongestSideIsScaledDown() throws {
        let options = try Self.options("rs:fill:400:300/pd:50")
        let geometry = ResultGeometry(source: PixelSize(width: 800, height: 600), options: options, maxSide: 250)
        #expect(geometry.result == PixelSize(width: 250, height: 200))
        #expect(geometry.padding.left == 25)
        #expect(geometry.cut == PixelSize(width: 200, height: 150))
    }

    @Test func vectorsAreEnlargedByDefault() throws {
        let geometry = ResultGeometry(
            source: PixelSize(width: 40, height: 30), options: try Self.options("w:400/dpr:2"), isVector: true)
        #expect(geometry.scaled == PixelSize(width: 800, height: 600))
    }

    static let places: [(gravity: String, dpr: Double, x: Int, y: Int)] = [
        ("ce", 1, 50, 26), ("no", 1, 50, 0), ("so", 1, 50, 50), ("ea", 1, 100, 26), ("we", 1, 0, 26),
        ("noea", 1, 100, 0), ("nowe", 1, 0, 0), ("soea", 1, 100, 50), ("sowe", 1, 0, 50),
        ("ce:10:-5", 1, 60, 21), ("nowe:10:5", 2, 20, 10), ("soea:10:5", 1, 90, 45), ("ce:0.1:0", 2, 70, 26),
        ("we:-10:0", 1, 0, 26), ("ce:1000:0", 1, 100, 26),
        ("fp:0:0", 1, 0, 0), ("fp:1:1", 1, 100, 50), ("fp:0.5:0.5", 1, 50, 25), ("fp:0.3:0.4", 1, 10, 15),
    ]

    @Test(arguments: places) func positionsFollowGravity(row: (gravity: String, dpr: Double, x: Int, y: Int)) throws {
        let gravity = try Self.options("g:\(row.gravity)").gravity
        let place = Geometry.place(
            PixelSize(width: 100, height: 50), in: PixelSize(width: 200, height: 100), gravity, dpr: row.dpr)
        #expect(place == PixelPlace(x: row.x, y: row.y))
    }

    @Test func theMiddleIsRoundedHalfToEven() {
        func x(_ inner: Int, _ outer: Int) -> Int {
            Geometry.place(PixelSize(width: inner, height: 1), in: PixelSize(width: outer, height: 1), .center).x
        }
        // The offset is (outer - inner + 1) / 2, rounded half to even.
        #expect([x(1, 2), x(1, 3), x(1, 4), x(1, 5), x(1, 1)] == [1, 2, 2, 2, 0])
    }

    @Test func theOtherGrammarsSizesAreThoseOfItsDocuments() throws {
        func geometry(_ parts: String) throws -> ResultGeometry {
            let options = try ThumborRouter().parse("/unsafe/\(parts)/a.b/c"[...]).options
            return ResultGeometry(source: PixelSize(width: 400, height: 300), options: options)
        }
        #expect(try geometry("200x200").cut == PixelSize(width: 200, height: 200))
        #expect(try geometry("800x0").cut == PixelSize(width: 800, height: 600))
        #expect(try geometry("fit-in/800x800").cut == PixelSize(width: 400, height: 300))
        #expect(try geometry("full-fit-in/200x200").cut == PixelSize(width: 267, height: 200))
        #expect(try geometry("adaptive-fit-in/150x200").cut == PixelSize(width: 200, height: 150))
        #expect(try geometry("origx100").cut == PixelSize(width: 400, height: 100))
        #expect(try geometry("10x20:110x220").cut == PixelSize(width: 100, height: 200))
        #expect(try geometry("0x0").cut == PixelSize(width: 400, height: 300))
        #expect(try geometry("fit-in/200x200/filters:fill(red)").result == PixelSize(width: 200, height: 200))
        let focus = try geometry("100x300/filters:focal(300x0:400x100)").cutGravity
        #expect(focus == Gravity(anchor: .focusPoint, x: 0.875, y: 50.0 / 300))
    }
}
