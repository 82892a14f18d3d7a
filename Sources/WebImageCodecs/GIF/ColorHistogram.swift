import WebImageCore

/// A colour of a palette.
struct PaletteColor: Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
}

/// Counts the pixels of each colour, with 5 bits per channel. Computes a palette from these counts.
struct ColorHistogram {
    /// A group of similar pixels. Two pixels are in the same group if their red values have the same 5 high bits, and
    /// likewise their green and blue values. Stores the mean colour and the number of the pixels.
    private struct Bin {
        var channels: (Float, Float, Float)
        var count: Float

        func channel(_ axis: Int) -> Float { axis == 0 ? channels.0 : axis == 1 ? channels.1 : channels.2 }
    }

    private var bins: [Bin] = []
    private(set) var hasTransparency = false

    init(_ pixels: PixelBuffer) {
        var sums = [UInt64](repeating: 0, count: 4 << 15)
        var sawTransparency = false
        sums.withUnsafeMutableBufferPointer { sums in
            for row in 0..<pixels.height {
                let source = (pixels.baseAddress + row * pixels.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                var column = 0
                while column < pixels.width {
                    let pixel = source[column]
                    if pixel >> 24 < IndexedPicture.opaqueAlpha {
                        sawTransparency = true
                    } else {
                        let place = Self.bin(pixel) &* 4
                        sums[place] &+= UInt64(pixel & 255)
                        sums[place &+ 1] &+= UInt64(pixel >> 8 & 255)
                        sums[place &+ 2] &+= UInt64(pixel >> 16 & 255)
                        sums[place &+ 3] &+= 1
                    }
                    column &+= 1
                }
            }
        }
        for place in stride(from: 0, to: sums.count, by: 4) where sums[place + 3] > 0 {
            let count = Float(sums[place + 3])
            bins.append(
                Bin(
                    channels: (
                        Float(sums[place]) / count, Float(sums[place + 1]) / count, Float(sums[place + 2]) / count
                    ),
                    count: count))
        }
        hasTransparency = sawTransparency
    }

    /// Returns the bin number of an `rgba8` pixel.
    @inline(__always)
    static func bin(_ pixel: UInt32) -> Int {
        Int(truncatingIfNeeded: (pixel >> 3 & 31) | (pixel >> 6 & 0x3E0) | (pixel >> 9 & 0x7C00))
    }

    /// Returns at most `count` colours (variance-based median cut). At the start, one box contains all bins. Until
    /// there are `count` boxes, splits the box with the largest squared error into two boxes. Splits the box at its
    /// mean value in the channel with the largest error.
    func palette(count: Int) -> [PaletteColor] {
        var bins = bins
        var boxes = [Box(bins, 0..<bins.count)]
        while boxes.count < count, let worst = boxes.indices.max(by: { boxes[$0].error < boxes[$1].error }),
            boxes[worst].error > 0
        {
            let box = boxes[worst]
            let axis = box.axis
            let middle = bins[box.range].partition { $0.channel(axis) > box.mean(axis) }
            guard middle > box.range.lowerBound, middle < box.range.upperBound else {
                boxes[worst].error = 0
                continue
            }
            boxes[worst] = Box(bins, box.range.lowerBound..<middle)
            boxes.append(Box(bins, middle..<box.range.upperBound))
        }
        return boxes.map(\.color)
    }

    /// A group of bins that becomes one palette colour. This colour is the mean colour of the group. `error` is the sum
    /// of the squared differences between the pixels and the mean colour; it is 0 if the box cannot be split.
    private struct Box {
        let range: Range<Int>
        private var means: (Float, Float, Float) = (0, 0, 0)
        private(set) var axis = 0
        var error: Float = 0

        init(_ bins: [Bin], _ range: Range<Int>) {
            self.range = range
            var (count, red, green, blue): (Float, Float, Float, Float) = (0, 0, 0, 0)
            for bin in bins[range] {
                count += bin.count
                red += bin.channels.0 * bin.count
                green += bin.channels.1 * bin.count
                blue += bin.channels.2 * bin.count
            }
            guard count > 0 else { return }
            means = (red / count, green / count, blue / count)
            var spread: (Float, Float, Float) = (0, 0, 0)
            for bin in bins[range] {
                let off = (bin.channels.0 - means.0, bin.channels.1 - means.1, bin.channels.2 - means.2)
                spread.0 += off.0 * off.0 * bin.count
                spread.1 += off.1 * off.1 * bin.count
                spread.2 += off.2 * off.2 * bin.count
            }
            axis = spread.0 >= spread.1 && spread.0 >= spread.2 ? 0 : spread.1 >= spread.2 ? 1 : 2
            error = range.count > 1 ? spread.0 + spread.1 + spread.2 : 0
        }

        func mean(_ axis: Int) -> Float { axis == 0 ? means.0 : axis == 1 ? means.1 : means.2 }

        var color: PaletteColor {
            func byte(_ value: Float) -> UInt8 { UInt8(min(max(value.rounded(), 0), 255)) }
            return PaletteColor(red: byte(means.0), green: byte(means.1), blue: byte(means.2))
        }
    }
}
