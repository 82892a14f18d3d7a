import CWebImagePixelLoops
import Foundation
package import WebImageCore

/// How much a picture looks like another one, by SSIMULACRA 2 (version 2.1): 100 is equal, 90 is very similar even side by side,
/// 70 is high and 50 medium quality for pictures on the web.
package enum PictureScore {
    /// A picture with a shorter side has no score.
    package static let leastSide = 8
    /// The memory for each pixel of a comparison, in bytes: the samples of both pictures that count at all scales, those of the
    /// original blurred, and the pictures on a background or coded as JPEG does it.
    package static let bytesPerPixel = 52
    /// The largest picture that is compared as a whole, in pixels. A larger one is compared by parts of it, so that the memory
    /// has a limit.
    package static let largestWhole = partCount * partCount * partSide * partSide * 5 / 4

    private static let partCount = 6
    private static let partSide = 256

    /// Returns whether pictures of this size are compared at all six scales. With fewer, the scales have other weights.
    static func hasAllScales(_ size: PixelSize) -> Bool { webimage_score_scales(size.width, size.height) == 6 }

    /// Returns the score of what a picture lost at all scales, over each background.
    package static func score(_ losses: [Double]) -> Double { webimage_score_of_loss(losses.max() ?? 0) }

    /// A picture with which others are compared.
    package struct Reference: Sendable {
        let pixels: PixelBuffer
        private let hasAlpha: Bool
        private let background: ImageColor
        private let scales: webimage_score_range
        /// Kept, because making it takes longer than a comparison.
        private let prepared = Locked<PreparedOriginal?>(nil)
        private let coder = Locked<BlockCoder?>(nil)

        /// - Parameters:
        ///   - background: The colour behind transparent pixels in pictures without alpha that are compared.
        ///   - whole: The size of the picture of which the pixels are a sample. The score of a small picture has other weights, so
        ///     that parts of a large one would have a score of their own kind.
        ///   - firstScale: The first scale at which pictures are compared; the sides are halved from scale to scale.
        package init(
            _ pixels: PixelBuffer, hasAlpha: Bool, background: ImageColor = .white, sampleOf whole: PixelSize? = nil,
            firstScale: Int = 0
        ) {
            let size = whole ?? pixels.size
            let count = webimage_score_scales(size.width, size.height)
            scales = webimage_score_range(first: Int32(firstScale), end: count, count: count)
            self.pixels = pixels
            self.hasAlpha = hasAlpha
            self.background = background
        }

        /// Returns the score of a picture. Pictures with alpha are compared over a dark and over a light grey, and the lower
        /// score counts. Samples with more than 8 bits are rounded to 8.
        ///
        /// - Throws: `.encodingFailed` if the sizes differ or memory is exhausted.
        package func score(of other: PixelBuffer, hasAlpha otherHasAlpha: Bool) throws(WebImageError) -> Double {
            PictureScore.score(try losses(of: other, hasAlpha: otherHasAlpha))
        }

        /// Returns what a picture lost over each background.
        private func losses(
            of other: PixelBuffer, hasAlpha otherHasAlpha: Bool
        ) throws(WebImageError) -> [Double] {
            guard pixels.size == other.size else {
                throw .cannotEncode("SSIMULACRA 2", "pictures of \(other.size) and \(pixels.size) cannot be compared")
            }
            let other = try part(of: other)
            // In a format without alpha, a picture has the background of the options.
            let backgrounds: [ImageColor] =
                otherHasAlpha
                ? [0.1, 0.9].map { ImageColor(red: $0, green: $0, blue: $0) } : [hasAlpha ? background : .white]
            return try backgrounds.map { color throws(WebImageError) in
                let picture = try flat(other, hasAlpha: otherHasAlpha, over: color)
                return try loss(over: color) { original in
                    picture.withUnsafeBytes { original.loss(of: webimage_scored_picture(picture, $0), before: .max) }
                }
            }
        }

        /// Returns what the opaque picture loses at the scales before `end` by JPEG with this quantisation table.
        package func loss(
            ofTransform table: [UInt16], halvesChroma: Bool, before end: Int = .max
        ) throws(WebImageError) -> Double {
            try coder.withLock { coder throws(WebImageError) in
                if coder == nil {
                    coder = try BlockCoder(try flat(try part(of: pixels), hasAlpha: false, over: .white))
                }
                let coded = try coder?.coded(table, halvesChroma: halvesChroma)
                return try loss(over: .white) { original in coded.map { original.loss(of: $0, before: end) } ?? .nan }
            }
        }

        /// One original at a time is kept, so that the memory of a picture with alpha has the same limit.
        private func loss(
            over color: ImageColor, _ compare: (PreparedOriginal) -> Double
        ) throws(WebImageError) -> Double {
            try prepared.withLock { prepared throws(WebImageError) in
                if prepared?.background != color {
                    prepared = nil
                    let original = try flat(try part(of: pixels), hasAlpha: hasAlpha, over: color)
                    prepared = try PreparedOriginal(original, scales: scales, background: color)
                }
                guard let loss = prepared.map(compare), !loss.isNaN else {
                    throw .cannotEncode("SSIMULACRA 2", "out of memory")
                }
                return loss
            }
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
}

/// A picture whose side of a comparison is computed.
private final class PreparedOriginal {
    let background: ImageColor
    private let handle: OpaquePointer

    init(_ pixels: PixelBuffer, scales: webimage_score_range, background: ImageColor) throws(WebImageError) {
        let handle = pixels.withUnsafeBytes { bytes in
            var picture = webimage_scored_picture(pixels, bytes)
            return webimage_scored_original_make(&picture, scales, webimage_widest_instructions())
        }
        guard let handle else { throw .cannotEncode("SSIMULACRA 2", "out of memory") }
        (self.handle, self.background) = (handle, background)
    }

    deinit { webimage_scored_original_free(handle) }

    func loss(of other: webimage_scored_picture, before end: Int) -> Double {
        withUnsafePointer(to: other) { webimage_picture_loss(handle, $0, Int32(clamping: end)) }
    }
}

/// An opaque picture that is coded as JPEG does it, without an encoder.
final class BlockCoder {
    private let handle: OpaquePointer

    init(_ pixels: PixelBuffer) throws(WebImageError) {
        let handle = pixels.withUnsafeBytes { bytes in
            var picture = webimage_scored_picture(pixels, bytes)
            return webimage_block_coder_make(&picture, webimage_widest_instructions())
        }
        guard let handle else { throw .cannotEncode("SSIMULACRA 2", "out of memory") }
        self.handle = handle
    }

    deinit { webimage_block_coder_free(handle) }

    /// Returns the picture after a JPEG with this quantisation table. It is valid until the next call.
    func coded(_ table: [UInt16], halvesChroma: Bool) throws(WebImageError) -> webimage_scored_picture {
        var result = webimage_scored_picture()
        guard webimage_block_coded(handle, table, halvesChroma ? 1 : 0, &result) != 0 else {
            throw .cannotEncode("SSIMULACRA 2", "out of memory")
        }
        return result
    }
}

extension webimage_scored_picture {
    init(_ pixels: PixelBuffer, _ bytes: UnsafeRawBufferPointer) {
        let offsets: (Int, Int, Int) =
            switch pixels.format {
            case .gray8: (0, 0, 0)
            case .bgra8Premultiplied: (2, 1, 0)
            default: (0, 1, 2)
            }
        self.init(
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
