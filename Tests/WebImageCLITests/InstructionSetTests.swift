import Foundation
import Testing
import WebImage
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

/// Pixman and libjpeg-turbo choose their code by the instructions of the processor. The command writes the same pixels with
/// all of them.
@Suite(.timeLimit(minutes: 5))
struct InstructionSetTests {
    private let scratch: ScratchFolder

    init() throws { scratch = try ScratchFolder() }

    /// Variables of the environment that leave instructions out.
    private static let restrictions: [[String: String]] = [
        ["PIXMAN_DISABLE": "ssse3"], ["PIXMAN_DISABLE": "ssse3 sse2 mmx arm-neon"],
        ["PIXMAN_DISABLE": "ssse3 sse2 mmx arm-neon fast"], ["PIXMAN_DISABLE": "wholeops"], ["JSIMD_FORCENONE": "1"],
        ["JSIMD_FORCESSE2": "1"],
    ]

    private static let steps = [
        ["--round", "40,5,#ff3060c0"], ["--rotate", "17"], ["--tint", "#8000a0f0,multiply"], ["--tint", "#c0a01050"],
        ["--filter", "sharpen=0.7"], ["--filter", "convolution=0,1,0,1,2,1,0,1,0"], ["--filter", "vignette=1"],
        ["--resize", "130x130,aspectFit"], ["--size", "90"],
    ]

    @Test(arguments: [ImageFormat.jpeg, .png]) func everyInstructionSetOfALibraryWritesTheSamePixels(
        format: ImageFormat
    ) throws {
        let waves = try IdealPicture.waves(width: 241, height: 133, hasAlpha: format == .png)
        let data = try ImageCodersManager.shared.encode(waves, format: format, options: EncodingOptions())
        let (input, output) = (scratch.url.appendingPathComponent("in"), scratch.url.appendingPathComponent("out"))
        try data.write(to: input)
        for step in Self.steps {
            func rows(_ restriction: [String: String]) throws -> Data {
                // Pixman reports on standard output that it leaves code out.
                let outcome = try Tool.run(
                    ["convert", "--quiet", "--overwrite", "--format", "rgba"] + step + [input.path, output.path],
                    environment: restriction)
                #expect(outcome.code == 0, "\(step), \(restriction): \(outcome.errors)")
                return try Data(contentsOf: output)
            }
            let usual = try rows([:])
            for restriction in Self.restrictions {
                #expect(try rows(restriction) == usual, "\(step), \(restriction)")
            }
        }
    }
}
