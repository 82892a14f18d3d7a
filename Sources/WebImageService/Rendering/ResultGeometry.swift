import Foundation
import WebImageCore

/// The size of the picture after each step from the source to the result. The sizes are computed from the source's size
/// before decoding.
///
/// Rounding is as in imgproxy. Sizes are rounded half away from zero. Offsets and padding are rounded half to even.
struct ResultGeometry: Sendable, Hashable {
    /// The size of the source after the orientation (if `auto_rotate` is on) and the quarter turns were applied.
    let turned: PixelSize
    /// The size of the part of the source that remains after the crop, before resizing. ``cropOrigin`` is the position
    /// of this part; if it is nil, ``cropGravity`` determines the position.
    let crop: PixelSize
    let cropGravity: Gravity
    /// The position of the part ``crop`` if the target states the edges of this part; otherwise nil.
    let cropOrigin: PixelPlace?
    /// The size of the part ``crop`` after resizing.
    let scaled: PixelSize
    /// The size after the resized part is cut to the requested size.
    let cut: PixelSize
    let cutGravity: Gravity
    /// The size after the option `extend`.
    let extended: PixelSize
    let extendedToRatio: PixelSize
    let padding: ProcessingOptions.Padding
    /// The effective device pixel ratio. It is lower than the requested ratio if the source is too small or if the
    /// result would be too large.
    let dpr: Double

    /// The size of the result before the rotation by ``ProcessingOptions/angle``, unless that comes before the canvas.
    var result: PixelSize {
        PixelSize(
            width: extendedToRatio.width + padding.left + padding.right,
            height: extendedToRatio.height + padding.top + padding.bottom)
    }

    /// The size of the result after the rotation by ``ProcessingOptions/angle``.
    var rotated: PixelSize { rotatesFirst ? result : Geometry.rotated(result, by: angle) }

    private let angle: Double
    private let rotatesFirst: Bool
    private let cutsExactly: Bool
    /// The factors from ``crop`` to ``scaled`` before rounding.
    private let factorX: Double
    private let factorY: Double
    /// Whether the picture fills a box with this side, so that ``cut`` is the side of the box.
    private let fillsWidth: Bool
    private let fillsHeight: Bool

    /// The part of the turned source that becomes ``cut``, with edges that can lie between two pixels.
    ///
    /// - Parameters:
    ///   - cropPlace: The position of ``crop`` in ``turned``.
    ///   - cutPlace: The position of ``cut`` in ``scaled``; nil means the position that ``cutGravity`` gives.
    func region(cropPlace: PixelPlace, cutPlace: PixelPlace? = nil) -> PixelRegion {
        if cutsExactly, cutPlace == nil { return exactRegion(cropPlace) }
        let place = cutPlace ?? Geometry.place(cut, in: scaled, cutGravity, dpr: dpr)
        let (x, y) = (Double(crop.width) / Double(scaled.width), Double(crop.height) / Double(scaled.height))
        return PixelRegion(
            left: Double(cropPlace.x) + Double(place.x) * x, top: Double(cropPlace.y) + Double(place.y) * y,
            width: Double(cut.width) * x, height: Double(cut.height) * y)
    }

    /// The part of the turned source that becomes ``cut`` if no size and no position between is rounded.
    private func exactRegion(_ cropPlace: PixelPlace) -> PixelRegion {
        func side(
            of whole: Int, cut: Int, scaled: Int, by factor: Double, isFilled: Bool, isFirst: Bool, isLast: Bool,
            focus: Double
        ) -> (start: Double, length: Double) {
            let length = Double(cut) / factor
            // A side that is not cut keeps all of the source. If the picture fills a box, a side can be cut by less than
            // half a pixel of the result. The rounded sizes are equal then.
            guard cut < scaled || isFilled, length < Double(whole) - 1e-6 else { return (0, Double(whole)) }
            let room = Double(whole) - length
            if cutGravity.anchor == .focusPoint {
                return (min(max(Double(whole) * focus - length / 2, 0), room), length)
            }
            return (isFirst ? 0 : isLast ? room : room / 2, length)
        }
        let anchor = cutGravity.anchor
        let (left, width) = side(
            of: crop.width, cut: cut.width, scaled: scaled.width, by: factorX, isFilled: fillsWidth,
            isFirst: anchor.isLeft, isLast: anchor.isRight, focus: cutGravity.x)
        let (top, height) = side(
            of: crop.height, cut: cut.height, scaled: scaled.height, by: factorY, isFilled: fillsHeight,
            isFirst: anchor.isTop, isLast: anchor.isBottom, focus: cutGravity.y)
        return PixelRegion(
            left: Double(cropPlace.x) + left, top: Double(cropPlace.y) + top, width: width, height: height)
    }

    /// The part of the turned source that becomes ``cut``; nil if it depends on the pixels.
    var fixedRegion: PixelRegion? {
        guard cutGravity.anchor != .smart || cut == scaled else { return nil }
        if let cropOrigin { return region(cropPlace: cropOrigin) }
        guard crop != turned else { return region(cropPlace: PixelPlace(x: 0, y: 0)) }
        return cropGravity.anchor == .smart
            ? nil : region(cropPlace: Geometry.place(crop, in: turned, cropGravity))
    }

    /// The size at which the whole source must be decoded, so that the part ``crop`` has the size ``scaled``. For a
    /// bitmap, the decode size is never larger than ``turned``.
    func decodeSize(isVector: Bool) -> PixelSize {
        func side(_ whole: Int, part: Int, scaledTo wanted: Int) -> Int {
            let side = Geometry.rounded(Double(whole) * Double(wanted) / Double(part))
            return isVector ? side : min(side, whole)
        }
        return PixelSize(
            width: side(turned.width, part: crop.width, scaledTo: scaled.width),
            height: side(turned.height, part: crop.height, scaledTo: scaled.height))
    }

    /// Computes the sizes for a source of the given size. If the longer side of the result would exceed `maxSide` pixels,
    /// the sizes of all steps are reduced.
    init(
        source: PixelSize, options: ProcessingOptions, isVector: Bool = false, maxSide: Int = 65_535
    ) {
        var geometry = ResultGeometry(source, options, isVector: isVector, reduction: 1)
        var reduction = 1.0
        // After the first reduction, rounding can leave a side one pixel too long. Further passes correct this.
        for _ in 0..<4 {
            let side = max(geometry.rotated.width, geometry.rotated.height)
            guard side > maxSide else { break }
            reduction *= Double(maxSide) / Double(side)
            geometry = ResultGeometry(source, options, isVector: isVector, reduction: reduction)
        }
        // A side has at least one pixel, so a picture of an extreme ratio cannot be reduced further. Cut it instead.
        if max(geometry.result.width, geometry.result.height) > maxSide {
            geometry = ResultGeometry(source, options, isVector: isVector, reduction: reduction, maxSide: maxSide)
        }
        self = geometry
    }

    private init(
        _ source: PixelSize, _ options: ProcessingOptions, isVector: Bool, reduction: Double, maxSide: Int = .max
    ) {
        angle = options.angle
        rotatesFirst = options.rotatesFirst
        cutsExactly = options.cutsExactly
        func bounded(_ size: PixelSize) -> PixelSize {
            PixelSize(width: min(size.width, maxSide), height: min(size.height, maxSide))
        }
        let isTurned = options.quarterTurns % 2 == 1
        let turned = isTurned ? source.swapped : source
        self.turned = turned
        let part = SourcePart(turned, options)
        crop = part.size
        cropOrigin = part.origin
        cropGravity = part.gravity

        var wanted = PixelSize(
            width: options.keepsSourceWidth && options.width == 0 ? crop.width : options.width,
            height: options.keepsSourceHeight && options.height == 0 ? crop.height : options.height)
        // A side of 0 follows from the other side, so the box already has the orientation of the source.
        if options.isAdaptive, wanted.width > 0, wanted.height > 0,
            (wanted.width - wanted.height).signum() * (crop.width - crop.height).signum() < 0
        {
            wanted = wanted.swapped
        }
        let resizing = Self.resolved(options.resizing, from: crop, to: wanted)
        let scale = ScaleFactors(
            from: crop, to: wanted, options, resizing: resizing, isVector: isVector, reduction: reduction)
        dpr = scale.dpr
        (factorX, factorY) = (scale.x, scale.y)
        scaled = PixelSize(
            width: Geometry.scaled(crop.width, scale.x), height: Geometry.scaled(crop.height, scale.y))

        let target = PixelSize(
            width: wanted.width == 0 ? 0 : Geometry.scaled(wanted.width, scale.dpr * options.zoomX),
            height: wanted.height == 0 ? 0 : Geometry.scaled(wanted.height, scale.dpr * options.zoomY))
        let isFilled = [.fill, .fillDown].contains(resizing)
        (fillsWidth, fillsHeight) = (isFilled && target.width > 0, isFilled && target.height > 0)
        cut = bounded(Self.cut(scaled, to: target, resizing: resizing, options))
        cutGravity = options.focalArea.map { Self.focus(on: $0, part) } ?? options.gravity

        let picture = options.rotatesFirst ? Geometry.rotated(cut, by: angle) : cut
        var box = PixelSize(width: max(picture.width, target.width), height: max(picture.height, target.height))
        if options.extendsExactly {
            // As in thumbor, `full-fit-in` replaces the box by the size of the picture that covers it.
            let wanted = resizing == .cover ? cut : target
            box = PixelSize(
                width: wanted.width == 0 ? picture.width : wanted.width,
                height: wanted.height == 0 ? picture.height : wanted.height)
        }
        extended = options.extend.isEnabled ? bounded(box) : picture
        extendedToRatio =
            options.extendAspectRatio.isEnabled ? bounded(Self.extended(extended, toRatioOf: target)) : extended
        func pad(_ value: Int, _ room: Int) -> Int { min(Geometry.even(Double(value) * scale.dpr), max(room, 0)) }
        let wide = maxSide - extendedToRatio.width, high = maxSide - extendedToRatio.height
        let (top, left) = (pad(options.padding.top, high), pad(options.padding.left, wide))
        padding = ProcessingOptions.Padding(
            top: top, right: pad(options.padding.right, wide - left),
            bottom: pad(options.padding.bottom, high - top), left: left)
    }

    private static func resolved(
        _ resizing: ProcessingOptions.Resizing, from source: PixelSize, to wanted: PixelSize
    ) -> ProcessingOptions.Resizing {
        guard resizing == .auto else { return resizing }
        let width = wanted.width == 0 ? source.width : wanted.width
        let height = wanted.height == 0 ? source.height : wanted.height
        return (source.width >= source.height) == (width >= height) ? .fill : .fit
    }

    private static func cut(
        _ scaled: PixelSize, to target: PixelSize, resizing: ProcessingOptions.Resizing, _ options: ProcessingOptions
    ) -> PixelSize {
        guard resizing != .cover else { return scaled }
        var box = target
        if resizing == .fillDown, !options.enlarge, target.width > 0, target.height > 0 {
            let (wide, high) = (
                Double(target.width) / Double(scaled.width), Double(target.height) / Double(scaled.height)
            )
            if wide > high, wide > 1 {
                box = PixelSize(
                    width: scaled.width,
                    height: Geometry.scaled(scaled.width, Double(target.height) / Double(target.width)))
            } else if high > wide, high > 1 {
                box = PixelSize(
                    width: Geometry.scaled(scaled.height, Double(target.width) / Double(target.height)),
                    height: scaled.height)
            }
        }
        return PixelSize(
            width: box.width == 0 ? scaled.width : min(box.width, scaled.width),
            height: box.height == 0 ? scaled.height : min(box.height, scaled.height))
    }

    private static func extended(_ size: PixelSize, toRatioOf target: PixelSize) -> PixelSize {
        guard target.width > 0, target.height > 0 else { return size }
        let (wide, high) = (Double(target.width) / Double(size.width), Double(target.height) / Double(size.height))
        if wide > high {
            let width = Geometry.scaled(size.height, Double(target.width) / Double(target.height))
            return PixelSize(width: max(width, size.width), height: size.height)
        }
        let height = Geometry.scaled(size.width, Double(target.height) / Double(target.width))
        return PixelSize(width: size.width, height: max(height, size.height))
    }

    /// The centre of an area of the source, as fractions of the sides of the part that remains after the crop.
    private static func focus(
        on area: ProcessingOptions.ManualCrop, _ part: SourcePart
    ) -> Gravity {
        let origin = part.origin ?? PixelPlace(x: 0, y: 0)
        func share(_ first: Int, _ last: Int, from start: Int, of side: Int) -> Double {
            min(max((Double(first + last) / 2 - Double(start)) / Double(side), 0), 1)
        }
        return Gravity(
            anchor: .focusPoint, x: share(area.left, area.right, from: origin.x, of: part.size.width),
            y: share(area.top, area.bottom, from: origin.y, of: part.size.height))
    }
}

/// The part of a source that remains after the crop, before resizing.
private struct SourcePart {
    let size: PixelSize
    let gravity: Gravity
    let origin: PixelPlace?

    init(_ source: PixelSize, _ options: ProcessingOptions) {
        if let edges = options.manualCrop {
            let left = min(max(edges.left, 0), source.width - 1)
            let top = min(max(edges.top, 0), source.height - 1)
            // An empty area is ignored.
            if edges.right > left, edges.bottom > top {
                origin = PixelPlace(x: left, y: top)
                size = PixelSize(
                    width: min(edges.right, source.width) - left, height: min(edges.bottom, source.height) - top)
                gravity = .center
                return
            }
        }
        origin = nil
        gravity = options.crop?.gravity ?? options.gravity
        func side(_ whole: Int, _ wanted: Double) -> Int {
            if wanted == 0 { return whole }
            // A fraction of a pixel is cut off, as in imgproxy.
            return min(whole, wanted < 1 ? Geometry.rounded(Double(whole) * wanted) : Int(wanted))
        }
        size = PixelSize(
            width: side(source.width, options.crop?.width ?? 0), height: side(source.height, options.crop?.height ?? 0))
    }
}

/// The horizontal and the vertical scale factor.
private struct ScaleFactors {
    let x: Double
    let y: Double
    let dpr: Double

    init(
        from source: PixelSize, to wanted: PixelSize, _ options: ProcessingOptions,
        resizing: ProcessingOptions.Resizing, isVector: Bool, reduction: Double
    ) {
        let (width, height) = (Double(source.width), Double(source.height))
        var x = wanted.width == 0 ? 1 : Double(wanted.width) / width
        var y = wanted.height == 0 ? 1 : Double(wanted.height) / height
        if resizing != .force {
            if wanted.width == 0 {
                x = wanted.height == 0 ? 1 : y
                y = x
            } else if wanted.height == 0 {
                y = x
            } else if resizing == .fit {
                (x, y) = (min(x, y), min(x, y))
            } else {
                (x, y) = (max(x, y), max(x, y))
            }
        }
        x *= options.zoomX
        y *= options.zoomY
        var dpr = options.dpr
        if !options.enlarge, !isVector {
            if resizing == .force, options.cutsExactly {
                // In thumbor, `stretch` and `no_upscale` limit each side by itself.
                (x, y) = (min(x, 1), min(y, 1))
            }
            let largest = max(x, y)
            if largest > 1 {
                x /= largest
                y /= largest
                // The source is smaller than the box. A ratio below 1 reduces the box, not the source: the result has
                // the size of the reduced box, or of the source if the reduced box is still larger. With `extend`, the
                // ratio reduces the whole composition of picture and added space.
                if !options.extend.isEnabled { dpr *= largest }
            }
            dpr = min(dpr, 1 / max(x, y))
        }
        if options.minWidth > 0, Double(options.minWidth) / width > x {
            y *= Double(options.minWidth) / width / x
            x = Double(options.minWidth) / width
        }
        if options.minHeight > 0, Double(options.minHeight) / height > y {
            x *= Double(options.minHeight) / height / y
            y = Double(options.minHeight) / height
        }
        dpr *= reduction
        self.x = x * dpr
        self.y = y * dpr
        self.dpr = dpr
    }
}
