import CWebImagePixman
public import Foundation
public import WebImageCore

/// How an image is placed in an area with another aspect ratio.
public enum ImageScaleMode: UInt, Sendable {
    /// The image is stretched to the area.
    case fill = 0
    /// The whole image is visible in the centre of the area. The rest of the area is transparent.
    case aspectFit = 1
    /// The image is centred and covers the whole area. The parts of the image outside the area are cut off.
    case aspectFill = 2
}

extension Image {
    /// Returns an image of exactly `size` points. A Lanczos filter scales the picture. The scale (pixels per point) is
    /// unchanged.
    ///
    /// The pixel format is unchanged, for example grey or 16 bits. Exception: if transparent bars are added, the result
    /// has the display format, with 8 bits per channel.
    /// - Returns: nil if the size is not positive, is not finite, or exceeds the default pixel limit, and if the weights of
    ///   the filter would need over 128 MiB: for a side of about 250,000 px.
    public func resizedImage(with size: CGSize, scaleMode: ImageScaleMode) -> Image? {
        guard let canvas = PixelSize(points: size, scale: scale) else { return nil }
        let box = pixelSize.placed(in: canvas, scaleMode)
        return made(
            map: { () throws(WebImageError) in
                box.target == canvas ? try map?.resampled(from: box.source, of: pixelSize, to: canvas) : nil
            }
        ) { () throws(WebImageError) in
            guard box.target != canvas else {
                return (try pixels.scaled(to: canvas, from: box.source, isOpaque: !hasAlpha), hasAlpha)
            }
            let display = try pixels.converted(to: .bgra8Premultiplied, isOpaque: !hasAlpha)
            let scaled = try display.scaled(to: box.target, isOpaque: !hasAlpha)
            let result = try PixelBuffer.transparent(canvas)
            result.copy(scaled, x: (canvas.width - box.target.width) / 2, y: (canvas.height - box.target.height) / 2)
            return (result, true)
        }
    }

    /// Returns the part of the picture inside `rect`. `rect` is in points from the top left. The pixel format is
    /// unchanged.
    ///
    /// - Returns: nil if the rectangle is empty, not finite or completely outside the picture.
    public func croppedImage(with rect: CGRect) -> Image? {
        let sides = [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height].map { Double($0 * scale) }
        guard sides.allSatisfy({ $0.isFinite && abs($0) < 1e9 }), sides[2] > 0, sides[3] > 0 else { return nil }
        let area = PixelRect(
            x: Int(sides[0].rounded(.down)), y: Int(sides[1].rounded(.down)), width: Int(sides[2].rounded(.up)),
            height: Int(sides[3].rounded(.up)))
        guard let part = area.intersection(width: pixels.width, height: pixels.height) else { return nil }
        let region = PixelRegion(
            left: Double(part.x), top: Double(part.y), width: Double(part.width), height: Double(part.height))
        return made(
            map: { () throws(WebImageError) in try map?.resampled(from: region, of: pixelSize, to: part.size) }
        ) { () throws(WebImageError) in (try pixels.cropped(to: part), hasAlpha) }
    }

    /// Returns the picture mirrored left to right, top to bottom, or in both directions. The pixel format is unchanged.
    public func flippedImage(withHorizontal horizontal: Bool, vertical: Bool) -> Image? {
        let orientation: ImageOrientation =
            horizontal ? (vertical ? .down : .upMirrored) : vertical ? .downMirrored : .up
        return turned(orientation)
    }

    private func turned(_ orientation: ImageOrientation) -> Image? {
        made(map: { () throws(WebImageError) in try map?.oriented(orientation) }) {
            () throws(WebImageError) in (try pixels.oriented(orientation), hasAlpha)
        }
    }

    private var map: GainMap? { hdr?.gainMap }

    /// Returns the picture rotated around its centre.
    ///
    /// A rotation by a multiple of 180° does not change the pixel format. The same applies to a rotation by 90° or 270°
    /// if `fitSize` is true or the picture is square. All other results have the display format, with 8 bits per
    /// channel.
    /// - Parameters:
    ///   - angle: The angle in radians; positive angles are counter-clockwise.
    ///   - fitSize: Whether the result is large enough for the whole rotated picture. If false, the size is unchanged,
    ///     and the parts outside this size are cut off.
    /// - Returns: nil if the angle is not finite or a side would exceed 32,767 px.
    public func rotatedImage(withAngle angle: CGFloat, fitSize: Bool) -> Image? {
        guard angle.isFinite else { return nil }
        let quarters = angle / (.pi / 2)
        let isQuarter = abs(quarters - quarters.rounded()) < 1e-6
        // A rotation by a multiple of 90° only moves pixels, so it needs no filter. If `fitSize` is false, the result
        // must have the size of the original picture. In this case, the condition requires that the rotated picture
        // also has this size.
        if isQuarter, fitSize || pixels.width == pixels.height || Int(fmod(quarters.rounded(), 2)) == 0 {
            let turns = (Int(fmod(quarters.rounded(), 4)) + 4) % 4
            let orientation: ImageOrientation = [.up, .left, .down, .right][turns]
            return turned(orientation)
        }
        return made { () throws(WebImageError) in (try rotatedPixels(Double(angle), fitSize: fitSize), true) }
    }

    private func rotatedPixels(_ angle: Double, fitSize: Bool) throws(WebImageError) -> PixelBuffer {
        let (sine, cosine) = (sin(angle), cos(angle))
        let (width, height) = (Double(pixels.width), Double(pixels.height))
        var canvas = pixelSize
        if fitSize {
            canvas.width = Int((width * abs(cosine) + height * abs(sine) - 1e-6).rounded(.up))
            canvas.height = Int((width * abs(sine) + height * abs(cosine) - 1e-6).rounded(.up))
        }
        let source = try PixmanImage(try displayPixels())
        let result = try PixelBuffer(width: canvas.width, height: canvas.height, format: .bgra8Premultiplied)
        // The matrix maps each position in the result to a position in the picture. The centre of the result is mapped
        // to the centre of the picture.
        let (centerX, centerY) = (Double(canvas.width) / 2, Double(canvas.height) / 2)
        var matrix = pixman_f_transform(
            m: (
                (cosine, -sine, width / 2 - cosine * centerX + sine * centerY),
                (sine, cosine, height / 2 - sine * centerX - cosine * centerY), (0, 0, 1)
            ))
        var fixed = pixman_transform()
        guard pixman_transform_from_pixman_f_transform(&fixed, &matrix) != 0 else {
            throw .badData("pixman", "the picture is too large to turn")
        }
        pixman_image_set_transform(source.pointer, &fixed)
        pixman_image_set_filter(source.pointer, PIXMAN_FILTER_GOOD, nil, 0)
        try source.composite(PIXMAN_OP_SRC, onto: result)
        return result
    }
}

extension Image {
    /// Returns an image with this image's metadata and with the pixels that `make` returns. If `make` throws, logs the
    /// error and returns nil.
    ///
    /// - Parameter map: Returns the gain map of these pixels. By default they have none: a transform that changes colours or
    ///   adds pixels drops the map, because its factors belong to the colours of the base.
    func made(
        map: () throws(WebImageError) -> GainMap? = { () throws(WebImageError) in nil },
        _ make: () throws(WebImageError) -> (pixels: PixelBuffer, hasAlpha: Bool)
    ) -> Image? {
        do throws(WebImageError) {
            let result = try make()
            let image = Image(
                pixels: result.pixels, scale: scale, colorProfile: colorProfile, hasAlpha: result.hasAlpha,
                format: imageFormat)
            image.copyMetadata(from: self)
            image.carryRange(of: self, map: try map())
            return image
        } catch {
            if !error.isCancellation {
                WebImageLog.shared.log(.warning, "transform failed: \(error)", metadata: error.logMetadata)
            }
            return nil
        }
    }

    /// Takes over the dynamic range of the image from which this image was made, with another gain map or without one.
    package func carryRange(of source: Image, map: GainMap?) {
        guard var range = source.hdr else { return }
        range.gainMap = map
        hdr = range.gainMap == nil && range.transfer == nil ? nil : range
    }

    /// Returns the pixels in display format.
    func displayPixels() throws(WebImageError) -> PixelBuffer {
        try pixels.converted(to: .bgra8Premultiplied, isOpaque: !hasAlpha)
    }

    /// Returns the pixels in the display format. No other image uses the returned buffer, so it can be drawn on.
    func displayPixelsToDrawOn() throws(WebImageError) -> PixelBuffer {
        let display = try displayPixels()
        return display === pixels ? try display.copied() : display
    }
}
