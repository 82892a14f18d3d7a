public import Foundation
public import WebImageCore

extension Image {
    /// Returns the straight colour of the pixel at `point`. `point` is in pixels from the top left. Returns nil if
    /// `point` is outside the picture.
    public func color(at point: CGPoint) -> ImageColor? {
        colors(with: CGRect(x: point.x, y: point.y, width: 1, height: 1))?.first
    }

    /// Returns the straight colours of the pixels inside `rect`, row by row. `rect` is in pixels from the top left.
    /// Returns nil if `rect` is not inside the picture.
    public func colors(with rect: CGRect) -> [ImageColor]? {
        let sides = [rect.origin.x, rect.origin.y, rect.size.width, rect.size.height].map { Double($0) }
        guard sides.allSatisfy({ $0.isFinite && abs($0) < 1e9 }) else { return nil }
        let area = PixelRect(x: Int(sides[0]), y: Int(sides[1]), width: Int(sides[2]), height: Int(sides[3]))
        guard sides[0] >= 0, sides[1] >= 0, area.width > 0, area.height > 0, area.x + area.width <= pixels.width,
            area.y + area.height <= pixels.height
        else { return nil }
        return (area.y..<area.y + area.height).flatMap { y in
            (area.x..<area.x + area.width).map { x in pixels.color(x, y) }
        }
    }

    /// Returns the mean of the stored colours, weighted by alpha. The alpha of the result is the mean alpha.
    ///
    /// Do not call this method on the main thread, because it scales the whole picture. Returns nil if memory is short.
    public func averageColor() -> ImageColor? {
        guard let pixels = try? reduced(toFit: 32, from: pixels) else { return nil }
        var (red, green, blue, weight) = (0, 0, 0, 0)
        for y in 0..<pixels.height {
            let line = pixels.bytes(ofRow: y)
            for x in stride(from: 0, to: pixels.width * 4, by: 4) {
                let alpha = Int(line[x + 3])
                red += Int(line[x]) * alpha
                green += Int(line[x + 1]) * alpha
                blue += Int(line[x + 2]) * alpha
                weight += alpha
            }
        }
        guard weight > 0 else { return .clear }
        let full = Double(weight) * 255
        return ImageColor(
            red: Double(red) / full, green: Double(green) / full, blue: Double(blue) / full,
            alpha: Double(weight) / Double(pixels.width * pixels.height * 255))
    }
}

extension PixelBuffer {
    /// Returns the straight colour of a pixel. The pixel must be inside the picture.
    func color(_ x: Int, _ y: Int) -> ImageColor {
        let pixel = baseAddress + y * bytesPerRow + x * format.bytesPerPixel
        func byte(_ index: Int) -> Double { Double(pixel.load(fromByteOffset: index, as: UInt8.self)) / 255 }
        func word(_ index: Int) -> Double { Double(pixel.load(fromByteOffset: index * 2, as: UInt16.self)) / 65535 }
        func half(_ index: Int) -> Double { Double(pixel.load(fromByteOffset: index * 2, as: Float16.self)) }
        switch format {
        case .bgra8Premultiplied:
            let alpha = byte(3)
            guard alpha > 0 else { return .clear }
            return ImageColor(red: byte(2) / alpha, green: byte(1) / alpha, blue: byte(0) / alpha, alpha: alpha)
        case .rgba8: return ImageColor(red: byte(0), green: byte(1), blue: byte(2), alpha: byte(3))
        case .rgb8: return ImageColor(red: byte(0), green: byte(1), blue: byte(2))
        case .gray8: return ImageColor(white: byte(0))
        case .rgbaHalf: return ImageColor(red: half(0), green: half(1), blue: half(2), alpha: half(3))
        case .rgba16: return ImageColor(red: word(0), green: word(1), blue: word(2), alpha: word(3))
        }
    }
}
