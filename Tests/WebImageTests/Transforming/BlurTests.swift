import Foundation
import Testing
import WebImage
import WebImageCore
import WebImageTestSupport
import WebImageTestTraits
import WebImageTesting

@testable import WebImageGraphics

/// Blurring and sharpening with a time that does not grow with the deviation.
@Suite(.timeLimit(minutes: 2))
struct BlurTests {
    /// A grey picture with noise. Alpha is the highest possible value.
    private func noise(_ width: Int, _ height: Int, alpha: UInt8 = 255) throws -> Image {
        var random = SeededRandom(seed: 7)
        let pixels = try PixelBuffer(width: width, height: height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { bytes in
            for row in 0..<height {
                for column in 0..<width {
                    let value = UInt8(random.next() % (UInt64(alpha) + 1))
                    for channel in 0..<4 {
                        bytes[row * pixels.bytesPerRow + column * 4 + channel] = channel == 3 ? alpha : value
                    }
                }
            }
        }
        return Image(pixels: pixels, hasAlpha: alpha < 255)
    }

    private func value(_ image: Image, _ x: Int, _ y: Int) -> Double {
        image.pixels.withUnsafeBytes { Double($0[y * image.pixels.bytesPerRow + x * 4]) }
    }

    /// The blurred value of a pixel, computed with the weights of the Gaussian in two dimensions.
    private func gaussian(_ image: Image, _ deviation: Double, _ x: Int, _ y: Int) -> Double {
        let reach = Int((deviation * 4).rounded(.up))
        var (sum, weights) = (0.0, 0.0)
        for dy in -reach...reach {
            for dx in -reach...reach {
                let weight = exp(-Double(dx * dx + dy * dy) / (2 * deviation * deviation))
                let column = min(max(x + dx, 0), image.pixels.width - 1)
                let row = min(max(y + dy, 0), image.pixels.height - 1)
                sum += weight * value(image, column, row)
                weights += weight
            }
        }
        return sum / weights
    }

    private static let places = [(31, 20), (33, 27), (0, 0), (63, 47), (5, 40)]

    @Test(arguments: [0.3, 0.7, 1, 1.9, 2, 3, 5])
    func blurIsTheGaussian(_ deviation: Double) throws {
        let image = try noise(64, 48)
        let blurred = try #require(image.blurredImage(deviation: deviation))
        // Three boxes differ from a Gaussian by a few levels. Each of them repeats the edges, so they are compared only
        // inside the picture.
        for (x, y) in deviation < 2 ? Self.places[...] : Self.places.prefix(2) {
            #expect(abs(value(blurred, x, y) - gaussian(image, deviation, x, y)) < (deviation < 2 ? 2 : 5))
        }
    }

    /// The loops process several bytes at a time, and the rest of a row alone.
    @Test(arguments: 1...37) func everyPixelIsTheExactMeanOfItsBoxes(width: Int) throws {
        let image = try noise(width, 9)
        for deviation in [2.0, 4, 30] {
            let reach = (Int(deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5) | 1) / 2
            let side = Float(2 * reach + 1)
            func means(_ row: [[Int]]) -> [[Int]] {
                row.indices.map { y in
                    row[y].indices.map { x in
                        var sum = 0
                        for dy in -reach...reach {
                            let line = row[min(max(y + dy, 0), row.count - 1)]
                            for dx in -reach...reach { sum += line[min(max(x + dx, 0), line.count - 1)] }
                        }
                        return Int(Float(sum) * (1 / (side * side)) + 0.5)
                    }
                }
            }
            let source = (0..<9).map { y in (0..<width).map { Int(value(image, $0, y)) } }
            let wanted = means(means(means(source)))
            let blurred = try #require(image.blurredImage(deviation: deviation))
            let made = (0..<9).map { y in (0..<width).map { Int(value(blurred, $0, y)) } }
            #expect(made == wanted, "deviation \(deviation)")
        }
        // The weights of a deviation of 1 px, at the beginning and the end of a row.
        let soft = try #require(image.blurredImage(deviation: 1))
        for x in [0, width / 2, width - 1] { #expect(abs(value(soft, x, 4) - gaussian(image, 1, x, 4)) < 2) }
    }

    @Test(arguments: [0.1, 1e-3, 1e-155, 1e-162, 1e-300, .leastNonzeroMagnitude])
    func verySmallDeviationChangesNothing(_ deviation: Double) throws {
        let image = try noise(20, 10)
        for changed in [
            image.blurredImage(deviation: deviation), image.sharpenedImage(deviation: deviation, amount: 1.5),
        ] {
            let changed = try #require(changed)
            for (x, y) in [(0, 0), (7, 3), (19, 9)] { #expect(value(changed, x, y) == value(image, x, y)) }
        }
    }

    @Test func sharpeningAddsTheDifferenceFromTheBlur() throws {
        let image = try noise(64, 48)
        let sharp = try #require(image.sharpenedImage(deviation: 1, amount: 1.5))
        for (x, y) in Self.places {
            let source = value(image, x, y)
            let wanted = min(max(source + 1.5 * (source - gaussian(image, 1, x, y)), 0), 255)
            #expect(abs(value(sharp, x, y) - wanted) < 4)
        }
    }

    @Test func sharpColoursAreNotLargerThanAlpha() throws {
        let sharp = try #require(try noise(16, 16, alpha: 100).sharpenedImage(deviation: 2, amount: 1.5))
        sharp.pixels.withUnsafeBytes { bytes in
            for row in 0..<16 {
                for index in stride(
                    from: row * sharp.pixels.bytesPerRow, to: row * sharp.pixels.bytesPerRow + 64, by: 4)
                {
                    #expect(bytes[index + 3] == 100 && bytes[index] <= 100)
                }
            }
        }
    }

    /// With the weights in two dimensions, the time of a deviation of 2.4 px was 30 times that of 0.3 px.
    @Test func timeDoesNotGrowWithTheDeviation() throws {
        let image = try noise(400, 300)
        let times = [0.3, 1, 1.9, 2.4, 5, 20, 100].map { deviation in
            (0..<3).map { _ in ProcessorTime.units { _ = image.blurredImage(deviation: deviation) } }.min() ?? 0
        }
        let (least, most) = (times.min() ?? 0, times.max() ?? 0)
        // A debug build compiles the loops without vectors, so that the deviations differ more.
        #expect(most < 6 * least, "\(times)")
    }

    @Test(arguments: [0.5, 3, 500])
    func effectsEndWithTheirBudget(_ deviation: Double) throws {
        let image = try noise(2000, 300)
        var checks = 0
        // An effect that ends early at each of its checks never returns a picture.
        while true {
            let countdown = DeadlineCountdown(checks: checks)
            let budget = WorkBudget(time: nil, countdown: countdown)
            let sharp = try budget.run { () throws(WebImageError) in
                image.sharpenedImage(deviation: deviation, amount: 1)
            }
            if !countdown.hasEnded {
                #expect(sharp != nil)
                break
            }
            #expect(sharp == nil)
            checks += 1
        }
        // One check for each 131,072 pixels in each pass.
        #expect(checks >= 10)
    }

    @Test func weightsOfResizesKeepFewBytes() throws {
        for width in 60_000..<60_010 {
            let row = try PixelBuffer(width: width, height: 1, format: .rgba8)
            _ = try row.scaled(to: PixelSize(width: 30_000, height: 1))
            #expect(ResampleGraphPool.byteCount <= ResampleGraphPool.maxBytes)
        }
    }

    @Test func resizeEndsWithItsBudget() throws {
        let image = try noise(200, 400)
        let budget = WorkBudget(time: nil, countdown: DeadlineCountdown(checks: 100))
        let error = #expect(throws: WebImageError.self) {
            try budget.run { () throws(WebImageError) in try image.pixels.scaled(to: PixelSize(width: 100, height: 390))
            }
        }
        #expect(error?.isCancellation == true)
    }
}
