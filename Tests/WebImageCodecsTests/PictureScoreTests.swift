import CWebImagePixelLoops
import Testing
import WebImageTesting

/// The loops behind scores of SSIMULACRA 2.
@Suite struct PictureScoreTests {
    /// Noise with a gradient, and the same with fewer levels.
    private static func pixels(
        _ width: Int, _ height: Int, _ random: inout SeededRandom
    ) -> (first: [UInt8], second: [UInt8]) {
        let first = (0..<width * height * 3).map { place in
            UInt8(clamping: place % (3 * width) / 3 + Int.random(in: 0...60, using: &random))
        }
        return (first, first.map { $0 / 6 * 6 })
    }

    private static func withPicture<Result>(
        _ pixels: [UInt8], width: Int, _ body: (inout webimage_scored_picture) -> Result
    ) -> Result {
        pixels.withUnsafeBufferPointer { bytes in
            var picture = webimage_scored_picture(
                width: width, height: pixels.count / (3 * width), rows: bytes.baseAddress, stride: 3 * width, step: 3,
                offsets: (0, 1, 2))
            return body(&picture)
        }
    }

    private static func original(
        _ pixels: [UInt8], width: Int, instructions: Int, first: Int = 0
    ) throws -> OpaquePointer {
        let count = webimage_score_scales(width, pixels.count / (3 * width))
        let scales = webimage_score_range(first: Int32(first), end: count, count: count)
        return try #require(
            withPicture(pixels, width: width) { webimage_scored_original_make(&$0, scales, Int32(instructions)) })
    }

    private static func score(_ original: OpaquePointer, _ other: [UInt8], width: Int) -> Double {
        withPicture(other, width: width) { webimage_score_of_loss(webimage_picture_loss(original, &$0, .max)) }
    }

    /// A file must not depend on the machine that encodes it for a score.
    @Test func everyInstructionSetHasOneScore() throws {
        var random = SeededRandom.printingSeed()
        let sets = 0...Int(webimage_widest_instructions())
        // Fewer scales than six, odd sides, and rows that end inside a vector.
        for (width, height) in [(8, 8), (9, 31), (64, 17), (257, 70), (300, 290)] {
            let (first, second) = Self.pixels(width, height, &random)
            let scores = try sets.map { set in
                let original = try Self.original(first, width: width, instructions: set)
                defer { webimage_scored_original_free(original) }
                return Self.score(original, second, width: width)
            }
            #expect(scores[0] < 99 && Set(scores).count == 1, "\(width)x\(height): \(scores)")
        }
    }

    /// The memory of a comparison is used again. Nothing of the picture before must be left in it.
    @Test func comparisonDoesNotDependOnTheOneBefore() throws {
        var random = SeededRandom.printingSeed()
        for (width, height) in [(33, 47), (290, 301)] {
            let (first, second) = Self.pixels(width, height, &random)
            let original = try Self.original(first, width: width, instructions: 2)
            defer { webimage_scored_original_free(original) }
            let alone = Self.score(original, second, width: width)
            let white = [UInt8](repeating: 255, count: first.count)
            #expect(Self.score(original, white, width: width) < 50)
            #expect(Self.score(original, second, width: width) == alone)
            #expect(Self.score(original, first, width: width) == 100)
            #expect(Self.score(original, first, width: width - 1).isNaN)
        }
    }

    /// A picture can be compared in two ways: its fine scales by parts of it, and the others as a whole.
    @Test func lossesOfScalesAddUp() throws {
        var random = SeededRandom.printingSeed()
        for (width, height) in [(33, 47), (290, 301)] {
            let (first, second) = Self.pixels(width, height, &random)
            let losses = try [0, 2].map { start in
                let original = try Self.original(first, width: width, instructions: 2, first: start)
                defer { webimage_scored_original_free(original) }
                return Self.withPicture(second, width: width) { picture in
                    [2, .max].map { webimage_picture_loss(original, &picture, $0) }
                }
            }
            #expect(losses[0][0] > 0 && losses[1][0] == 0 && losses[1][1] > 0)
            #expect(abs(losses[0][0] + losses[1][1] - losses[0][1]) < 1e-9, "\(width)x\(height): \(losses)")
        }
    }

    /// What a JPEG does to a picture does not depend on the machine either, and not on the table before.
    @Test(arguments: [Int32(0), 1]) func everyInstructionSetCodesAlike(halvesChroma: Int32) throws {
        var random = SeededRandom.printingSeed()
        let table = (0..<64).map { UInt16(4 + $0) }, coarse = table.map { $0 * 9 }
        for (width, height) in [(1, 1), (8, 8), (9, 31), (64, 17), (257, 70)] {
            let (first, _) = Self.pixels(width, height, &random)
            var results: Set<[UInt8]> = []
            for set in 0...webimage_widest_instructions() {
                let coder = try #require(Self.withPicture(first, width: width) { webimage_block_coder_make(&$0, set) })
                defer { webimage_block_coder_free(coder) }
                for tables in [[table], [coarse, table]] {
                    var coded = webimage_scored_picture()
                    for table in tables { #expect(webimage_block_coded(coder, table, halvesChroma, &coded) == 1) }
                    #expect(coded.width == width && coded.height == height)
                    let rows = try #require(coded.rows), offsets = [coded.offsets.0, coded.offsets.1, coded.offsets.2]
                    results.insert(
                        offsets.flatMap { offset in
                            (0..<height).flatMap { y in (0..<width).map { rows[offset + y * coded.stride + $0] } }
                        })
                }
            }
            #expect(results.count == 1, "\(width)x\(height)")
        }
    }
}
