import CYUV
package import WebImageCore

// libyuv names layouts from the highest byte of a little-endian word: its ARGB is B, G, R, A in memory, its ABGR is
// R, G, B, A, its RAW is R, G, B. A function that keeps the order of bytes serves both.

extension PixelBuffer {
    /// The same picture in another layout; itself when it has that layout.
    ///
    /// 16 bits become 8 by their high byte, half precision by the nearest value from 0 to 1; grey is the BT.601 luma, and a layout without alpha drops it: the straight
    /// colour remains. `isOpaque` promises that alpha is 255 everywhere, so that nothing is multiplied or divided.
    package func converted(to target: PixelFormat, isOpaque: Bool = false) throws(WebImageError) -> PixelBuffer {
        if format == target { return self }
        let straight: PixelBuffer
        switch (format, target) {
        case (.bgra8Premultiplied, _): straight = try premultipliedToStraight(isOpaque: isOpaque)
        case (.rgbaHalf, .rgba16), (.rgba16, .rgbaHalf): return try resampled(as: target)
        case (.rgbaHalf, _): straight = try resampled(as: .rgba8)
        case (.rgba16, _): straight = try highBytes()
        case (.rgba8, .bgra8Premultiplied): return try straightToPremultiplied(isOpaque: isOpaque)
        case (.rgba8, _): straight = self
        case (.rgb8, _), (.gray8, _): return try opaqueConverted(to: target)
        }
        return try straight.straightConverted(to: target, isOpaque: isOpaque)
    }

    private func straightConverted(to target: PixelFormat, isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        switch target {
        case .rgba8: self
        case .bgra8Premultiplied: try straightToPremultiplied(isOpaque: isOpaque)
        case .rgb8: try mapped(to: .rgb8) { ARGBToRGB24($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        case .gray8: try mapped(to: .gray8) { ABGRToJ400($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        case .rgbaHalf: try straightConverted(to: .rgba16, isOpaque: isOpaque).resampled(as: .rgbaHalf)
        case .rgba16:
            try mapped(to: .rgba16) { ARGBToAR64($0.base, $0.stride, $1.base16, $1.stride16, $0.width, $0.height) }
        }
    }

    private func opaqueConverted(to target: PixelFormat) throws(WebImageError) -> PixelBuffer {
        switch (format, target) {
        case (.rgb8, .bgra8Premultiplied):
            try mapped(to: target) { RAWToARGB($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        case (.rgb8, .rgba8):
            try mapped(to: target) { RGB24ToARGB($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        case (.rgb8, .gray8):
            try mapped(to: target) { RAWToJ400($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        case (.gray8, .rgb8):
            try mapped(to: target) {
                MergeRGBPlane(
                    $0.base, $0.stride, $0.base, $0.stride, $0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height)
                return 0
            }
        case (.gray8, .bgra8Premultiplied), (.gray8, .rgba8):
            try mapped(to: target) { J400ToARGB($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
        default: try converted(to: .rgba8).straightConverted(to: target, isOpaque: true)
        }
    }

    private func straightToPremultiplied(isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        try mapped(to: .bgra8Premultiplied) {
            let swapped = ARGBToABGR($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height)
            guard swapped == 0, !isOpaque else { return swapped }
            return ARGBAttenuate($1.base, $1.stride, $1.base, $1.stride, $1.width, $1.height)
        }
    }

    private func premultipliedToStraight(isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        try mapped(to: .rgba8) {
            let swapped = ARGBToABGR($0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height)
            guard swapped == 0, !isOpaque else { return swapped }
            return ARGBUnattenuate($1.base, $1.stride, $1.base, $1.stride, $1.width, $1.height)
        }
    }

    private func highBytes() throws(WebImageError) -> PixelBuffer {
        try mapped(to: .rgba8) { AR64ToARGB($0.base16, $0.stride16, $1.base, $1.stride, $0.width, $0.height) }
    }

    /// A new buffer of the same size that `body` fills; a libyuv function's result that is not 0 is an error.
    private func mapped(
        to target: PixelFormat, _ body: (BytePlane, BytePlane) -> Int32
    ) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, format: target)
        try YUVError.check(body(try BytePlane(self), try BytePlane(result)), "cannot convert \(format) to \(target)")
        return result
    }
}

enum YUVError {
    /// Throws when a libyuv function did not return 0.
    static func check(_ result: Int32, _ message: String) throws(WebImageError) {
        guard result == 0 else { throw .badData("libyuv", message) }
    }
}
