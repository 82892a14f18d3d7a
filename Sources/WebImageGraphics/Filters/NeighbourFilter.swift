import CWebImagePixman
import Foundation
public import WebImageCore

/// Filters whose result for a pixel depends on its neighbours or its position. The filters have the names of the
/// corresponding Core Image filters.
public struct NeighbourFilter: ImageFilter {
    /// ``ImageTransformerExecution/computing``, because the filter only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    private enum Kind: Sendable {
        case kernel([Double], side: Int)
        case pixellate(points: Double)
        case vignette(intensity: Double)
    }

    /// The filter's name, followed by its parameters.
    public let filterKey: String
    private let kind: Kind

    /// Sharpens edges; 0 changes nothing.
    public static func sharpen(_ amount: Double = 0.4) -> NeighbourFilter {
        let side = -amount / 4
        return NeighbourFilter(
            filterKey: String(plainFormat: "CISharpenLuminance(%g)", amount),
            kind: .kernel([0, side, 0, side, 1 + amount, side, 0, side, 0], side: 3))
    }

    /// Replaces each pixel by the weighted sum of the pixels in a square around it. Outside the picture, the edge
    /// pixels are repeated.
    ///
    /// - Parameter weights: The weights of the square, row by row. Their number must be the square of an odd number
    ///   up to 31. Each weight must be below 32,000 in magnitude.
    /// - Returns: nil if the weights are invalid.
    public static func convolution(_ weights: [Double]) -> NeighbourFilter? {
        let side = Int(Double(weights.count).squareRoot().rounded())
        guard side * side == weights.count, side % 2 == 1, side <= 31,
            weights.allSatisfy(isWeight)
        else { return nil }
        let numbers = weights.map { String(plainFormat: "%g", $0) }.joined(separator: ",")
        return NeighbourFilter(filterKey: "CIConvolution(\(numbers))", kind: .kernel(weights, side: side))
    }

    /// Whether pixman's fixed-point numbers can represent the weight.
    private static func isWeight(_ weight: Double) -> Bool { abs(weight) < 32_000 }

    /// Divides the picture into squares with sides of `points` points, and fills each square with one colour.
    public static func pixellate(points: Double = 8) -> NeighbourFilter {
        NeighbourFilter(filterKey: String(plainFormat: "CIPixellate(%g)", points), kind: .pixellate(points: points))
    }

    /// Darkens the picture towards its corners. 0 changes nothing; 1 makes the corners black.
    public static func vignette(intensity: Double = 0.5) -> NeighbourFilter {
        NeighbourFilter(
            filterKey: String(plainFormat: "CIVignette(%g)", intensity), kind: .vignette(intensity: intensity))
    }

    /// Returns the filtered image in the display format, with 8 bits per channel. Returns nil if a parameter is not
    /// finite or out of range, or if a side of the picture exceeds 32,767 px. A vignette also requires that half the
    /// diagonal of the picture is below 32,000 px.
    public func filteredImage(with image: Image) -> Image? {
        switch kind {
        case .kernel(let weights, let side):
            guard weights.allSatisfy(Self.isWeight) else { return nil }
            return image.made { () throws(WebImageError) in
                (try image.displayPixels().convolved(weights, side: side), image.hasAlpha)
            }
        case .pixellate(let points):
            guard points.isFinite, points > 0 else { return nil }
            return image.made { () throws(WebImageError) in
                (try image.displayPixels().pixellated(points * Double(image.scale)), image.hasAlpha)
            }
        case .vignette(let intensity):
            guard intensity.isFinite else { return nil }
            return image.made { () throws(WebImageError) in
                let canvas = try image.displayPixelsToDrawOn()
                try canvas.shadeCorners(min(max(intensity, 0), 1))
                return (canvas, image.hasAlpha)
            }
        }
    }
}

extension PixelBuffer {
    fileprivate func convolved(_ weights: [Double], side: Int) throws(WebImageError) -> PixelBuffer {
        let source = try PixmanImage(self)
        // pixman requires 16.16 fixed-point numbers: the width and height of the kernel, then its weights.
        let fixed = ([Double(side), Double(side)] + weights).map { Int32(clamping: Int(($0 * 65536).rounded())) }
        pixman_image_set_repeat(source.pointer, PIXMAN_REPEAT_PAD)
        guard pixman_image_set_filter(source.pointer, PIXMAN_FILTER_CONVOLUTION, fixed, Int32(fixed.count)) != 0 else {
            throw .badData("pixman", "cannot set the convolution kernel")
        }
        let result = try PixelBuffer(width: width, height: height, format: format)
        try source.composite(PIXMAN_OP_SRC, onto: result)
        return result
    }

    fileprivate func pixellated(_ side: Double) throws(WebImageError) -> PixelBuffer {
        let side = max(side, 1)
        let small = PixelSize(
            width: max(Int((Double(width) / side).rounded(.up)), 1),
            height: max(Int((Double(height) / side).rounded(.up)), 1))
        let source = try PixmanImage(try scaled(to: small))
        var transform = pixman_transform()
        pixman_transform_init_scale(
            &transform, Int32(clamping: Int(Double(small.width) / Double(width) * 65536)),
            Int32(clamping: Int(Double(small.height) / Double(height) * 65536)))
        pixman_image_set_transform(source.pointer, &transform)
        pixman_image_set_filter(source.pointer, PIXMAN_FILTER_NEAREST, nil, 0)
        let result = try PixelBuffer(width: width, height: height, format: format)
        try source.composite(PIXMAN_OP_SRC, onto: result)
        return result
    }

    /// Draws black over the picture. The opacity of the black increases from 0 at the centre to `intensity` at the
    /// corners.
    fileprivate func shadeCorners(_ intensity: Double) throws(WebImageError) {
        let radius = (Double(width * width + height * height)).squareRoot() / 2
        guard radius < 32_000 else { throw .badData("pixman", "the picture is too large for a vignette") }
        func fixed(_ value: Double) -> Int32 { Int32(value * 65536) }
        var center = pixman_point_fixed(x: fixed(Double(width) / 2), y: fixed(Double(height) / 2))
        let stops = [(0.35, 0.0), (0.7, intensity * 0.4), (1.0, intensity)].map { place, shade in
            pixman_gradient_stop(
                x: fixed(place), color: pixman_color(red: 0, green: 0, blue: 0, alpha: UInt16(shade * 65535)))
        }
        var outer = center
        guard
            let gradient = pixman_image_create_radial_gradient(
                &center, &outer, 0, fixed(radius), stops, Int32(stops.count))
        else { throw .badData("pixman", "out of memory") }
        defer { pixman_image_unref(gradient) }
        let canvas = try PixmanImage(self)
        try WorkBudget.forBands(of: self) { rows in
            let start = Int32(rows.lowerBound)
            pixman_image_composite32(
                PIXMAN_OP_ATOP, gradient, nil, canvas.pointer, 0, start, 0, 0, 0, start, Int32(width),
                Int32(rows.count))
        }
    }
}
