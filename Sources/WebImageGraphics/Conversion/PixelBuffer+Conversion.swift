import CWebImagePixelLoops
package import WebImageCore

// The names of some functions of the libyuv shim contain only one channel order, such as BGRA. This file calls such a
// function for BGRA and for RGBA, if the result is correct for both orders.

extension PixelBuffer {
    /// Returns the picture converted to `target`, or the receiver if it already has this format.
    ///
    /// - A conversion from 16 bits to 8 bits uses the high byte.
    /// - A conversion from half precision limits values to 0…1 and rounds them.
    /// - A conversion to grey uses the BT.601 luma.
    /// - A conversion to a format without alpha uses the straight colour.
    ///
    /// - Parameter isOpaque: Whether the caller guarantees that alpha is 255 for all pixels. If true, colours are
    ///   neither multiplied nor divided by alpha.
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

    /// Converts a receiver of format `rgba8` (straight alpha).
    private func straightConverted(to target: PixelFormat, isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        switch target {
        case .rgba8: self
        case .bgra8Premultiplied: try straightToPremultiplied(isOpaque: isOpaque)
        case .rgb8: try mapped(to: .rgb8) { $0.run(webimage_yuv_drop_alpha, into: $1) }
        case .gray8: try mapped(to: .gray8) { $0.run(webimage_yuv_rgba_to_gray, into: $1) }
        case .rgbaHalf: try straightConverted(to: .rgba16, isOpaque: isOpaque).resampled(as: .rgbaHalf)
        case .rgba16:
            try mapped(to: .rgba16) {
                webimage_yuv_widen($0.base, $0.stride, $1.base16, $1.stride, $0.width, $0.height)
            }
        }
    }

    private func opaqueConverted(to target: PixelFormat) throws(WebImageError) -> PixelBuffer {
        switch (format, target) {
        case (.rgb8, .bgra8Premultiplied):
            try mapped(to: target) { $0.run(webimage_yuv_rgb_to_bgra, into: $1) }
        case (.rgb8, .rgba8):
            try mapped(to: target) { $0.run(webimage_yuv_append_alpha, into: $1) }
        case (.rgb8, .gray8):
            try mapped(to: target) { $0.run(webimage_yuv_rgb_to_gray, into: $1) }
        case (.gray8, .rgb8):
            try mapped(to: target) {
                webimage_yuv_merge_rgb(
                    $0.base, $0.stride, $0.base, $0.stride, $0.base, $0.stride, $1.base, $1.stride, $0.width, $0.height)
            }
        case (.gray8, .bgra8Premultiplied), (.gray8, .rgba8):
            try mapped(to: target) { $0.run(webimage_yuv_gray_to_bgra, into: $1) }
        default: try converted(to: .rgba8).straightConverted(to: target, isOpaque: true)
        }
    }

    private func straightToPremultiplied(isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        try mapped(to: .bgra8Premultiplied) {
            let swapped = $0.run(webimage_yuv_swap_red_and_blue, into: $1)
            guard swapped == 0, !isOpaque else { return swapped }
            return $1.run(webimage_premultiply, into: $1)
        }
    }

    private func premultipliedToStraight(isOpaque: Bool) throws(WebImageError) -> PixelBuffer {
        try mapped(to: .rgba8) {
            let swapped = $0.run(webimage_yuv_swap_red_and_blue, into: $1)
            guard swapped == 0, !isOpaque else { return swapped }
            return $1.run(webimage_unpremultiply, into: $1)
        }
    }

    private func highBytes() throws(WebImageError) -> PixelBuffer {
        try mapped(to: .rgba8) { webimage_yuv_narrow($0.base16, $0.stride, $1.base, $1.stride, $0.width, $0.height) }
    }

    /// Creates a buffer of the same size, calls `body` to fill the buffer, and returns it. `body` receives the source
    /// and the new buffer, and must return 0 for success, as libyuv does. Throws for any other result of `body`.
    private func mapped(
        to target: PixelFormat, _ body: (BytePlane, BytePlane) -> Int32
    ) throws(WebImageError) -> PixelBuffer {
        let result = try PixelBuffer(width: width, height: height, format: target)
        try YUVError.check(body(try BytePlane(self), try BytePlane(result)), "cannot convert \(format) to \(target)")
        return result
    }
}

enum YUVError {
    /// Throws an error with `message` if `result` is not 0. `result` is the return value of a libyuv function.
    static func check(_ result: Int32, _ message: String) throws(WebImageError) {
        guard result == 0 else { throw .badData("libyuv", message) }
    }
}
