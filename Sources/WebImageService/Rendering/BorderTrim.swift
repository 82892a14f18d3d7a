import Foundation
import WebImageCore
import WebImageGraphics

/// Finds the single-coloured border around a picture.
enum BorderTrim {
    /// The part inside the border; nil if every pixel belongs to the border. The caller then leaves the picture
    /// unchanged.
    static func part(
        of image: Image, _ trim: ProcessingOptions.Trim
    ) throws(WebImageError) -> (size: PixelSize, place: PixelPlace)? {
        // Compare transparent pixels as magenta (`ff00ff`), because targets use this colour to name a transparent
        // border.
        let flat = try PixelCanvas.flattened(image, over: ImageColor(red: 1, green: 0, blue: 1))
        let pixels = try flat.pixels.converted(to: .bgra8Premultiplied, isOpaque: true)
        let (width, height) = (pixels.width, pixels.height)
        let bounds = pixels.withUnsafeBytes { bytes in
            let corner = trim.usesBottomRight ? (height - 1) * pixels.bytesPerRow + (width - 1) * 4 : 0
            let color =
                trim.color.map { [$0.blue, $0.green, $0.red] } ?? [bytes[corner], bytes[corner + 1], bytes[corner + 2]]
            let scan = BorderScan(
                base: bytes.baseAddress!, bytesPerRow: pixels.bytesPerRow, width: width, height: height,
                blue: Int32(color[0]), green: Int32(color[1]), red: Int32(color[2]),
                threshold: Int32(trim.threshold.rounded(.down)))
            return scan.bounds()
        }
        guard var (left, top, right, bottom) = bounds else { return nil }
        if trim.hasEqualHorizontal {
            left = min(left, width - right)
            right = width - left
        }
        if trim.hasEqualVertical {
            top = min(top, height - bottom)
            bottom = height - top
        }
        return (PixelSize(width: right - left, height: bottom - top), PixelPlace(x: left, y: top))
    }
}

/// Compares pixels with one colour.
private struct BorderScan {
    let base: UnsafeRawPointer
    let bytesPerRow: Int
    let width: Int
    let height: Int
    let blue: Int32
    let green: Int32
    let red: Int32
    let threshold: Int32

    /// The left, top, right and bottom edges of the part inside the border; nil if every pixel belongs to the border.
    /// The right and bottom edges are exclusive.
    func bounds() -> (Int, Int, Int, Int)? {
        guard let top = (0..<height).first(where: { firstInside($0, from: 0, to: width) != nil }) else { return nil }
        let bottom = (top..<height).last { firstInside($0, from: 0, to: width) != nil } ?? top
        var (left, right) = (width, 0)
        for row in top...bottom {
            // Compare only pixels that are outside the part found so far, because only such pixels can extend it.
            if let first = firstInside(row, from: 0, to: left) { left = first }
            if let last = lastInside(row, right) { right = last + 1 }
        }
        return (left, top, right, bottom + 1)
    }

    private func isBorder(_ pixel: UnsafePointer<UInt8>) -> Bool {
        abs(Int32(pixel[0]) - blue) <= threshold && abs(Int32(pixel[1]) - green) <= threshold
            && abs(Int32(pixel[2]) - red) <= threshold
    }

    private func row(_ row: Int) -> UnsafePointer<UInt8> {
        (base + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
    }

    private func firstInside(_ index: Int, from start: Int, to end: Int) -> Int? {
        let pixels = row(index)
        var column = start
        while column < end {
            if !isBorder(pixels + column &* 4) { return column }
            column &+= 1
        }
        return nil
    }

    private func lastInside(_ index: Int, _ start: Int) -> Int? {
        let pixels = row(index)
        var column = width &- 1
        while column >= start {
            if !isBorder(pixels + column &* 4) { return column }
            column &-= 1
        }
        return nil
    }
}
