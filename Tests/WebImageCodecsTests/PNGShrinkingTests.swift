import Foundation
import Testing
import WebImageCodecs
import WebImageCore
import WebImageGraphics
import WebImageTestTraits

@Suite(.timeLimit(minutes: 5))
struct PNGShrinkingTests {
    private let box = PixelSize(width: 100, height: 100)

    @Test("A huge picture read row by row looks like the same picture scaled whole", arguments: [false, true])
    func pngShrunkByRowsIsCloseToAScaledDecode(hasAlpha: Bool) throws {
        let size = PixelSize(width: 3000, height: 3001)
        // Use an image with smooth colours, so that the results of the row filter and of `scaled(to:)` are nearly
        // equal.
        let small = try Sample.buffer(40, 40, .rgba8) { x, y, channel in
            channel == 3 ? (hasAlpha ? 55 + x * 5 : 255) : (channel == 0 ? x : channel == 1 ? y : 39 - x) * 6
        }
        let pixels = try small.scaled(to: size, isOpaque: !hasAlpha)
        let data = try ImagePNGCoder.shared.encode(
            Image(pixels: pixels, hasAlpha: hasAlpha), format: .png, options: EncodingOptions())
        var options = DecodingOptions()
        options.thumbnailPixelSize = box
        let image = try ImagePNGCoder.shared.decode(data, options: options)
        let whole = try pixels.scaled(to: image.pixelSize, isOpaque: !hasAlpha).converted(to: .bgra8Premultiplied)
        #expect(image.pixelSize == PixelSize(width: 100, height: 100))
        #expect(image.hasAlpha == hasAlpha)
        #expect(Sample.largestDifference(Sample.values(image.pixels), Sample.values(whole)) <= 3)
        let stream = ImagePNGCoder(incremental: options)
        try stream.append(data, finished: true)
        let streamed = try #require(stream.incrementalImage(options: nil))
        #expect(Sample.values(streamed.pixels) == Sample.values(image.pixels))
    }

    @Test func rowShrinkerAveragesEveryRow() throws {
        let shrinker = try RowShrinker(PixelSize(width: 10, height: 103), format: .gray8, factor: 10)
        var rows = 0
        while !shrinker.isDone {
            let (start, stride) = shrinker.target
            for row in 0..<shrinker.wantedRowCount {
                for x in 0..<10 { start[row * stride + x] = UInt8(rows + row) }
            }
            rows += shrinker.wantedRowCount
            shrinker.finishBand()
        }
        #expect(rows == 103)
        // Ten blocks of ten rows, and a last block of the three rows that are left.
        let values = Sample.values(shrinker.result)
        #expect(values.count == 11)
        let means = (0..<10).map { 10 * $0 + 4 } + [101]
        #expect(Sample.largestDifference(values, means) <= 1, "\(values)")
    }
}
