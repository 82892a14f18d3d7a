import Foundation
import Testing
import WebImage
import WebImageTestTraits
import WebImageTesting

@Suite(.timeLimit(minutes: 1))
struct FilterTests {
    private func color(_ image: Image?, _ x: Int = 0, _ y: Int = 0) -> [Double] {
        guard let color = image?.color(at: CGPoint(x: x, y: y)) else { return [] }
        return [color.red, color.green, color.blue, color.alpha]
    }

    private func isNear(_ mine: [Double], _ theirs: [Double], within tolerance: Double = 0.01) -> Bool {
        mine.count == theirs.count && zip(mine, theirs).allSatisfy { abs($0 - $1) <= tolerance }
    }

    @Test func inversionUsesLinearLight() throws {  // SDImageTransformerTests.test08UIImageTransformFilterCG
        let red = try TestImages.solid(blue: 31, green: 36, red: 151)
        #expect(isNear(color(red.filteredImage(with: ColorFilter.invert)), [0.85098, 0.992157, 0.992157, 1]))
        let black = try TestImages.solid(blue: 0, green: 0, red: 0)
        #expect(isNear(color(black.filteredImage(with: ColorFilter.invert)), [1, 1, 1, 1], within: 0.004))
    }

    @Test func saturationZeroIsGreyAndOneIsTheSame() throws {
        let image = try TestImages.solid(blue: 40, green: 80, red: 120)
        let grey = color(image.filteredImage(with: ColorFilter.saturation(0)))
        #expect(abs(grey[0] - grey[1]) < 0.01 && abs(grey[1] - grey[2]) < 0.01)
        #expect(isNear(color(image.filteredImage(with: ColorFilter.saturation(1))), color(image), within: 0.006))
    }

    @Test func exposureOfOneStopDoublesTheLight() throws {
        func linear(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let image = try TestImages.solid(blue: 40, green: 80, red: 120)
        let brighter = color(image.filteredImage(with: ColorFilter.exposure(stops: 1)))
        for (before, after) in zip(color(image), brighter).prefix(3) {
            #expect(abs(linear(after) - 2 * linear(before)) < 0.01)
        }
    }

    @Test func contrastSepiaMonochromeAndMatrixFollowTheirFormulas() throws {
        let image = try TestImages.solid(blue: 51, green: 102, red: 153)
        #expect(isNear(color(image.filteredImage(with: ColorFilter.contrast(2))), [0.7, 0.3, 0, 1]))
        let sepia = [0.393 * 0.6 + 0.769 * 0.4 + 0.189 * 0.2, 0.349 * 0.6 + 0.686 * 0.4 + 0.168 * 0.2]
        #expect(isNear(Array(color(image.filteredImage(with: ColorFilter.sepia())).prefix(2)), sepia))
        let grey = 0.2126 * 0.6 + 0.7152 * 0.4 + 0.0722 * 0.2
        #expect(isNear(color(image.filteredImage(with: ColorFilter.monochrome(.white))), [grey, grey, grey, 1]))
        let swap = try #require(ColorFilter.matrix([0, 0, 1, 0, 1, 0, 1, 0, 0]))
        #expect(isNear(color(image.filteredImage(with: swap)), [0.2, 0.4, 0.6, 1]))
    }

    @Test func alphaStaysAndColourIsNotDarkenedByIt() throws {
        let image = try TestImages.solid(blue: 50, green: 50, red: 50, alpha: 100)
        let same = try #require(ColorFilter.matrix([1, 0, 0, 0, 1, 0, 0, 0, 1]))
        #expect(isNear(color(image.filteredImage(with: same)), color(image), within: 0.01))
    }

    @Test func everyParameterIsPartOfTheKey() {
        #expect(
            ImageFilterTransformer(filter: ColorFilter.invert).transformerKey
                == "SDImageFilterTransformer(CIColorInvert)")
        let keys = [
            ColorFilter.exposure(stops: 1).filterKey, ColorFilter.exposure(stops: 2).filterKey,
            ColorFilter.sepia().filterKey, ColorFilter.sepia(intensity: 0.5).filterKey,
            ColorFilter.monochrome(.black).filterKey, ColorFilter.monochrome(.white).filterKey,
            NeighbourFilter.sharpen(1).filterKey, NeighbourFilter.sharpen(2).filterKey,
            NeighbourFilter.pixellate(points: 3).filterKey, NeighbourFilter.vignette(intensity: 1).filterKey,
        ]
        #expect(Set(keys).count == keys.count)
    }

    @Test func convolutionWeighsNeighbours() throws {
        let flat = try TestImages.solid(width: 20, height: 20, blue: 90, green: 120, red: 30)
        for filter in [NeighbourFilter.sharpen(1), .pixellate(points: 6)] {
            #expect(isNear(color(flat.filteredImage(with: filter), 10, 10), color(flat), within: 0.006))
        }
        let box = try #require(NeighbourFilter.convolution([Double](repeating: 1.0 / 9, count: 9)))
        #expect(isNear(color(flat.filteredImage(with: box), 0, 0), color(flat), within: 0.008))
        let vignette = flat.filteredImage(with: NeighbourFilter.vignette(intensity: 1))
        #expect(color(vignette, 0, 0)[1] < 0.15 && isNear(color(vignette, 10, 10), color(flat), within: 0.02))
    }

    @Test func invalidParametersReturnNil() throws {
        let image = try TestImages.solid()
        #expect(ColorFilter.matrix([1, 2]) == nil && ColorFilter.matrix([Double](repeating: .nan, count: 9)) == nil)
        #expect(NeighbourFilter.convolution([1, 2, 3, 4]) == nil && NeighbourFilter.convolution([.infinity]) == nil)
        #expect(image.filteredImage(with: ColorFilter.contrast(.nan)) == nil)
        #expect(image.filteredImage(with: NeighbourFilter.sharpen(.infinity)) == nil)
        #expect(image.filteredImage(with: NeighbourFilter.pixellate(points: 0)) == nil)
        #expect(image.filteredImage(with: NeighbourFilter.vignette(intensity: .nan)) == nil)
        #expect(image.filteredImage(with: ColorFilter.exposure(stops: 1e9)) != nil)
    }
}
