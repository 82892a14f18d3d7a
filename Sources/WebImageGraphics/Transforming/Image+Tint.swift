import CPixman
import Foundation
public import WebImageCore

extension Image {
    /// The picture's shape filled with a colour.
    public func tintedImage(with color: ImageColor) -> Image? { tintedImage(with: color, blendMode: .sourceIn) }

    /// The picture with a colour laid over the whole of it.
    ///
    /// - Returns: this image when the colour is transparent; else a new one.
    public func tintedImage(with color: ImageColor, blendMode: BlendMode) -> Image? {
        guard color.alpha > .ulpOfOne else { return self }
        return made {
            () throws(WebImageError) in
            let canvas = try displayPixels().copied()
            if let operation = blendMode.operation {
                try PixmanImage(color).composite(operation, onto: canvas)
            } else {
                let colors = try PixelBuffer.transparent(pixelSize)
                try PixmanImage(color).composite(PIXMAN_OP_SRC, onto: colors)
                canvas.addDarkness(of: colors)
            }
            return (canvas, true)
        }
    }
}

extension BlendMode {
    /// pixman's operator; nil for the one it does not have.
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
    /// The same pixels in memory of their own.
    func copied() throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, format: format)
        memcpy(result.baseAddress, baseAddress, byteCount)
        return result
    }

    /// `.plusDarker`: what each lacks of its full light adds up; pixels of the same size in display format. No library
    /// has it, few ask for it.
    func addDarkness(of other: PixelBuffer) {
        for row in 0..<height {
            let line = (baseAddress + row * bytesPerRow).assumingMemoryBound(to: UInt8.self)
            let above = (other.baseAddress + row * other.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            for start in stride(from: 0, to: width * 4, by: 4) {
                let (under, over) = (Int(line[start + 3]), Int(above[start + 3]))
                let sum = min(255, under + over)
                for channel in start..<start + 3 {
                    let darkness = (under - Int(line[channel])) + (over - Int(above[channel]))
                    line[channel] = UInt8(max(0, sum - darkness))
                }
                line[start + 3] = UInt8(sum)
            }
        }
    }
}
