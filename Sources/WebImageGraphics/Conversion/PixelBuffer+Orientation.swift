import CYUV
package import WebImageCore

extension PixelBuffer {
    /// The picture upright; itself when it is.
    package func oriented(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        if orientation == .up { return self }
        switch format {
        case .bgra8Premultiplied, .rgba8, .gray8: return try turned(orientation)
        // libyuv turns pixels of one and four bytes.
        case .rgb8: return try converted(to: .rgba8).turned(orientation).converted(to: .rgb8, isOpaque: true)
        case .rgba16, .rgbaHalf: return try turnedByPixel(orientation)
        }
    }

    private func turned(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        let size = PixelSize(width: width, height: height).oriented(orientation)
        let result = try PixelBuffer(width: size.width, height: size.height, format: format)
        let source = try BytePlane(self)
        let target = try BytePlane(result)
        let status = format == .gray8 ? turnGray(source, target, orientation) : turnColor(source, target, orientation)
        try YUVError.check(status, "cannot turn the picture")
        return result
    }

    // A negative height makes libyuv read the source from the bottom up before it does the rest.

    private func turnColor(_ source: BytePlane, _ target: BytePlane, _ orientation: ImageOrientation) -> Int32 {
        func rotate(_ mode: RotationMode, flipped: Bool = false) -> Int32 {
            ARGBRotate(
                source.base, source.stride, target.base, target.stride, source.width,
                flipped ? -source.height : source.height, mode)
        }
        return switch orientation {
        case .up: 0
        case .upMirrored:
            ARGBMirror(source.base, source.stride, target.base, target.stride, source.width, source.height)
        case .down: rotate(kRotate180)
        case .downMirrored:
            ARGBCopy(source.base, source.stride, target.base, target.stride, source.width, -source.height)
        case .leftMirrored: rotate(kRotate90, flipped: true)
        case .right: rotate(kRotate90)
        case .rightMirrored: rotate(kRotate270, flipped: true)
        case .left: rotate(kRotate270)
        }
    }

    private func turnGray(_ source: BytePlane, _ target: BytePlane, _ orientation: ImageOrientation) -> Int32 {
        func rotate(_ mode: RotationMode, flipped: Bool = false) -> Int32 {
            RotatePlane(
                source.base, source.stride, target.base, target.stride, source.width,
                flipped ? -source.height : source.height, mode)
        }
        return switch orientation {
        case .up: 0
        case .upMirrored:
            I400Mirror(source.base, source.stride, target.base, target.stride, source.width, source.height)
        case .down: rotate(kRotate180)
        case .downMirrored:
            I400ToI400(source.base, source.stride, target.base, target.stride, source.width, -source.height)
        case .leftMirrored: rotate(kRotate90, flipped: true)
        case .right: rotate(kRotate90)
        case .rightMirrored: rotate(kRotate270, flipped: true)
        case .left: rotate(kRotate270)
        }
    }

    /// Sixteen-bit pictures are decoded on request only, so a plain loop does.
    private func turnedByPixel(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        let size = PixelSize(width: width, height: height).oriented(orientation)
        let result = try PixelBuffer(width: size.width, height: size.height, format: format)
        let source = baseAddress.assumingMemoryBound(to: UInt64.self)
        let target = result.baseAddress.assumingMemoryBound(to: UInt64.self)
        let mirrorsX = [.upMirrored, .down, .rightMirrored, .left].contains(orientation)
        let mirrorsY = [.down, .downMirrored, .right, .rightMirrored].contains(orientation)
        let (sourceStride, targetStride) = (bytesPerRow / 8, result.bytesPerRow / 8)
        for y in 0..<size.height {
            for x in 0..<size.width {
                let (column, row) = orientation.swapsSides ? (y, x) : (x, y)
                let sourceX = mirrorsX ? width - 1 - column : column
                let sourceY = mirrorsY ? height - 1 - row : row
                target[y * targetStride + x] = source[sourceY * sourceStride + sourceX]
            }
        }
        return result
    }
}
