import Foundation
import WebImageCore
import WebImageGraphics

/// Makes the frames of the result from decoded frames, with the sizes of a geometry. Blocks; runs on the decode pool.
///
/// Positions that depend on pixels are chosen in the first frame and used for all frames.
struct FrameRenderer {
    let geometry: ResultGeometry
    let options: ProcessingOptions
    let watermark: WatermarkDrawing?
    /// Whether the result's format stores transparency.
    let keepsAlpha: Bool
    /// Checked before each step. The steps check it between bands of rows.
    let budget: WorkBudget
    /// The part of the turned source that the result shows.
    private var region: PixelRegion?

    init(
        geometry: ResultGeometry, options: ProcessingOptions, watermark: WatermarkDrawing?, keepsAlpha: Bool,
        budget: WorkBudget
    ) {
        self.budget = budget
        self.geometry = geometry
        self.options = options
        self.watermark = watermark
        self.keepsAlpha = keepsAlpha
    }

    /// Makes one frame of the result.
    ///
    /// - Parameters:
    ///   - frame: A frame before the quarter turns. It shows the whole source, or only the part that the result shows.
    ///   - isCut: Whether the decoder has already cut and scaled the frame: after the turns, its size is
    ///     ``ResultGeometry/cut``.
    mutating func rendered(_ frame: Image, isCut: Bool = false) throws(WebImageError) -> Image {
        var image = frame
        for step in Step.allCases where !(isCut && step == .cut) {
            try budget.check()
            image = try apply(step, to: image)
        }
        for step in options.pixelSteps {
            try budget.check()
            image = try apply(step, to: image)
        }
        return try flattened(image)
    }

    /// The steps before those of ``ProcessingOptions/pixelSteps``, in their order.
    private enum Step: CaseIterable {
        case turn, mirrorFirst, cut, mirrorLast
    }

    /// Applies a step. Returns the picture unchanged if the options do not need the step.
    private mutating func apply(_ step: Step, to image: Image) throws(WebImageError) -> Image {
        switch step {
        case .turn: try PixelCanvas.oriented(image, ImageOrientation(quarterTurns: options.quarterTurns))
        case .mirrorFirst: options.flipsLast ? image : try flipped(image)
        case .cut: try cut(image)
        case .mirrorLast: options.flipsLast ? try flipped(image) : image
        }
    }

    private func apply(
        _ step: ProcessingOptions.PixelStep, to image: Image
    ) throws(WebImageError) -> Image {
        switch step {
        case .blur, .sharpen, .pixelate, .gray, .brightness, .contrast, .saturation, .channels:
            try PixelEffects.apply(step, of: options, to: image, budget: budget)
        case .canvas: try placedOnCanvas(image)
        case .rotation: try rotated(image)
        case .background: try drawnOverBackground(image)
        case .watermark: try watermarked(image)
        case .corners: try roundCorners(image)
        }
    }

    private func watermarked(_ image: Image) throws(WebImageError) -> Image {
        guard let watermark, let wanted = options.watermark else { return image }
        return try watermark.drawn(on: try flattened(image), wanted, dpr: geometry.dpr)
    }

    private func rotated(_ image: Image) throws(WebImageError) -> Image {
        guard options.angle != 0 else { return image }
        return try PixelEffects.made(image, image.rotatedImage(withAngle: options.angle * .pi / 180, fitSize: true))
    }

    private func flipped(_ image: Image) throws(WebImageError) -> Image {
        switch (options.flipHorizontal, options.flipVertical) {
        case (false, false): image
        case (true, false): try PixelCanvas.oriented(image, .upMirrored)
        case (false, true): try PixelCanvas.oriented(image, .downMirrored)
        case (true, true): try PixelCanvas.oriented(image, .down)
        }
    }

    /// Cuts and scales the requested part of the source in one step. The picture can be smaller than the source.
    private mutating func cut(_ image: Image) throws(WebImageError) -> Image {
        let (x, y) = (
            Double(image.pixelSize.width) / Double(geometry.turned.width),
            Double(image.pixelSize.height) / Double(geometry.turned.height)
        )
        let part: PixelRegion
        if let known = region ?? geometry.fixedRegion {
            part = known
        } else {
            part = try attentiveRegion(of: image, x, y)
        }
        region = part
        return try PixelCanvas.scaled(image, to: geometry.cut, from: part.scaled(x: x, y: y))
    }

    /// The part of the turned source that attracts most attention. `x` and `y` are the factors from the source to the
    /// picture.
    private func attentiveRegion(of image: Image, _ x: Double, _ y: Double) throws(WebImageError) -> PixelRegion {
        var cropPlace = geometry.cropOrigin ?? PixelPlace(x: 0, y: 0)
        if geometry.cropOrigin == nil, geometry.crop != geometry.turned {
            cropPlace =
                geometry.cropGravity.anchor == .smart
                ? try Attention.place(
                    geometry.crop, in: geometry.turned, of: image, PixelRegion(geometry.turned).scaled(x: x, y: y))
                : Geometry.place(geometry.crop, in: geometry.turned, geometry.cropGravity)
        }
        guard geometry.cutGravity.anchor == .smart, geometry.cut != geometry.scaled else {
            return geometry.region(cropPlace: cropPlace)
        }
        let crop = PixelRegion(
            left: Double(cropPlace.x), top: Double(cropPlace.y), width: Double(geometry.crop.width),
            height: Double(geometry.crop.height))
        let place = try Attention.place(geometry.cut, in: geometry.scaled, of: image, crop.scaled(x: x, y: y))
        return geometry.region(cropPlace: cropPlace, cutPlace: place)
    }

    private func placedOnCanvas(_ image: Image) throws(WebImageError) -> Image {
        var image = image
        if options.extendsExactly { image = try cutToCanvas(image) }
        let around = try options.extendBackground.map { background throws(WebImageError) in try color(background, image)
        }
        for (size, gravity) in [
            (geometry.extended, options.extend.gravity), (geometry.extendedToRatio, options.extendAspectRatio.gravity),
        ] {
            let place =
                options.extendsExactly
                ? PixelPlace(
                    x: (size.width - image.pixelSize.width) / 2, y: (size.height - image.pixelSize.height) / 2)
                : Geometry.place(image.pixelSize, in: size, gravity, dpr: geometry.dpr)
            image = try PixelCanvas.extended(image, to: size, at: place, around: around)
        }
        return try PixelCanvas.extended(
            image, to: geometry.result, at: PixelPlace(x: geometry.padding.left, y: geometry.padding.top),
            around: around)
    }

    /// Cuts the parts that are outside of the canvas on both sides.
    private func cutToCanvas(_ image: Image) throws(WebImageError) -> Image {
        let (size, canvas) = (image.pixelSize, geometry.extended)
        let part = PixelSize(width: min(size.width, canvas.width), height: min(size.height, canvas.height))
        let place = PixelPlace(x: (size.width - part.width + 1) / 2, y: (size.height - part.height + 1) / 2)
        return try PixelCanvas.cropped(image, to: part, at: place)
    }

    private func drawnOverBackground(_ image: Image) throws(WebImageError) -> Image {
        guard let background = options.background else { return image }
        return try PixelCanvas.flattened(image, over: try color(background, image))
    }

    /// Draws the picture over white if the result's format stores no transparency.
    private func flattened(_ image: Image) throws(WebImageError) -> Image {
        keepsAlpha ? image : try PixelCanvas.flattened(image, over: .white)
    }

    private func roundCorners(_ image: Image) throws(WebImageError) -> Image {
        guard let corner = options.roundCorner, corner.radius > 0, corner.verticalRadius ?? 1 > 0 else { return image }
        let image = try flattened(image)
        // Each radius has its own limit, as in thumbor. So a radius above half the shorter side gives elliptical
        // corners.
        let radius = min(Double(corner.radius) * geometry.dpr, Double(image.pixelSize.width / 2))
        let vertical = min(
            Double(corner.verticalRadius ?? corner.radius) * geometry.dpr, Double(image.pixelSize.height / 2))
        let rounded = try PixelEffects.roundedCorners(image, horizontal: radius, vertical: vertical)
        guard let color = corner.color else { return try flattened(rounded) }
        return try PixelCanvas.restored(rounded, to: image, with: color)
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
