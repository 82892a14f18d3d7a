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
    private var cropPlace: PixelPlace?
    private var cutPlace: PixelPlace?

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
    /// - Parameter frame: The uncropped frame of the source before the quarter turns. After the turns, its size is
    ///   ``ResultGeometry/decodeSize(isVector:)`` or larger.
    mutating func rendered(_ frame: Image) throws(WebImageError) -> Image {
        var image = frame
        for step in Step.allCases {
            try budget.check()
            image = try apply(step, to: image)
        }
        return image
    }

    /// The steps in their order.
    private enum Step: CaseIterable {
        case turn, mirrorFirst, crop, scale, cut, mirrorLast, effects, canvas, rotate, flatten, watermark, corners
    }

    /// Applies a step. Returns the picture unchanged if the options do not need the step.
    private mutating func apply(_ step: Step, to image: Image) throws(WebImageError) -> Image {
        switch step {
        case .turn: try PixelCanvas.oriented(image, ImageOrientation(quarterTurns: options.quarterTurns))
        case .mirrorFirst: options.flipsLast ? image : try flipped(image)
        case .crop: try cropped(image)
        case .scale: try PixelCanvas.scaled(image, to: geometry.scaled)
        case .cut: try cut(image)
        case .mirrorLast: options.flipsLast ? try flipped(image) : image
        case .effects: try PixelEffects.apply(options, to: image, budget: budget)
        case .canvas: try placedOnCanvas(image)
        case .rotate: try rotated(image)
        case .flatten: try flattened(image)
        case .watermark: try watermarked(image)
        case .corners: try roundCorners(image)
        }
    }

    private func watermarked(_ image: Image) throws(WebImageError) -> Image {
        guard let watermark, let wanted = options.watermark else { return image }
        return try watermark.drawn(on: image, wanted, dpr: geometry.dpr)
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

    /// Cuts the requested part from the decoded picture. The part is defined in pixels of the source. The decoded
    /// picture can be smaller than the source, so the part is scaled down by the same factors as the picture.
    private mutating func cropped(_ image: Image) throws(WebImageError) -> Image {
        guard geometry.crop != geometry.turned else { return image }
        let (x, y) = (
            Double(image.pixelSize.width) / Double(geometry.turned.width),
            Double(image.pixelSize.height) / Double(geometry.turned.height)
        )
        let size = PixelSize(
            width: min(Geometry.scaled(geometry.crop.width, x), image.pixelSize.width),
            height: min(Geometry.scaled(geometry.crop.height, y), image.pixelSize.height))
        if cropPlace == nil {
            if let origin = geometry.cropOrigin {
                cropPlace = PixelPlace(
                    x: Int((Double(origin.x) * x).rounded()), y: Int((Double(origin.y) * y).rounded()))
            } else if geometry.cropGravity.anchor == .smart {
                cropPlace = try Attention.place(size, in: image)
            } else {
                let place = Geometry.place(geometry.crop, in: geometry.turned, geometry.cropGravity)
                cropPlace = PixelPlace(
                    x: Int((Double(place.x) * x).rounded()), y: Int((Double(place.y) * y).rounded()))
            }
        }
        return try PixelCanvas.cropped(image, to: size, at: Self.inside(cropPlace, size, in: image.pixelSize))
    }

    private mutating func cut(_ image: Image) throws(WebImageError) -> Image {
        guard geometry.cut != image.pixelSize else { return image }
        if cutPlace == nil {
            cutPlace =
                geometry.cutGravity.anchor == .smart
                ? try Attention.place(geometry.cut, in: image)
                : Geometry.place(geometry.cut, in: image.pixelSize, geometry.cutGravity, dpr: geometry.dpr)
        }
        return try PixelCanvas.cropped(
            image, to: geometry.cut, at: Self.inside(cutPlace, geometry.cut, in: image.pixelSize))
    }

    private static func inside(_ place: PixelPlace?, _ size: PixelSize, in whole: PixelSize) -> PixelPlace {
        PixelPlace(
            x: min(max(place?.x ?? 0, 0), whole.width - size.width),
            y: min(max(place?.y ?? 0, 0), whole.height - size.height))
    }

    private func placedOnCanvas(_ image: Image) throws(WebImageError) -> Image {
        var image = image
        let around = try options.extendBackground.map { background throws(WebImageError) in try color(background, image)
        }
        for (size, gravity) in [
            (geometry.extended, options.extend.gravity), (geometry.extendedToRatio, options.extendAspectRatio.gravity),
        ] {
            let place = Geometry.place(image.pixelSize, in: size, gravity, dpr: geometry.dpr)
            image = try PixelCanvas.extended(image, to: size, at: place, around: around)
        }
        return try PixelCanvas.extended(
            image, to: geometry.result, at: PixelPlace(x: geometry.padding.left, y: geometry.padding.top),
            around: around)
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
        let radius = min(Double(corner.radius) * geometry.dpr, Double(image.pixelSize.width / 2))
        let vertical = min(
            Double(corner.verticalRadius ?? corner.radius) * geometry.dpr, Double(image.pixelSize.height / 2))
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
