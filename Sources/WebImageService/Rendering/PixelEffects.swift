import Foundation
import WebImageCore
import WebImageGraphics

/// Effects that change pixels but not sizes.
enum PixelEffects {
    /// Applies one effect. Returns the picture unchanged if the options do not have the effect.
    static func apply(
        _ step: ProcessingOptions.PixelStep, of options: ProcessingOptions, to image: Image, budget: WorkBudget
    ) throws(WebImageError) -> Image {
        try budget.check()
        switch step {
        case .blur where options.blur > 0:
            return try made(image, image.blurredImage(deviation: options.blur))
        case .sharpen where options.sharpen > 0:
            return try made(image, image.sharpenedImage(deviation: options.sharpen, amount: 1.5))
        case .pixelate where options.pixelate > 1:
            let filter = NeighbourFilter.pixellate(points: Double(options.pixelate))
            return try made(image, filter.filteredImage(with: image))
        case .gray where options.isGray:
            return try made(image, luma?.filteredImage(with: image))
        case .brightness where options.brightness != 0:
            let percent = options.brightness
            return try made(image, shift([percent, percent, percent])?.filteredImage(with: image))
        case .contrast where options.contrast != 0:
            return try made(image, contrast(options.contrast)?.filteredImage(with: image))
        case .saturation where options.saturation != 1:
            return try saturated(image, by: options.saturation, budget: budget)
        case .channels where options.channels != .init():
            let channels = options.channels
            return try made(
                image, shift([channels.red, channels.green, channels.blue])?.filteredImage(with: image))
        default: return image
        }
    }

    /// The grey of thumbor: the luma of ITU-R BT.601, computed from stored values.
    private static let luma = ColorFilter.matrix(
        [0.299, 0.587, 0.114, 0.299, 0.587, 0.114, 0.299, 0.587, 0.114])

    /// Adds a percentage of the full value to each channel, in whole levels as thumbor does.
    private static func shift(_ percent: [Int]) -> ColorFilter? {
        ColorFilter.matrix([1, 0, 0, 0, 1, 0, 0, 0, 1], offset: percent.map { Double(255 * $0 / 100) / 255 })
    }

    /// The contrast of thumbor: the distance from level 128 is multiplied by the square of the percentage.
    private static func contrast(_ percent: Int) -> ColorFilter? {
        let factor = pow(Double(100 + percent) / 100, 2)
        let offset = 128.0 / 255 * (1 - factor)
        return ColorFilter.matrix(
            [factor, 0, 0, 0, factor, 0, 0, 0, factor], offset: [offset, offset, offset])
    }

    /// The saturation of thumbor: the distance from a grey that is the root of the weighted squares of the channels.
    private static func saturated(
        _ image: Image, by amount: Double, budget: WorkBudget
    ) throws(WebImageError) -> Image {
        let pixels = try image.pixels.converted(to: .rgba8, isOpaque: !image.hasAlpha)
        let result = try PixelBuffer(width: pixels.width, height: pixels.height, format: .rgba8)
        let amount = Float(amount)
        for row in 0..<pixels.height {
            if row % 64 == 0 { try budget.check() }
            pixels.withUnsafeBytes { source in
                result.withUnsafeMutableBytes { target in
                    var (from, to) = (row * pixels.bytesPerRow, row * result.bytesPerRow)
                    for _ in 0..<pixels.width {
                        let (red, green, blue) = (Float(source[from]), Float(source[from + 1]), Float(source[from + 2]))
                        let grey = (0.299 * red * red + 0.587 * green * green + 0.114 * blue * blue).squareRoot()
                        func level(_ value: Float) -> UInt8 {
                            UInt8(min(max(grey + (value - grey) * amount, 0), 255))
                        }
                        (target[to], target[to + 1], target[to + 2]) = (level(red), level(green), level(blue))
                        target[to + 3] = source[from + 3]
                        (from, to) = (from + 4, to + 4)
                    }
                }
            }
        }
        return Image(
            pixels: try result.converted(to: .bgra8Premultiplied, isOpaque: !image.hasAlpha),
            colorProfile: image.colorProfile, hasAlpha: image.hasAlpha, format: image.imageFormat)
    }

    /// Makes the corners transparent outside quarter ellipses with the given radii in pixels.
    static func roundedCorners(_ image: Image, horizontal: Double, vertical: Double) throws(WebImageError) -> Image {
        guard horizontal > 0, vertical > 0 else { return image }
        if horizontal == vertical {
            return try made(
                image,
                image.roundedCornerImage(
                    withRadius: horizontal, corners: .allCorners, borderWidth: 0, borderColor: nil))
        }
        let size = CGSize(width: image.pixelSize.width, height: image.pixelSize.height)
        var format = GraphicsImageRendererFormat()
        format.scale = 1
        let result = GraphicsImageRenderer(size: size, format: format).image { context in
            context.clip(to: ellipticalCorners(size, horizontal: horizontal, vertical: vertical))
            context.draw(image, at: .zero)
        }
        let drawn = try made(image, result)
        return Image(
            pixels: drawn.pixels, colorProfile: image.colorProfile, hasAlpha: true, format: image.imageFormat)
    }

    /// The outline of a rectangle whose corners are quarter ellipses.
    private static func ellipticalCorners(_ size: CGSize, horizontal: Double, vertical: Double) -> GraphicsPath {
        // A cubic curve with control points at this fraction of the radius approximates a quarter of a circle with an
        // error below 0.03 % of the radius.
        let control = 0.5523
        let (dx, dy) = (horizontal * (1 - control), vertical * (1 - control))
        var path = GraphicsPath()
        path.move(to: CGPoint(x: horizontal, y: 0))
        path.addLine(to: CGPoint(x: size.width - horizontal, y: 0))
        path.addCurve(
            to: CGPoint(x: size.width, y: vertical), control1: CGPoint(x: size.width - dx, y: 0),
            control2: CGPoint(x: size.width, y: dy))
        path.addLine(to: CGPoint(x: size.width, y: size.height - vertical))
        path.addCurve(
            to: CGPoint(x: size.width - horizontal, y: size.height),
            control1: CGPoint(x: size.width, y: size.height - dy),
            control2: CGPoint(x: size.width - dx, y: size.height))
        path.addLine(to: CGPoint(x: horizontal, y: size.height))
        path.addCurve(
            to: CGPoint(x: 0, y: size.height - vertical), control1: CGPoint(x: dx, y: size.height),
            control2: CGPoint(x: 0, y: size.height - dy))
        path.addLine(to: CGPoint(x: 0, y: vertical))
        path.addCurve(
            to: CGPoint(x: horizontal, y: 0), control1: CGPoint(x: 0, y: dy), control2: CGPoint(x: dx, y: 0))
        path.closeSubpath()
        return path
    }

    static func made(_ source: Image, _ image: Image?) throws(WebImageError) -> Image {
        if let image { return image }
        // An effect also fails if the budget has ended. Then report this cause.
        try WorkBudget.current?.check()
        throw WebImageError(
            .badImageData, stage: .transform, underlying: .message("an effect failed"),
            hint: "The picture has \(source.pixelSize) px.")
    }
}
