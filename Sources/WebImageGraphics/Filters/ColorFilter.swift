import Foundation
public import WebImageCore

/// Filters that change the colour of each pixel independently. The filters have the names of the corresponding Core
/// Image filters.
public struct ColorFilter: ImageFilter {
    /// ``ImageTransformerExecution/computing``, because the filter only changes pixels.
    public var execution: ImageTransformerExecution { .computing }

    /// The filter's name, followed by its parameters if it has any.
    public let filterKey: String
    private let pipeline: ColorPipeline

    private init(_ name: String, _ parameters: [Double], _ pipeline: ColorPipeline) {
        let numbers = parameters.map { String(plainFormat: "%g", $0) }.joined(separator: ",")
        filterKey = parameters.isEmpty ? name : "\(name)(\(numbers))"
        self.pipeline = pipeline
    }

    /// Inverts colours, in linear light.
    public static let invert = ColorFilter(
        "CIColorInvert", [], ColorPipeline(matrix: [-1, 0, 0, 0, -1, 0, 0, 0, -1], offset: [1, 1, 1]))

    /// Brightens the picture by a number of stops. Each stop doubles the light. A negative number darkens the picture.
    /// Values above white become white.
    public static func exposure(stops: Double) -> ColorFilter {
        let factor = stops.isFinite ? exp2(min(max(stops, -20), 20)) : .nan
        return ColorFilter(
            "CIExposureAdjust", [stops], ColorPipeline(matrix: [factor, 0, 0, 0, factor, 0, 0, 0, factor]))
    }

    /// Changes the saturation. An amount of 0 gives grey, 1 changes nothing, and an amount above 1 gives stronger
    /// colours.
    public static func saturation(_ amount: Double) -> ColorFilter {
        ColorFilter("CIColorControls.saturation", [amount], ColorPipeline(matrix: saturationMatrix(amount)))
    }

    /// Changes the contrast. 1 changes nothing. An amount above 1 moves values away from middle grey; an amount below 1
    /// moves values towards middle grey.
    public static func contrast(_ amount: Double) -> ColorFilter {
        let shift = 0.5 - 0.5 * amount
        return ColorFilter(
            "CIColorControls.contrast", [amount],
            ColorPipeline(
                matrix: [amount, 0, 0, 0, amount, 0, 0, 0, amount], offset: [shift, shift, shift], isLinear: false))
    }

    /// Tints the picture brown, like an old photograph. 0 changes nothing; 1 is the full effect.
    public static func sepia(intensity: Double = 1) -> ColorFilter {
        let full = [0.393, 0.769, 0.189, 0.349, 0.686, 0.168, 0.272, 0.534, 0.131]
        return ColorFilter(
            "CISepiaTone", [intensity], ColorPipeline(matrix: blend(full, intensity), isLinear: false))
    }

    /// Reduces the picture to shades of one colour. An intensity of 0 changes nothing; 1 is the full effect.
    public static func monochrome(_ color: ImageColor, intensity: Double = 1) -> ColorFilter {
        let full = [color.red, color.green, color.blue].flatMap { part in luminance.map { $0 * part } }
        return ColorFilter(
            "CIColorMonochrome", [color.red, color.green, color.blue, intensity],
            ColorPipeline(matrix: blend(full, intensity), isLinear: false))
    }

    /// Multiplies colours by a 3×3 matrix and adds `offset`. Each row of the matrix computes one result channel. The
    /// rows, and the factors in a row, are in the order red, green, blue.
    ///
    /// - Returns: nil unless there are exactly nine finite factors and three finite offsets.
    public static func matrix(_ factors: [Double], offset: [Double] = [0, 0, 0]) -> ColorFilter? {
        guard factors.count == 9, offset.count == 3, (factors + offset).allSatisfy(\.isFinite) else { return nil }
        return ColorFilter(
            "CIColorMatrix", factors + offset, ColorPipeline(matrix: factors, offset: offset, isLinear: false))
    }

    /// Returns the filtered image in the display format, with 8 bits per channel. Returns nil if a parameter is not
    /// finite.
    public func filteredImage(with image: Image) -> Image? {
        guard (pipeline.matrix + pipeline.offset).allSatisfy(\.isFinite) else { return nil }
        return image.made {
            () throws(WebImageError) in
            (try pipeline.apply(to: image.pixels, isOpaque: !image.hasAlpha), image.hasAlpha)
        }
    }

    /// The weights of red, green and blue in the luminance (ITU-R BT.709).
    private static let luminance = [0.2126, 0.7152, 0.0722]

    private static func saturationMatrix(_ amount: Double) -> [Double] {
        (0..<9).map { luminance[$0 % 3] * (1 - amount) + ($0 % 4 == 0 ? amount : 0) }
    }

    private static func blend(_ full: [Double], _ intensity: Double) -> [Double] {
        (0..<9).map { full[$0] * intensity + ($0 % 4 == 0 ? 1 - intensity : 0) }
    }
}
