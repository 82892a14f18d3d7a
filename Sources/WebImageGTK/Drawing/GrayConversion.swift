import CWebImageGTK
import WebImageCore

/// Converts grey pixels to a format that GTK supports, because one-channel textures exist only since GTK 4.12.
enum GrayConversion {
    /// Returns a copy in the display format; nil when cairo cannot handle the size or memory is short.
    ///
    /// cairo draws white over black, with the grey values as the mask. Every channel of the result equals the grey
    /// value. pixman's vector code does this work.
    static func displayable(_ gray: PixelBuffer) -> PixelBuffer? {
        guard let target = try? PixelBuffer(width: gray.width, height: gray.height, format: .bgra8Premultiplied),
            let mask = gray.cairoSurface(CAIRO_FORMAT_A8), let canvas = target.cairoSurface(CAIRO_FORMAT_ARGB32)
        else { return nil }
        defer {
            cairo_surface_destroy(mask)
            cairo_surface_destroy(canvas)
        }
        let context = cairo_create(canvas)
        defer { cairo_destroy(context) }
        cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
        cairo_set_source_rgb(context, 0, 0, 0)
        cairo_paint(context)
        cairo_set_operator(context, CAIRO_OPERATOR_OVER)
        cairo_set_source_rgb(context, 1, 1, 1)
        cairo_mask_surface(context, mask, 0, 0)
        cairo_surface_flush(canvas)
        return cairo_status(context) == CAIRO_STATUS_SUCCESS ? target : nil
    }
}

extension PixelBuffer {
    /// Returns a cairo surface that borrows the pixels, and that the caller must destroy; nil if cairo cannot handle the
    /// size.
    func cairoSurface(_ format: cairo_format_t) -> OpaquePointer? {
        guard let width = Int32(exactly: width), let height = Int32(exactly: height),
            let stride = Int32(exactly: bytesPerRow)
        else { return nil }
        let pixels = baseAddress.assumingMemoryBound(to: UInt8.self)
        let surface = cairo_image_surface_create_for_data(pixels, format, width, height, stride)
        guard cairo_surface_status(surface) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(surface)
            return nil
        }
        return surface
    }
}
