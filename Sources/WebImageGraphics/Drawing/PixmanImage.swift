import CWebImagePixman
import WebImageCore

/// Owns a `pixman_image_t` and retains the pixels that it points to.
final class PixmanImage {
    let pointer: OpaquePointer
    /// The pixels of the image. This object retains the pixels, because pixman does not retain them.
    private let pixels: PixelBuffer?

    /// Creates an image that uses the memory of `pixels`. Pixels in the display format become a picture; a grey plane
    /// becomes an alpha mask.
    ///
    /// - Parameter isOpaque: Whether pixman ignores the alpha of the pixels.
    init(_ pixels: PixelBuffer, isOpaque: Bool = false) throws(WebImageError) {
        let format = pixels.format == .gray8 ? PIXMAN_a8 : isOpaque ? PIXMAN_x8r8g8b8 : PIXMAN_a8r8g8b8
        guard pixels.format == .gray8 || pixels.format == .bgra8Premultiplied,
            max(pixels.width, pixels.height) <= Self.maxSide,
            let image = pixman_image_create_bits_no_clear(
                format, Int32(pixels.width), Int32(pixels.height),
                pixels.baseAddress.assumingMemoryBound(to: UInt32.self), Int32(clamping: pixels.bytesPerRow))
        else { throw Self.failure("cannot draw on \(pixels.width)×\(pixels.height) px \(pixels.format)") }
        pointer = image
        self.pixels = pixels
        HandleLedger.opened("pixman image")
    }

    /// Creates an image in which all pixels have the same colour.
    init(_ color: ImageColor) throws(WebImageError) {
        func component(_ value: Double) -> UInt16 { UInt16((value * color.alpha * 65535).rounded()) }
        var fill = pixman_color(
            red: component(color.red), green: component(color.green), blue: component(color.blue),
            alpha: UInt16((color.alpha * 65535).rounded()))
        guard let image = pixman_image_create_solid_fill(&fill) else { throw Self.failure("out of memory") }
        pointer = image
        pixels = nil
        HandleLedger.opened("pixman image")
    }

    /// Takes ownership of a pixman image without pixels, such as a gradient.
    init(adopting image: OpaquePointer) {
        pointer = image
        pixels = nil
        HandleLedger.opened("pixman image")
    }

    deinit {
        pixman_image_unref(pointer)
        HandleLedger.closed("pixman image")
    }

    /// The maximum side in pixels. pixman's fixed-point coordinates cannot address larger images.
    static let maxSide = 32767

    /// Draws this image on `target` through an optional mask. The top left corner of this image is at `x`, `y` of
    /// `target`. The operation applies to all pixels of `target`, including the pixels outside this image.
    func composite(_ operation: pixman_op_t, mask: PixmanImage? = nil, onto target: PixelBuffer, x: Int = 0, y: Int = 0)
        throws(WebImageError)
    {
        let canvas = try PixmanImage(target)
        try WorkBudget.forBands(of: target) { rows in
            pixman_image_composite32(
                operation, pointer, mask?.pointer, canvas.pointer, Int32(clamping: -x),
                Int32(clamping: rows.lowerBound - y), 0, Int32(rows.lowerBound), 0, Int32(rows.lowerBound),
                Int32(target.width), Int32(rows.count))
        }
    }

    /// Draws this image on a part of `target`, through an optional mask of the same size.
    func composite(
        _ operation: pixman_op_t, mask: PixmanImage? = nil, onto target: PixmanImage, at place: PixelRect
    ) {
        pixman_image_composite32(
            operation, pointer, mask?.pointer, target.pointer, 0, 0, 0, 0, Int32(place.x), Int32(place.y),
            Int32(place.width), Int32(place.height))
    }

    private static func failure(_ message: String) -> WebImageError {
        WebImageError(.badImageData, stage: .transform, underlying: .codec(library: "pixman", message: message))
    }
}
