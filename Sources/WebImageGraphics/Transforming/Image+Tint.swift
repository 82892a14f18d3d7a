import CWebImagePixelLoops
import CWebImagePixman
import Foundation
public import WebImageCore

extension Image {
    /// Returns the picture's shape, filled with a colour. The result is the same as the result of
    /// ``tintedImage(with:blendMode:)`` with `.sourceIn`.
    public func tintedImage(with color: ImageColor) -> Image? { tintedImage(with: color, blendMode: .sourceIn) }

    /// Returns the picture with a colour drawn over the whole picture.
    ///
    /// The result has the display format (`bgra8Premultiplied`, 8 bits per channel).
    /// - Returns: This image if the colour is transparent, otherwise a new image.
    public func tintedImage(with color: ImageColor, blendMode: BlendMode) -> Image? {
        guard color.alpha > .ulpOfOne else { return self }
        return made {
            () throws(WebImageError) in
            let canvas = try displayPixelsToDrawOn()
            if let operation = blendMode.operation {
                try PixmanImage(color).composite(operation, onto: canvas)
            } else {
                let colors = try PixelBuffer.transparent(pixelSize)
                try PixmanImage(color).composite(PIXMAN_OP_SRC, onto: colors)
                try canvas.addDarkness(of: colors)
            }
            return (canvas, hasAlpha || !blendMode.keepsOpaquePixels(with: color))
        }
    }
}

extension BlendMode {
    /// Whether pixels without transparency still have none after a colour was drawn over them.
    fileprivate func keepsOpaquePixels(with color: ImageColor) -> Bool {
        switch self {
        case .clear, .sourceOut, .destinationOut, .xor: false
        // The result has the transparency of the colour.
        case .copy, .sourceIn, .destinationIn, .destinationAtop: color.alpha == 1
        default: true
        }
    }

    /// The pixman operator for the blend mode; nil for `plusDarker`, which pixman does not support.
    var operation: pixman_op_t? {
        switch self {
        case .normal: PIXMAN_OP_OVER
        case .multiply: PIXMAN_OP_MULTIPLY
        case .screen: PIXMAN_OP_SCREEN
        case .overlay: PIXMAN_OP_OVERLAY
        case .darken: PIXMAN_OP_DARKEN
        case .lighten: PIXMAN_OP_LIGHTEN
        case .colorDodge: PIXMAN_OP_COLOR_DODGE
        case .colorBurn: PIXMAN_OP_COLOR_BURN
        case .softLight: PIXMAN_OP_SOFT_LIGHT
        case .hardLight: PIXMAN_OP_HARD_LIGHT
        case .difference: PIXMAN_OP_DIFFERENCE
        case .exclusion: PIXMAN_OP_EXCLUSION
        case .hue: PIXMAN_OP_HSL_HUE
        case .saturation: PIXMAN_OP_HSL_SATURATION
        case .color: PIXMAN_OP_HSL_COLOR
        case .luminosity: PIXMAN_OP_HSL_LUMINOSITY
        case .clear: PIXMAN_OP_CLEAR
        case .copy: PIXMAN_OP_SRC
        case .sourceIn: PIXMAN_OP_IN
        case .sourceOut: PIXMAN_OP_OUT
        case .sourceAtop: PIXMAN_OP_ATOP
        case .destinationOver: PIXMAN_OP_OVER_REVERSE
        case .destinationIn: PIXMAN_OP_IN_REVERSE
        case .destinationOut: PIXMAN_OP_OUT_REVERSE
        case .destinationAtop: PIXMAN_OP_ATOP_REVERSE
        case .xor: PIXMAN_OP_XOR
        case .plusDarker: nil
        case .plusLighter: PIXMAN_OP_ADD
        }
    }
}

extension PixelBuffer {
    /// Returns a copy of the pixels.
    func copied() throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, format: format)
        memcpy(result.baseAddress, baseAddress, byteCount)
        return result
    }

    /// Blends `other` over the receiver with `.plusDarker`, which adds the darkness of two pixels. Darkness is alpha
    /// minus the premultiplied colour value.
    ///
    /// Both pictures must have the same size and the display format. No library supports this mode. Therefore this
    /// method computes the result with libyuv's saturating addition and subtraction.
    func addDarkness(of other: PixelBuffer) throws(WebImageError) {
        let scratch = try PixelBuffer(width: width, height: 3, format: format)
        let (full, otherFull, lacking) = (scratch.bytes(ofRow: 0), scratch.bytes(ofRow: 1), scratch.bytes(ofRow: 2))
        let count = Int32(clamping: width)
        // The maximum colour value of a premultiplied pixel is its alpha. This shuffle table copies alpha to every
        // channel.
        let alphas: [UInt8] = [3, 3, 3, 3, 7, 7, 7, 7, 11, 11, 11, 11, 15, 15, 15, 15]
        for row in 0..<height {
            let (line, above) = (bytes(ofRow: row), other.bytes(ofRow: row))
            _ = webimage_yuv_shuffle(line, 0, full, 0, alphas, count, 1)
            _ = webimage_yuv_shuffle(above, 0, otherFull, 0, alphas, count, 1)
            _ = webimage_yuv_subtract(full, 0, line, 0, line, 0, count, 1)
            _ = webimage_yuv_subtract(otherFull, 0, above, 0, lacking, 0, count, 1)
            _ = webimage_yuv_add(line, 0, lacking, 0, line, 0, count, 1)
            _ = webimage_yuv_add(full, 0, otherFull, 0, full, 0, count, 1)
            _ = webimage_yuv_subtract(full, 0, line, 0, line, 0, count, 1)
        }
    }
}
