import Foundation
import WebImageCore
import WebImageGraphics

/// Makes the frames of the result from decoded frames, according to a plan. Blocks; runs on the decode pool.
///
/// Positions that depend on pixels are chosen in the first frame and used for all frames.
struct FrameRenderer {
    let plan: GeometryPlan
    let options: ProcessingOptions
    let watermark: WatermarkDrawing?
    /// Whether the result's format stores transparency.
    let keepsAlpha: Bool
    private var cropPlace: PixelPlace?
    private var cutPlace: PixelPlace?

    init(plan: GeometryPlan, options: ProcessingOptions, watermark: WatermarkDrawing?, keepsAlpha: Bool) {
        self.plan = plan
        self.options = options
        self.watermark = watermark
        self.keepsAlpha = keepsAlpha
    }

    /// Makes one frame of the result.
    ///
    /// - Parameter frame: The uncropped frame of the source before the quarter turns. After the turns, its size is
    ///   ``GeometryPlan/decodeSize(isVector:)`` or larger.
    mutating func rendered(_ frame: Image) throws(WebImageError) -> Image {
        var image = try PixelCanvas.oriented(frame, ImageOrientation(quarterTurns: options.quarterTurns))
        if !options.flipsLast { image = try flipped(image) }
        image = try cropped(image)
        image = try PixelCanvas.scaled(image, to: plan.scaled)
        image = try cut(image)
        if options.flipsLast { image = try flipped(image) }
        image = try PixelEffects.apply(options, to: image)
        image = try placedOnCanvas(image)
        if options.angle != 0 {
            image = try PixelEffects.made(
                image, image.rotatedImage(withAngle: options.angle * .pi / 180, fitSize: true))
        }
        image = try flattened(image)
        if let watermark, let wanted = options.watermark {
            image = try watermark.drawn(on: image, wanted, dpr: plan.dpr)
        }
        return try roundCorners(image)
    }

    private func flipped(_ image: Image) throws(WebImageError) -> Image {
        switch (options.flipHorizontal, options.flipVertical) {
        case (false, false): image
        case (true, false): try PixelCanvas.oriented(image, .upMirrored)
        case (false, true): try PixelCanvas.oriented(image, .downMirrored)
        case (true, true): try PixelCanvas.oriented(image, .down)
        }
    }

    /// Cuts the requested part from the decoded picture. The part is defined in pixels of the source. The decoded
    /// picture can be smaller than the source, so the part is scaled down by the same factors as the picture.
    private mutating func cropped(_ image: Image) throws(WebImageError) -> Image {
        guard plan.crop != plan.turned else { return image }
        let (x, y) = (
            Double(image.pixelSize.width) / Double(plan.turned.width),
            Double(image.pixelSize.height) / Double(plan.turned.height)
        )
        let size = PixelSize(
            width: min(Geometry.scaled(plan.crop.width, x), image.pixelSize.width),
            height: min(Geometry.scaled(plan.crop.height, y), image.pixelSize.height))
        if cropPlace == nil {
            if let origin = plan.cropOrigin {
                cropPlace = PixelPlace(
                    x: Int((Double(origin.x) * x).rounded()), y: Int((Double(origin.y) * y).rounded()))
            } else if plan.cropGravity.anchor == .smart {
                cropPlace = try Attention.place(size, in: image)
            } else {
                let place = Geometry.place(plan.crop, in: plan.turned, plan.cropGravity)
                cropPlace = PixelPlace(
                    x: Int((Double(place.x) * x).rounded()), y: Int((Double(place.y) * y).rounded()))
            }
        }
        return try PixelCanvas.cropped(image, to: size, at: Self.inside(cropPlace, size, image.pixelSize))
    }

    private mutating func cut(_ image: Image) throws(WebImageError) -> Image {
        guard plan.cut != image.pixelSize else { return image }
        if cutPlace == nil {
            cutPlace =
                plan.cutGravity.anchor == .smart
                ? try Attention.place(plan.cut, in: image)
                : Geometry.place(plan.cut, in: image.pixelSize, plan.cutGravity, dpr: plan.dpr)
        }
        return try PixelCanvas.cropped(image, to: plan.cut, at: Self.inside(cutPlace, plan.cut, image.pixelSize))
    }

    private static func inside(_ place: PixelPlace?, _ size: PixelSize, _ whole: PixelSize) -> PixelPlace {
        PixelPlace(
            x: min(max(place?.x ?? 0, 0), whole.width - size.width),
            y: min(max(place?.y ?? 0, 0), whole.height - size.height))
    }

    private func placedOnCanvas(_ image: Image) throws(WebImageError) -> Image {
        var image = image
        let around = try options.extendBackground.map { background throws(WebImageError) in try color(background, image)
        }
        for (size, gravity) in [
            (plan.extended, options.extend.gravity), (plan.extendedToRatio, options.extendAspectRatio.gravity),
        ] {
            let place = Geometry.place(image.pixelSize, in: size, gravity, dpr: plan.dpr)
            image = try PixelCanvas.extended(image, to: size, at: place, around: around)
        }
        return try PixelCanvas.extended(
            image, to: plan.result, at: PixelPlace(x: plan.padding.left, y: plan.padding.top), around: around)
    }

    private func flattened(_ image: Image) throws(WebImageError) -> Image {
        if let background = options.background {
            return try PixelCanvas.flattened(image, over: try color(background, image))
        }
        return keepsAlpha ? image : try PixelCanvas.flattened(image, over: .white)
    }

    private func roundCorners(_ image: Image) throws(WebImageError) -> Image {
        guard let corner = options.roundCorner, corner.radius > 0, corner.verticalRadius ?? 1 > 0 else { return image }
        // Each radius has its own limit, as in thumbor. So a radius above half the shorter side gives elliptical
        // corners.
        let radius = min(Double(corner.radius) * plan.dpr, Double(image.pixelSize.width / 2))
        let vertical = min(
            Double(corner.verticalRadius ?? corner.radius) * plan.dpr, Double(image.pixelSize.height / 2))
        let rounded = try PixelEffects.roundedCorners(image, horizontal: radius, vertical: vertical)
        guard corner.color != nil || !keepsAlpha else { return rounded }
        return try PixelCanvas.flattened(rounded, over: (corner.color ?? .white).imageColor)
    }

    private func color(_ background: ProcessingOptions.Background, _ image: Image) throws(WebImageError) -> ImageColor {
        switch background {
        case .color(let color): return color.imageColor
        case .mean:
            var mean = image.averageColor() ?? .white
            mean.alpha = 1
            return mean
        }
    }
}
