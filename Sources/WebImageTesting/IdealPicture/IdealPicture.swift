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
        var plane = [Float](repeating: 0, count: buffer.width * buffer.height)
        plane.withUnsafeMutableBufferPointer { target in
            var index = 0
            for y in 0..<buffer.height {
                let row = buffer.baseAddress + y * buffer.bytesPerRow
                var x = 0
                while x < buffer.width {
                    let place = x &* format.channelCount &+ channel
                    if format.isFloatingPoint {
                        target[index] = Float(row.assumingMemoryBound(to: Float16.self)[place]) * 255
                    } else if format.bitsPerComponent == 16 {
                        target[index] = Float(row.assumingMemoryBound(to: UInt16.self)[place]) / 257
                    } else {
                        target[index] = Float(row.assumingMemoryBound(to: UInt8.self)[place])
                    }
                    index &+= 1
                    x &+= 1
                }
            }
        }
        return plane
    }

    /// Returns a part of the picture scaled to `size` with the Lanczos filter of three lobes.
    ///
    /// The filter reads pixels around the part as well, but never outside the picture.
    package func scaled(
        to size: PixelSize, from region: PixelRegion? = nil, isLimited: Bool = true
    ) -> IdealPicture {
        let region = region ?? PixelRegion(self.size)
        let columns = LanczosWeights(from: region.left, region.width, of: width, to: size.width)
        let rows = LanczosWeights(from: region.top, region.height, of: height, to: size.height)
        let result = planes.map { plane in
            let wide = columns.applied(toLinesOf: plane, count: height)
            // The result of the first pass is transposed, so that the second pass reads along its lines too.
            return rows.applied(toLinesOf: wide, count: size.width)
        }
        let picture = IdealPicture(width: size.width, height: size.height, planes: result)
        return isLimited ? picture.limited() : picture
    }

    private func limited() -> IdealPicture {
        IdealPicture(width: width, height: height, planes: planes.map { $0.map { min(max($0, 0), 255) } })
    }

    /// The picture over a grey background, without alpha.
    package var overGrey: IdealPicture {
        guard planes.count == 4 else { return self }
        let alpha = planes[3]
        let colors = planes.prefix(3).map { plane in
            plane.indices.map { (index: Int) -> Float in plane[index] + 128 * (1 - alpha[index] / 255) }
        }
        return IdealPicture(width: width, height: height, planes: colors)
    }

    /// The brightness of each pixel.
    package var luma: [Float] {
        guard planes.count >= 3 else { return planes[0] }
        let (red, green, blue) = (planes[0], planes[1], planes[2])
        return red.indices.map { (index: Int) -> Float in
            let warm: Float = 0.299 * red[index] + 0.587 * green[index]
            return warm + 0.114 * blue[index]
        }
    }
}

/// The weights of the source samples for each sample of a scaled line.
private struct LanczosWeights {
    private let starts: [Int]
    private let weights: [[Float]]

    /// - Parameters:
    ///   - start: The left edge of the part.
    ///   - length: The length of the part.
    ///   - count: The number of samples of the whole line.
    ///   - target: The number of samples of the result.
    init(from start: Double, _ length: Double, of count: Int, to target: Int) {
        let ratio = length / Double(target)
        let stretch = max(ratio, 1)
        var (starts, weights): ([Int], [[Float]]) = ([], [])
        for index in 0..<target {
            let center = start + (Double(index) + 0.5) * ratio
            let first = min(max(Int((center - 3 * stretch).rounded(.down)), 0), count - 1)
            let last = min(max(Int((center + 3 * stretch).rounded(.up)), first + 1), count)
            let values = (first..<last).map { Self.lanczos((Double($0) + 0.5 - center) / stretch) }
            let sum = values.reduce(0, +)
            starts.append(first)
            weights.append(values.map { Float($0 / sum) })
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
