import CWebImagePixelLoops
package import WebImageCore

extension PackedRows {
    /// The channels of a pixel, interleaved, with 8 bits each.
    package enum Channels: Int, Sendable {
        case gray = 1
        case rgb = 3
        case rgba = 4
    }

    /// Whether ``copy(_:stride:_:size:into:x:y:)`` can convert these channels to `format`. False if the conversion
    /// would lose alpha.
    package static func canCopy(_ channels: Channels, to format: PixelFormat) -> Bool {
        switch format {
        case .bgra8Premultiplied, .rgba8: true
        case .rgb8: channels != .rgba
        case .gray8: channels == .gray
        case .rgba16, .rgbaHalf: false
        }
    }

    /// Copies rows to position `x`, `y` of a buffer and converts them to the format of the buffer. The source rows are
    /// `stride` bytes apart. Alpha stays straight.
    package static func copy(
        _ source: UnsafePointer<UInt8>, stride: Int, _ channels: Channels, size: PixelSize, into buffer: PixelBuffer,
        x: Int, y: Int
    ) {
        precondition(canCopy(channels, to: buffer.format) && x >= 0 && y >= 0 && size.width >= 0 && size.height >= 0)
        precondition(x + size.width <= buffer.width && y + size.height <= buffer.height)
        let target = (buffer.baseAddress + y * buffer.bytesPerRow + x * buffer.format.bytesPerPixel)
            .assumingMemoryBound(to: UInt8.self)
        let (from, into) = (Int32(clamping: stride), Int32(clamping: buffer.bytesPerRow))
        let (width, height) = (Int32(clamping: size.width), Int32(clamping: size.height))
        switch (channels, buffer.format) {
        case (.rgba, .bgra8Premultiplied): _ = webimage_yuv_swap_red_and_blue(source, from, target, into, width, height)
        case (.rgb, .bgra8Premultiplied): _ = webimage_yuv_rgb_to_bgra(source, from, target, into, width, height)
        case (.rgb, .rgba8): _ = webimage_yuv_append_alpha(source, from, target, into, width, height)
        case (.gray, .bgra8Premultiplied), (.gray, .rgba8):
            _ = webimage_yuv_gray_to_bgra(source, from, target, into, width, height)
        case (.gray, .rgb8):
            _ = webimage_yuv_merge_rgb(source, from, source, from, source, from, target, into, width, height)
        default:
            webimage_copy_rows(source, from, target, into, width * Int32(channels.rawValue), height)
        }
    }
}
