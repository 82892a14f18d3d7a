import CWebImageGTK
import Foundation
import WebImage

/// The two pictures that the gallery draws: the placeholder and the error image.
@MainActor enum Artwork {
    /// A grey landscape in a frame. A card shows it while a picture loads. Both pictures are transparent behind their lines,
    /// so that they fit the light and the dark style.
    static let placeholder = draw { cairo in
        strokeFrame(cairo)
        cairo_arc(cairo, 45, 43, 6, 0, 2 * .pi)
        cairo_fill(cairo)
        path(cairo, [(37, 84), (57, 55), (69, 70), (78, 60), (97, 84)])
        cairo_fill(cairo)
    }

    /// The landscape of the placeholder, torn in two. A view shows it after the load of a picture has failed.
    static let broken = draw { cairo in
        strokeFrame(cairo)
        path(cairo, [(37, 84), (57, 55), (69, 70), (78, 60), (97, 84)])
        cairo_fill(cairo)
        cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR)
        cairo_set_line_width(cairo, 9)
        polyline(cairo, [(60, 22), (70, 44), (60, 58), (72, 76), (64, 100)])
        cairo_set_operator(cairo, CAIRO_OPERATOR_OVER)
        cairo_set_source_rgb(cairo, 0.86, 0.30, 0.27)
        cairo_set_line_width(cairo, 3)
        polyline(cairo, [(60, 22), (70, 44), (60, 58), (72, 76), (64, 100)])
    }

    /// The width of the card's picture at two pixels per point. The coordinates in this file belong to a canvas of 160
    /// by 120 units, which is scaled to the picture.
    private static let width = 2 * Card.pictureSize.width
    private static let height = 2 * Card.pictureSize.height

    private static func draw(_ body: (OpaquePointer) -> Void) -> Image? {
        guard let buffer = try? PixelBuffer(width: width, height: height, format: .bgra8Premultiplied) else {
            return nil
        }
        buffer.withUnsafeMutableBytes { bytes in
            let surface = cairo_image_surface_create_for_data(
                bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(width),
                Int32(height), Int32(buffer.bytesPerRow))
            defer { cairo_surface_destroy(surface) }
            guard let cairo = cairo_create(surface) else { return }
            defer { cairo_destroy(cairo) }
            cairo_set_operator(cairo, CAIRO_OPERATOR_CLEAR)
            cairo_paint(cairo)
            cairo_set_operator(cairo, CAIRO_OPERATOR_OVER)
            cairo_scale(cairo, Double(height) / 120, Double(height) / 120)
            cairo_translate(cairo, 13, 0)
            body(cairo)
            cairo_surface_flush(surface)
        }
        return Image(pixels: buffer, scale: 2, hasAlpha: true)
    }

    private static func strokeFrame(_ cairo: OpaquePointer) {
        // A grey that has contrast with a light and with a dark card.
        cairo_set_source_rgb(cairo, 0.56, 0.57, 0.60)
        cairo_set_line_width(cairo, 3)
        cairo_set_line_join(cairo, CAIRO_LINE_JOIN_ROUND)
        cairo_rectangle(cairo, 30, 30, 74, 60)
        cairo_stroke(cairo)
    }

    private static func path(_ cairo: OpaquePointer, _ points: [(Double, Double)]) {
        cairo_new_path(cairo)
        for (x, y) in points { cairo_line_to(cairo, x, y) }
        cairo_close_path(cairo)
    }

    private static func polyline(_ cairo: OpaquePointer, _ points: [(Double, Double)]) {
        cairo_new_path(cairo)
        for (x, y) in points { cairo_line_to(cairo, x, y) }
        cairo_stroke(cairo)
    }
}
