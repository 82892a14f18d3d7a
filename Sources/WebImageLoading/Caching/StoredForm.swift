import Foundation
import WebImageCore

extension Image {
    /// Returns the format in which a cache stores the image: that of its source file, if the format keeps the
    /// transparency of the image and `coder` can write it.
    ///
    /// PNG is used for a picture with transparent pixels whose format has none, and for a still picture that was scaled or
    /// transformed and comes from a GIF, whose palette has few colours and no soft edges. GIF is used for an animation that cannot be written in its
    /// own format, because otherwise only its first frame would be stored. Reads the pixels of a picture whose layout has
    /// alpha and whose format has not.
    ///
    /// - Parameter firstFrameOnly: Whether only the first frame of an animation is stored.
    final func storedFormat(_ coder: any ImageCoder, firstFrameOnly: Bool = false) -> ImageFormat {
        let format = imageFormat
        if imageFrameCount > 1, !firstFrameOnly {
            if format == .undefined { return .gif }
            if isAnimated, (coder as? ImageCodersManager)?.canEncodeFrames(to: format) == false { return .gif }
            return format
        }
        if format != .undefined, coder.canEncode(to: format) {
            if format == .gif { return isTransformed || isThumbnail ? .png : .gif }
            return format.keepsTransparency || !hasTransparentPixels ? format : .png
        }
        return hasAlpha ? .png : .jpeg
    }

    /// Whether at least one pixel is transparent. Reads the pixels only if the image can have transparent ones.
    private var hasTransparentPixels: Bool {
        guard hasAlpha else { return false }
        let (width, height, stride) = (pixels.width, pixels.height, pixels.bytesPerRow)
        let step = pixels.format.bytesPerPixel
        // Both channels of 16 bits are compared as bytes: half-precision numbers store 1 as 0x3C00.
        let opaque: [UInt8] =
            switch pixels.format {
            case .bgra8Premultiplied, .rgba8: [255]
            case .rgba16: [255, 255]
            case .rgbaHalf: withUnsafeBytes(of: UInt16(0x3C00)) { Array($0) }
            case .rgb8, .gray8: []
            }
        guard !opaque.isEmpty else { return false }
        return pixels.withUnsafeBytes { bytes in
            for row in 0..<height {
                var index = row * stride + step - opaque.count
                for _ in 0..<width {
                    guard bytes[index] == opaque[0], opaque.count == 1 || bytes[index + 1] == opaque[1] else {
                        return true
                    }
                    index += step
                }
            }
            return false
        }
    }
}

extension ImageFormat {
    /// Whether files of the format can have soft transparency. Formats of plug-ins are taken to have it.
    var keepsTransparency: Bool { ![.jpeg, .bmp, .raw, .gif].contains(self) }
}
