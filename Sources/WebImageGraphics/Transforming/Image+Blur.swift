import CWebImagePixelLoops
public import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture blurred by three box filters, which approximate a Gaussian blur (W3C Filter Effects
    /// §9.4).
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel). Outside the picture, the edge
    /// pixels are repeated.
    /// - Parameter radius: The standard deviation of the Gaussian in points. A radius above 0 and below 2 px is raised
    ///   to 2 px.
    /// - Returns: This image if `radius` is 0; nil if `radius` is negative or not finite.
    public func blurredImage(withRadius radius: CGFloat) -> Image? {
        guard radius.isFinite, radius >= 0 else { return nil }
        guard radius > .ulpOfOne else { return self }
        return blurredImage(deviation: max(Double(radius * scale), 2))
    }

    /// Returns the picture blurred by a Gaussian. The time for a pixel does not grow with the deviation.
    ///
    /// Below 2 px, the weights of the Gaussian are used. From 2 px on, three box filters approximate the Gaussian. The
    /// result has the display format. Outside the picture, the edge pixels are repeated.
    /// - Parameter deviation: The standard deviation in pixels.
    /// - Returns: nil if the deviation is not positive and finite, or if the current ``WorkBudget`` has ended.
    package func blurredImage(deviation: Double) -> Image? {
        guard deviation > 0, deviation.isFinite else { return nil }
        return made { () throws(WebImageError) in (try displayPixels().blurred(deviation), hasAlpha) }
    }

    /// Returns the picture with sharper edges (unsharp mask): `amount` times the difference between the picture and its
    /// Gaussian blur is added to the picture.
    ///
    /// - Returns: As ``blurredImage(deviation:)``.
    package func sharpenedImage(deviation: Double, amount: Double) -> Image? {
        guard deviation > 0, deviation.isFinite, amount.isFinite else { return nil }
        return made { () throws(WebImageError) in
            let canvas = try displayPixelsToDrawOn()
            let blurred = try canvas.blurred(deviation)
            try WorkBudget.forBands(of: canvas) { rows in
                for row in rows {
                    webimage_unsharp_row(
                        blurred.bytes(ofRow: row), canvas.bytes(ofRow: row), canvas.width, Float(amount))
                }
            }
            return (canvas, hasAlpha)
        }
    }
}

extension PixelBuffer {
    /// Returns the blurred picture. The receiver must have the display format.
    fileprivate func blurred(_ deviation: Double) throws(WebImageError) -> PixelBuffer {
        if deviation < Self.leastBoxDeviation { return try convolved(Self.gaussian(deviation)) }
        // The width of the three boxes (W3C Filter Effects §9.4).
        let width = Int(min(deviation * 3 * (2 * Double.pi).squareRoot() / 4 + 0.5, 1e6)) | 1
        return try boxBlurred(reach: width / 2, times: 3)
    }

    /// The deviation in pixels from which three boxes approximate a Gaussian well.
    private static let leastBoxDeviation = 2.0

    /// The weights of a Gaussian up to three deviations from its centre, as fixed-point numbers. Their sum is 1.
    private static func gaussian(_ deviation: Double) -> [Int16] {
        // Below 0.1 px, all weights but the largest are 0. The square of a very small deviation would be 0, and the
        // weights would be no numbers.
        let deviation = max(deviation, 0.1)
        let reach = max(Int((deviation * 3).rounded(.up)), 1)
        let line = (-reach...reach).map { exp(-Double($0 * $0) / (2 * deviation * deviation)) }
        let one = Double(1 << WEBIMAGE_WEIGHT_BITS)
        var weights = line.map { Int16(($0 / line.reduce(0, +) * one).rounded()) }
        // Rounding can change the sum, and with it the brightness. Correct the largest weight.
        weights[reach] += Int16(one) - weights.reduce(0, +)
        return weights
    }

    /// Applies the weights to the pixels of each row, and then to the pixels of each column.
    private func convolved(_ weights: [Int16]) throws(WebImageError) -> PixelBuffer {
        let reach = weights.count / 2
        let across = try PixelBuffer(width: width, height: height, format: format)
        let padded = try PixelBuffer(width: width + 2 * reach, height: 1, format: format)
        let start = padded.bytes(ofRow: 0)
        let shifted = weights.indices.map { UnsafePointer(start + 4 * $0) as UnsafePointer<UInt8>? }
        try WorkBudget.forBands(of: self) { rows in
            for row in rows {
                let source = bytes(ofRow: row)
                memcpy(start + 4 * reach, source, 4 * width)
                for x in 0..<reach {
                    memcpy(start + 4 * x, source, 4)
                    memcpy(start + 4 * (reach + width + x), source + 4 * (width - 1), 4)
                }
                webimage_weighted_sum(shifted, weights, weights.count, across.bytes(ofRow: row), 4 * width)
            }
        }
        let result = try PixelBuffer(width: width, height: height, format: format)
        try WorkBudget.forBands(of: self) { rows in
            for row in rows {
                let lines = (-reach...reach).map {
                    UnsafePointer(across.bytes(ofRow: min(max(row + $0, 0), height - 1))) as UnsafePointer<UInt8>?
                }
                webimage_weighted_sum(lines, weights, weights.count, result.bytes(ofRow: row), 4 * width)
            }
        }
        return result
    }

    /// Replaces each pixel by the mean of the pixels up to `reach` pixels away in each direction. Applies this filter
    /// `times` times.
    private func boxBlurred(reach: Int, times: Int) throws(WebImageError) -> PixelBuffer {
        let factor = reach / Self.maxReach + 1
        guard factor == 1 else {
            let small = PixelSize(width: max(width / factor, 1), height: max(height / factor, 1))
            return try scaled(to: small).boxBlurred(reach: reach / factor, times: times).scaled(to: size)
        }
        let buffers = [
            try PixelBuffer(width: width, height: height, format: format),
            try PixelBuffer(width: width, height: height, format: format),
        ]
        var picture = self
        for pass in 0..<times {
            try picture.boxPass(reach, into: buffers[pass % 2])
            picture = buffers[pass % 2]
        }
        return picture
    }

    /// Replaces each pixel by the mean of a square. The sums of the square's columns move down by one row at a time: the
    /// row below is added, and the row above is subtracted. The time does not depend on `reach`.
    private func boxPass(_ reach: Int, into target: PixelBuffer) throws(WebImageError) {
        var sums = [Int32](repeating: 0, count: 4 * width)
        func line(_ number: Int) -> UnsafeMutablePointer<UInt8> { bytes(ofRow: min(max(number, 0), height - 1)) }
        webimage_add_row(&sums, line(0), sums.count, Int32(reach + 1))
        for number in 1..<reach + 1 { webimage_add_row(&sums, line(number), sums.count, 1) }
        try WorkBudget.forBands(of: self) { rows in
            for number in rows {
                webimage_box_means(sums, target.bytes(ofRow: number), width, reach)
                webimage_move_sums(&sums, line(number + reach + 1), line(number - reach), sums.count)
            }
        }
    }

    /// The maximum reach in pixels. With a larger reach, the result has no details. The picture is therefore blurred at
    /// a smaller size, which needs less time and memory.
    private static let maxReach = 256
}
