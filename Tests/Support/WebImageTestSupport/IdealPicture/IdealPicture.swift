import Foundation
package import WebImageCore

/// The samples of a picture as floating-point numbers from 0 to 255, and the ideal result of scaling it.
///
/// Tests compare scaled pictures with ``scaled(to:from:)`` of the full decode. The filter has no vector code, no
/// rounding between its two passes, and no plane that is rounded to whole pixels.
package struct IdealPicture {
    package let width: Int
    package let height: Int
    /// Grey; or red, green, blue; or red, green, blue, alpha. Colours are multiplied by alpha. Each plane is row by row.
    package let planes: [[Float]]

    package var size: PixelSize { PixelSize(width: width, height: height) }

    package init(width: Int, height: Int, planes: [[Float]]) {
        self.width = width
        self.height = height
        self.planes = planes
    }

    /// Reads the samples of a buffer.
    ///
    /// - Parameter hasAlpha: Whether the fourth channel is read.
    package init(_ buffer: PixelBuffer, hasAlpha: Bool) {
        let format = buffer.format
        let order = format == .bgra8Premultiplied ? [2, 1, 0, 3] : Array(0..<format.channelCount)
        let keepsAlpha = hasAlpha && format.hasAlpha
        var planes: [[Float]] = []
        for channel in order where channel < 3 || keepsAlpha {
            planes.append(Self.plane(buffer, channel))
        }
        if keepsAlpha, !format.isPremultiplied {
            for index in 0..<buffer.width * buffer.height {
                for color in 0..<3 { planes[color][index] *= planes[3][index] / 255 }
            }
        }
        self.init(width: buffer.width, height: buffer.height, planes: planes)
    }

    private static func plane(_ buffer: PixelBuffer, _ channel: Int) -> [Float] {
        let format = buffer.format
        let (isFloat, depth) = (format.isFloatingPoint, format.bitsPerComponent)
        let (step, end) = (format.channelCount, buffer.width * format.channelCount)
        var plane = [Float](repeating: 0, count: buffer.width * buffer.height)
        plane.withUnsafeMutableBufferPointer { target in
            var index = 0
            for y in 0..<buffer.height {
                let bytes = buffer.baseAddress + y * buffer.bytesPerRow
                let (halves, words) = (
                    bytes.assumingMemoryBound(to: Float16.self), bytes.assumingMemoryBound(to: UInt16.self)
                )
                let row = bytes.assumingMemoryBound(to: UInt8.self)
                var place = channel
                while place < end {
                    if isFloat {
                        target[index] = Float(halves[place]) * 255
                    } else if depth == 16 {
                        target[index] = Float(words[place]) / 257
                    } else {
                        target[index] = Float(row[place])
                    }
                    index &+= 1
                    place &+= step
                }
            }
        }
        return plane
    }

    /// What a filter reads where it reaches over the border of the picture. The results differ by some levels in the
    /// outermost pixels, so that a picture of 20 px looks displaced by 0.06 px.
    package enum Border: Sendable {
        /// The mirror image of the picture, as zimg and our loop for JPEG do.
        case mirrored
        /// Nothing: the other weights become greater. Pillow does so.
        case omitted

        /// The ways that are right for a result. A mirror image is wrong for one of less than eight pixels, which shows it.
        package static func ofAllPaths(to size: PixelSize) -> [Border] {
            min(size.width, size.height) < 8 ? [.mirrored, .omitted] : [.mirrored]
        }
    }

    /// Where the levels are limited to 0...255. A filter overshoots beside an edge between the least and the greatest level.
    package enum Limits: Sendable, CaseIterable {
        case nowhere, inResult
        /// Also between the passes, as a scaler does whose samples are integers: what overshoots in one direction is lost to
        /// the other. Between pixels of full and no alpha that makes 20 levels. zimg chooses the order of the passes.
        case afterColumns, afterRows
    }

    /// Returns a part of the picture scaled to `size` with the Lanczos filter of three lobes.
    ///
    /// The filter reads pixels around the part as well.
    package func scaled(
        to size: PixelSize, from region: PixelRegion? = nil, border: Border = .mirrored, limits: Limits = .inResult
    ) -> IdealPicture {
        let region = region ?? PixelRegion(self.size)
        let columns = LanczosWeights(
            from: region.left, region.width, of: width, to: size.width, border: border)
        let rows = LanczosWeights(
            from: region.top, region.height, of: height, to: size.height, border: border)
        // The result of each pass is transposed, so that the second pass reads along its lines too.
        let passes = limits == .afterRows ? (rows, columns) : (columns, rows)
        let turned = limits == .afterRows ? transposed() : self
        var picture = turned.filtered(by: passes.0)
        if limits == .afterColumns || limits == .afterRows { picture = picture.limited() }
        picture = picture.filtered(by: passes.1)
        if limits == .afterRows { picture = picture.transposed() }
        return limits == .nowhere ? picture : picture.limited()
    }

    /// Filters along the rows and transposes the result.
    private func filtered(by weights: LanczosWeights) -> IdealPicture {
        IdealPicture(
            width: height, height: weights.starts.count,
            planes: planes.map { weights.applied(toLinesOf: $0, count: height) })
    }

    private func transposed() -> IdealPicture {
        let planes = planes.map { plane in
            (0..<width).flatMap { x in (0..<height).map { y in plane[y * width + x] } }
        }
        return IdealPicture(width: height, height: width, planes: planes)
    }

    private func limited() -> IdealPicture {
        var planes = planes
        for index in planes.indices {
            planes[index].withUnsafeMutableBufferPointer { plane in
                var place = 0
                while place < plane.count {
                    if plane[place] < 0 { plane[place] = 0 }
                    if plane[place] > 255 { plane[place] = 255 }
                    place &+= 1
                }
            }
        }
        return IdealPicture(width: width, height: height, planes: planes)
    }

    /// Returns a part of whole pixels.
    package func part(left: Int, top: Int, _ size: PixelSize) -> IdealPicture {
        let parts = planes.map { plane in
            (top..<top + size.height).flatMap { plane[$0 * width + left..<$0 * width + left + size.width] }
        }
        return IdealPicture(width: size.width, height: size.height, planes: parts)
    }

    /// The picture over a grey background, without alpha.
    package var overGrey: IdealPicture {
        guard planes.count == 4 else { return self }
        let alpha = planes[3]
        var colors = Array(planes.prefix(3))
        for index in 0..<3 {
            colors[index].withUnsafeMutableBufferPointer { color in
                alpha.withUnsafeBufferPointer { alpha in
                    var place = 0
                    while place < color.count {
                        color[place] += 128 * (1 - alpha[place] / 255)
                        place &+= 1
                    }
                }
            }
        }
        return IdealPicture(width: width, height: height, planes: colors)
    }

    /// The brightness of each pixel.
    package var luma: [Float] {
        guard planes.count >= 3 else { return planes[0] }
        var luma = [Float](repeating: 0, count: width * height)
        for (plane, weight) in zip(planes, [0.299, 0.587, 0.114] as [Float]) {
            luma.withUnsafeMutableBufferPointer { luma in
                plane.withUnsafeBufferPointer { plane in
                    var place = 0
                    while place < luma.count {
                        luma[place] += weight * plane[place]
                        place &+= 1
                    }
                }
            }
        }
        return luma
    }
}

/// The weights of the source samples for each sample of a scaled line.
private struct LanczosWeights {
    let starts: [Int]
    private let weights: [[Float]]

    /// - Parameters:
    ///   - start: The left edge of the part.
    ///   - length: The length of the part.
    ///   - count: The number of samples of the whole line.
    ///   - target: The number of samples of the result.
    init(from start: Double, _ length: Double, of count: Int, to target: Int, border: IdealPicture.Border) {
        let ratio = length / Double(target)
        let stretch = max(ratio, 1)
        var (starts, weights): ([Int], [[Float]]) = ([], [])
        for index in 0..<target {
            let center = start + (Double(index) + 0.5) * ratio
            let first = Int((center - 3 * stretch).rounded(.down))
            var taps = first..<max(Int((center + 3 * stretch).rounded(.up)), first + 1)
            if border == .omitted { taps = taps.clamped(to: 0..<count) }
            let values = taps.map { Self.lanczos((Double($0) + 0.5 - center) / stretch) }
            let sum = values.reduce(0, +)
            let places = taps.map { min(max($0 < 0 ? -$0 - 1 : $0 < count ? $0 : 2 * count - $0 - 1, 0), count - 1) }
            let start = places.min() ?? 0
            var line = [Float](repeating: 0, count: (places.max() ?? 0) - start + 1)
            for (place, value) in zip(places, values) { line[place - start] += Float(value / sum) }
            starts.append(start)
            weights.append(line)
        }
        (self.starts, self.weights) = (starts, weights)
    }

    private static func lanczos(_ x: Double) -> Double {
        if x == 0 { return 1 }
        guard abs(x) < 3 else { return 0 }
        let angle = x * .pi
        return 3 * sin(angle) * sin(angle / 3) / (angle * angle)
    }

    /// Returns the filtered lines, one after the other in the direction across the lines: the result is transposed.
    func applied(toLinesOf plane: [Float], count: Int) -> [Float] {
        let length = plane.count / count
        var result = [Float](repeating: 0, count: count * starts.count)
        result.withUnsafeMutableBufferPointer { target in
            plane.withUnsafeBufferPointer { source in
                for (index, start) in starts.enumerated() {
                    weights[index].withUnsafeBufferPointer { weights in
                        var line = 0
                        while line < count {
                            let place = line &* length &+ start
                            var sum: Float = 0
                            var tap = 0
                            while tap < weights.count {
                                sum += weights[tap] * source[place &+ tap]
                                tap &+= 1
                            }
                            target[index &* count &+ line] = sum
                            line &+= 1
                        }
                    }
                }
            }
        }
        return result
    }
}
