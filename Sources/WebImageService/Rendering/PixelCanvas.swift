import Foundation
import WebImageCore
import WebImageGraphics

/// Crops, extends, flattens and turns pictures. All pixel buffers have the display layout.
enum PixelCanvas {
    /// Returns the part of the picture that has the given size and position. If the part has the size of the picture,
    /// returns the picture itself.
    static func cropped(_ image: Image, to size: PixelSize, at place: PixelPlace) throws(WebImageError) -> Image {
        if size == image.pixelSize { return image }
        let part = try PixelBuffer(width: size.width, height: size.height, format: image.pixels.format)
        part.copyRectangle(of: image.pixels, x: place.x, y: place.y)
        let region = PixelRegion(
            left: Double(place.x), top: Double(place.y), width: Double(size.width), height: Double(size.height))
        return try image.moved(to: part) { map throws(WebImageError) in
            try map.resampled(from: region, of: image.pixelSize, to: size)
        }
    }

    /// Places a picture on a larger canvas. The canvas has the given colour; nil makes the canvas transparent.
    static func extended(
        _ image: Image, to size: PixelSize, at place: PixelPlace, around color: ImageColor?
    ) throws(WebImageError) -> Image {
        if size == image.pixelSize { return image }
        let pixels = try image.pixels.converted(to: .bgra8Premultiplied, isOpaque: !image.hasAlpha)
        let canvas = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        let word = color.map(word) ?? 0
        let rowBytes = pixels.width * 4
        canvas.withUnsafeMutableBytes { target in
            let start = target.baseAddress!
            start.bindMemory(to: UInt32.self, capacity: canvas.width).update(repeating: word, count: canvas.width)
            for row in 1..<max(canvas.height, 1) { memcpy(start + row * canvas.bytesPerRow, start, canvas.width * 4) }
            pixels.withUnsafeBytes { source in
                for row in 0..<pixels.height {
                    memcpy(
                        start + (place.y + row) * canvas.bytesPerRow + place.x * 4,
                        source.baseAddress! + row * pixels.bytesPerRow, rowBytes)
                }
            }
        }
        return Image(
            pixels: canvas, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha || color == nil,
            format: image.imageFormat)
    }

    /// Draws the picture over a colour. The result has no transparency.
    static func flattened(_ image: Image, over color: ImageColor) throws(WebImageError) -> Image {
        guard image.hasAlpha else { return image }
        let pixels = try image.pixels.converted(to: .bgra8Premultiplied).composited(over: color)
        return Image(pixels: pixels, colorProfile: image.colorProfile, hasAlpha: false, format: image.imageFormat)
    }

    /// Draws a colour where a picture has less opacity than `original`, so that it has the opacity of `original` again.
    /// Both have the same size.
    static func restored(_ image: Image, to original: Image, with color: PlainColor) throws(WebImageError) -> Image {
        guard original.hasAlpha else { return try flattened(image, over: color.imageColor) }
        let above = try image.pixels.converted(to: .bgra8Premultiplied)
        let below = try original.pixels.converted(to: .bgra8Premultiplied)
        let result = try PixelBuffer(width: above.width, height: above.height, format: .bgra8Premultiplied)
        let channels = [Int(color.blue), Int(color.green), Int(color.red)]
        let rows = (result: result.bytesPerRow, above: above.bytesPerRow, below: below.bytesPerRow)
        result.withUnsafeMutableBytes { target in
            above.withUnsafeBytes { above in
                below.withUnsafeBytes { below in
                    for row in 0..<result.height {
                        var (place, high, low) = (row * rows.result, row * rows.above, row * rows.below)
                        for _ in 0..<result.width {
                            let missing = max(Int(below[low + 3]) - Int(above[high + 3]), 0)
                            for channel in 0..<3 {
                                let added = (channels[channel] * missing + 127) / 255
                                target[place + channel] = UInt8(min(Int(above[high + channel]) + added, 255))
                            }
                            target[place + 3] = below[low + 3]
                            (place, high, low) = (place + 4, high + 4, low + 4)
                        }
                    }
                }
            }
        }
        return Image(pixels: result, colorProfile: image.colorProfile, hasAlpha: true, format: image.imageFormat)
    }

    /// Returns a part of the picture scaled to `size`. If nothing changes, returns the picture itself.
    static func scaled(
        _ image: Image, to size: PixelSize, from region: PixelRegion? = nil
    ) throws(WebImageError) -> Image {
        let pixels = try image.pixels.scaled(to: size, from: region, isOpaque: !image.hasAlpha)
        if pixels === image.pixels { return image }
        return try image.moved(to: pixels) { map throws(WebImageError) in
            try map.resampled(from: region ?? PixelRegion(image.pixelSize), of: image.pixelSize, to: size)
        }
    }

    static func oriented(_ image: Image, _ orientation: ImageOrientation) throws(WebImageError) -> Image {
        if orientation == .up { return image }
        let pixels = try image.pixels.oriented(orientation)
        return try image.moved(to: pixels) { map throws(WebImageError) in try map.oriented(orientation) }
    }

    private static func word(_ color: ImageColor) -> UInt32 {
        func byte(_ value: Double) -> UInt32 { UInt32((min(max(value, 0), 1) * 255).rounded()) }
        return (255 << 24 | byte(color.red) << 16 | byte(color.green) << 8 | byte(color.blue)).littleEndian
    }
}

extension Image {
    /// Returns an image of the same colours at other places. Its gain map is the one that `map` makes of the image's own.
    fileprivate func moved(
        to pixels: PixelBuffer, _ map: (GainMap) throws(WebImageError) -> GainMap
    ) throws(WebImageError) -> Image {
        let result = Image(pixels: pixels, colorProfile: colorProfile, hasAlpha: hasAlpha, format: imageFormat)
        if let gainMap = hdr?.gainMap {
            result.carryRange(of: self, map: try map(gainMap))
        } else {
            result.carryRange(of: self, map: nil)
        }
        return result
    }
}

extension ImageOrientation {
    /// The orientation that reverses this orientation. It turns an upright picture back to the stored form.
    var inverse: ImageOrientation {
        switch self {
        case .left: .right
        case .right: .left
        default: self
        }
    }

    /// Creates the orientation for a number of clockwise quarter turns.
    init(quarterTurns: Int) { self = [.up, .right, .down, .left][((quarterTurns % 4) + 4) % 4] }
}
