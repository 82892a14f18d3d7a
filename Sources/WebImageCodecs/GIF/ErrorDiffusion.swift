import WebImageCore

/// Maps pixels to a palette. Distributes the colour error of each pixel to the pixels beside and below it (Floyd and
/// Steinberg, 1976).
struct ErrorDiffusion {
    private let colors: [PaletteColor]
    private let transparentIndex: UInt8

    init(colors: [PaletteColor], transparentIndex: UInt8) {
        self.colors = colors
        self.transparentIndex = transparentIndex
    }

    /// - Throws: The error of the current ``WorkBudget`` if it has ended.
    func indices(of pixels: PixelBuffer) throws(WebImageError) -> [UInt8] {
        let (width, height) = (pixels.width, pixels.height)
        // The index of the nearest palette colour for each colour of 5 bits per channel. An index that is not yet
        // computed is -1.
        var nearest = [Int16](repeating: -1, count: 1 << 15)
        // The colour errors for this row, in sixteenths; `next` has the errors for the next row. Each pixel has three
        // channels. Each row has a margin of one pixel at both ends.
        var owed = [Int32](repeating: 0, count: (width + 2) * 3)
        var next = owed
        let indices = [UInt8](unsafeUninitializedCapacity: width * height) { target, initialized in
            initialized = width * height
            nearest.withUnsafeMutableBufferPointer { nearest in
                for row in 0..<height where row % 16 > 0 || WorkBudget.shouldStop() == 0 {
                    let source = (pixels.baseAddress + row * pixels.bytesPerRow).assumingMemoryBound(to: UInt32.self)
                    owed.withUnsafeMutableBufferPointer { owed in
                        next.withUnsafeMutableBufferPointer { next in
                            next.update(repeating: 0)
                            map(
                                source, width: width, isReversed: row & 1 == 1,
                                into: target.baseAddress! + row * width, nearest, owed.baseAddress! + 3,
                                next.baseAddress! + 3)
                        }
                    }
                    swap(&owed, &next)
                }
            }
        }
        try WorkBudget.checkCurrent()
        return indices
    }

    /// Maps one row of pixels. Every second row is mapped from right to left. If all rows had the same direction, the
    /// errors would become visible as patterns.
    private func map(
        _ source: UnsafePointer<UInt32>, width: Int, isReversed: Bool, into target: UnsafeMutablePointer<UInt8>,
        _ nearest: UnsafeMutableBufferPointer<Int16>, _ owed: UnsafeMutablePointer<Int32>,
        _ next: UnsafeMutablePointer<Int32>
    ) {
        let step = isReversed ? -1 : 1
        var column = isReversed ? width - 1 : 0
        var left = width
        while left > 0 {
            let pixel = source[column]
            if pixel >> 24 < IndexedPicture.opaqueAlpha {
                target[column] = transparentIndex
            } else {
                let place = column &* 3
                let red = clamped(Int32(pixel & 255) &+ owed[place] >> 4)
                let green = clamped(Int32(pixel >> 8 & 255) &+ owed[place &+ 1] >> 4)
                let blue = clamped(Int32(pixel >> 16 & 255) &+ owed[place &+ 2] >> 4)
                let bin = Int((red >> 3) | (green >> 3) << 5 | (blue >> 3) << 10)
                if nearest[bin] < 0 { nearest[bin] = Int16(nearestColor(red: red, green: green, blue: blue)) }
                let index = Int(nearest[bin])
                target[column] = UInt8(truncatingIfNeeded: index)
                let color = colors[index]
                spread(red &- Int32(color.red), at: place, step: step, owed: owed, next: next)
                spread(green &- Int32(color.green), at: place &+ 1, step: step, owed: owed, next: next)
                spread(blue &- Int32(color.blue), at: place &+ 2, step: step, owed: owed, next: next)
            }
            column &+= step
            left &-= 1
        }
    }

    @inline(__always)
    private func clamped(_ value: Int32) -> Int32 { value < 0 ? 0 : value > 255 ? 255 : value }

    @inline(__always)
    private func spread(
        _ error: Int32, at place: Int, step: Int, owed: UnsafeMutablePointer<Int32>,
        next: UnsafeMutablePointer<Int32>
    ) {
        let ahead = place &+ 3 &* step
        let behind = place &- 3 &* step
        owed[ahead] &+= error &* 7
        next[behind] &+= error &* 3
        next[place] &+= error &* 5
        next[ahead] &+= error
    }

    private func nearestColor(red: Int32, green: Int32, blue: Int32) -> Int {
        colors.withUnsafeBufferPointer { colors in
            var (best, bestDistance) = (0, Int32.max)
            var index = 0
            while index < colors.count {
                let color = colors[index]
                let (r, g, b) = (red &- Int32(color.red), green &- Int32(color.green), blue &- Int32(color.blue))
                let distance = r &* r &+ g &* g &+ b &* b
                if distance < bestDistance { (best, bestDistance) = (index, distance) }
                index &+= 1
            }
            return best
        }
    }
}
