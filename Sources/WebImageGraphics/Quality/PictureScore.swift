import CWebImagePixelLoops
import Foundation
package import WebImageCore

/// How much a picture looks like another one, by SSIMULACRA 2 (version 2.1): 100 is equal, 90 is very similar even side by side,
/// 70 is high and 50 medium quality for pictures on the web.
package enum PictureScore {
    /// A picture with a shorter side has no score.
    package static let leastSide = 8
    /// The memory for each pixel of a comparison, in bytes: two pictures of three floating-point numbers at this scale, a quarter of
    /// it at the next one, and the pictures on a background.
    package static let bytesPerPixel = 40
    /// The largest picture that is compared as a whole, in pixels. A larger one is compared by parts of it, so that the memory
    /// has a limit.
    package static let largestWhole = partCount * partCount * partSide * partSide * 5 / 4

    private static let partCount = 6
    private static let partSide = 256

    /// A picture with which others are compared.
    package struct Reference: Sendable {
        private let pixels: PixelBuffer
        private let hasAlpha: Bool
        private let background: ImageColor

        /// - Parameter background: The colour behind transparent pixels in pictures without alpha that are compared.
        package init(_ pixels: PixelBuffer, hasAlpha: Bool, background: ImageColor = .white) {
            self.pixels = pixels
            self.hasAlpha = hasAlpha
            self.background = background
        }

        /// Returns the score of a picture. Pictures with alpha are compared over a dark and over a light grey, and the lower
        /// score counts. Samples with more than 8 bits are rounded to 8.
        ///
        /// - Throws: `.encodingFailed` if the sizes differ or memory is exhausted.
        package func score(of other: PixelBuffer, hasAlpha otherHasAlpha: Bool) throws(WebImageError) -> Double {
            guard pixels.size == other.size else {
                throw .cannotEncode("SSIMULACRA 2", "pictures of \(other.size) and \(pixels.size) cannot be compared")
            }
            let first = try part(of: pixels), second = try part(of: other)
            let backgrounds: [(first: ImageColor, second: ImageColor)] =
                switch (hasAlpha, otherHasAlpha) {
                case (false, false): [(.white, .white)]
                case (true, false): [(background, background)]
                case (_, true): [0.1, 0.9].map { ImageColor(red: $0, green: $0, blue: $0) }.map { ($0, $0) }
                }
            var lowest = 100.0
            for colors in backgrounds {
                let score = PictureScore.score(
                    of: try flat(second, hasAlpha: otherHasAlpha, over: colors.second),
                    comparedWith: try flat(first, hasAlpha: hasAlpha, over: colors.first))
                guard !score.isNaN else { throw .cannotEncode("SSIMULACRA 2", "out of memory") }
                lowest = min(lowest, score)
            }
            return lowest
        }

        private func part(of pixels: PixelBuffer) throws(WebImageError) -> PixelBuffer {
            guard pixels.size.pixelCount > largestWhole else { return pixels }
            return try pixels.parts(partCount, side: partSide)
        }

        private func flat(
            _ pixels: PixelBuffer, hasAlpha: Bool, over color: ImageColor
        ) throws(WebImageError) -> PixelBuffer {
            if hasAlpha, pixels.format.hasAlpha { return try pixels.composited(over: color) }
            return switch pixels.format {
            case .gray8, .rgb8, .rgba8, .bgra8Premultiplied: pixels
            case .rgba16, .rgbaHalf: try pixels.converted(to: .rgba8, isOpaque: true)
            }
        }
    }

    private static func score(of picture: PixelBuffer, comparedWith original: PixelBuffer) -> Double {
        original.withUnsafeBytes { first in
            picture.withUnsafeBytes { second in
                var (first, second) = (described(original, first), described(picture, second))
                return webimage_picture_score(&first, &second)
            }
        }
    }

    private static func described(
        _ pixels: PixelBuffer, _ bytes: UnsafeRawBufferPointer
    ) -> webimage_scored_picture {
        let offsets: (Int, Int, Int) =
            switch pixels.format {
            case .gray8: (0, 0, 0)
            case .bgra8Premultiplied: (2, 1, 0)
            default: (0, 1, 2)
            }
        return webimage_scored_picture(
            width: pixels.width, height: pixels.height, rows: bytes.bindMemory(to: UInt8.self).baseAddress,
            stride: pixels.bytesPerRow, step: pixels.format.bytesPerPixel, offsets: offsets)
    }
}

extension PixelBuffer {
    /// Returns at most `count` × `count` squares of the picture, which are spread evenly over it, side by side. A narrow picture has
    /// more of them along its length. They begin at whole blocks of 16 px, so that the blocks of an encoder are the same ones.
    package func parts(_ count: Int, side: Int) throws(WebImageError) -> PixelBuffer {
        let (wide, high) = (min(side, width), min(side, height))
        let columns = min(count * count / min(count, height / high), width / wide)
        let rows = min(count * count / columns, height / high)
        let result = try PixelBuffer(width: columns * wide, height: rows * high, format: format)
        let bytesPerLine = wide * format.bytesPerPixel
        for row in 0..<rows {
            for column in 0..<columns {
                let x = (width - wide) * (2 * column + 1) / (2 * columns) & ~15
                let y = (height - high) * (2 * row + 1) / (2 * rows) & ~15
                for line in 0..<high {
                    memcpy(
                        result.baseAddress + (row * high + line) * result.bytesPerRow + column * bytesPerLine,
                        baseAddress + (y + line) * bytesPerRow + x * format.bytesPerPixel, bytesPerLine)
                }
            }
        }
        return result
    }
}
