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

    private static func original(_ pixels: [UInt8], width: Int, instructions: Int) throws -> OpaquePointer {
        let scales = webimage_score_scales(width, pixels.count / (3 * width))
        return try #require(
            withPicture(pixels, width: width) { webimage_scored_original_make(&$0, scales, Int32(instructions)) })
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
                return Self.withPicture(second, width: width) { webimage_picture_score(original, &$0) }
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
            let alone = Self.withPicture(second, width: width) { webimage_picture_score(original, &$0) }
            let white = [UInt8](repeating: 255, count: first.count)
            #expect(Self.withPicture(white, width: width) { webimage_picture_score(original, &$0) } < 50)
            #expect(Self.withPicture(second, width: width) { webimage_picture_score(original, &$0) } == alone)
            #expect(Self.withPicture(first, width: width) { webimage_picture_score(original, &$0) } == 100)
            #expect(Self.withPicture(first, width: width - 1) { webimage_picture_score(original, &$0) }.isNaN)
        }
    }
}
