import CWebImagePixelLoops
package import WebImageCore

extension PixelBuffer {
    /// Returns the picture rotated or mirrored to be upright; returns the receiver for `.up`.
    package func oriented(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        if orientation == .up { return self }
        switch format {
        case .bgra8Premultiplied, .rgba8, .gray8: return try turned(orientation)
        // Convert to four bytes per pixel and back, because libyuv rotates only pixels of one or four bytes.
        case .rgb8: return try converted(to: .rgba8).turned(orientation).converted(to: .rgb8, isOpaque: true)
        case .rgba16, .rgbaHalf: return try turnedByPixel(orientation)
        }
    }

    private func turned(_ orientation: ImageOrientation) throws(WebImageError) -> PixelBuffer {
        let size = PixelSize(width: width, height: height).oriented(orientation)
        let result = try PixelBuffer(width: size.width, height: size.height, format: format)
        let source = try BytePlane(self)
        let target = try BytePlane(result)
        try YUVError.check(
            orientation.turn(source, target, bytes: format.bytesPerPixel), "cannot turn the picture")
        return result
    }

    /// Rotates or mirrors pixels of eight bytes. A simple Swift loop is sufficient, because 16-bit pictures are
    /// decoded only on request.
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

extension ImageOrientation {
    /// Rotates or mirrors pixels of one or four bytes. If `swapsSides` is true, the target's width is the source's
    /// height and vice versa.
    fileprivate func turn(_ source: BytePlane, _ target: BytePlane, bytes: Int) -> Int32 {
        let bytes = Int32(bytes)
        func quarter(isClockwise: Bool, fromBottom: Bool = false) -> Int32 {
            let rows = source.rows(fromBottom: fromBottom)
            return webimage_yuv_turn(
                rows.start, rows.stride, target.base, target.stride, source.width, source.height, bytes,
                isClockwise ? 1 : 0)
        }
        func mirror(fromBottom: Bool) -> Int32 {
            let rows = source.rows(fromBottom: fromBottom)
            return webimage_yuv_mirror(
                rows.start, rows.stride, target.base, target.stride, source.width, source.height, bytes)
        }
        switch self {
        case .up: return 0
        case .upMirrored: return mirror(fromBottom: false)
        case .down: return mirror(fromBottom: true)
        case .downMirrored:
            let rows = source.rows(fromBottom: true)
            webimage_copy_rows(
                rows.start, rows.stride, target.base, target.stride, source.width * bytes, source.height)
            return 0
        case .leftMirrored: return quarter(isClockwise: true, fromBottom: true)
        case .right: return quarter(isClockwise: true)
        case .rightMirrored: return quarter(isClockwise: false, fromBottom: true)
        case .left: return quarter(isClockwise: false)
        }
    }
}

extension BytePlane {
    /// Returns the address of the first row and the byte distance to the next row, starting at the top or at the
    /// bottom.
    fileprivate func rows(fromBottom: Bool) -> (start: UnsafeMutablePointer<UInt8>, stride: Int32) {
        guard fromBottom, height > 0 else { return (base, stride) }
        return (base + Int(height - 1) * Int(stride), -stride)
    }
}
