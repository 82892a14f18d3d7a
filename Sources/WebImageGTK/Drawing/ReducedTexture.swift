import CWebImageGTK
import Foundation
import WebImageCore

/// A texture, and a copy of it for drawings of less than half its size.
///
/// Without mipmaps, GTK's OpenGL renderer reads only some pixels of a texture that it draws at less than half its size, so
/// stripes and edges flicker. GTK 4.10 and later draw with mipmaps on request. For earlier versions, cairo makes a copy of
/// the size of the drawing. The copy of a large texture is made in the background, and the texture itself is drawn
/// meanwhile.
@MainActor final class ReducedTexture {
    let texture: Texture
    private let size: PixelSize
    private var copy: (texture: Texture, size: PixelSize)?
    private var isReducing = false

    /// A copy of at most this number of pixels is made while the texture is drawn: about 1 ms.
    private static let pixelsAtOnce = 256 * 256
    private static let queue = DispatchQueue(label: "webimage.textures", qos: .userInitiated)

    init(_ texture: Texture) {
        self.texture = texture
        size = texture.pixelSize
    }

    /// Draws the texture into a rectangle.
    ///
    /// - Parameters:
    ///   - scale: the number of device pixels of a point of the snapshot.
    ///   - changed: called when a copy is ready and the texture must be drawn again.
    func draw(_ snapshot: OpaquePointer, in rect: CGRect, scale: CGFloat, changed: @escaping @MainActor () -> Void) {
        let wanted = reduced(to: CGSize(width: rect.width * scale, height: rect.height * scale))
        if wanted != nil, let append = Self.appendScaled {
            var area = graphene_rect_t(rect)
            return texture.withPointer { append(snapshot, $0, Self.trilinear, &area) }
        }
        snapshot.append(wanted.map { version(for: $0, changed) } ?? texture, rect)
    }

    /// Returns the size of the copy for a drawing in device pixels; nil if the texture itself has fewer than twice the
    /// pixels of the drawing on both sides.
    private func reduced(to drawn: CGSize) -> PixelSize? {
        guard drawn.width > 0, drawn.height > 0,
            CGFloat(size.width) >= 2 * drawn.width || CGFloat(size.height) >= 2 * drawn.height
        else { return nil }
        return PixelSize(
            width: min(size.width, max(Int(drawn.width.rounded(.up)), 1)),
            height: min(size.height, max(Int(drawn.height.rounded(.up)), 1)))
    }

    /// Returns the copy of a size. Until it is made, returns the previous copy if it is about as large, otherwise the
    /// texture.
    private func version(for wanted: PixelSize, _ changed: @escaping @MainActor () -> Void) -> Texture {
        if let copy, copy.size == wanted { return copy.texture }
        if size.pixelCount <= Self.pixelsAtOnce, let made = TextureReduction.copy(of: texture, size, to: wanted) {
            copy = (made, wanted)
            return made
        }
        begin(wanted, changed)
        guard let copy, 3 * copy.size.width >= 2 * wanted.width, 3 * copy.size.height >= 2 * wanted.height,
            copy.size.width <= 2 * wanted.width, copy.size.height <= 2 * wanted.height
        else { return texture }
        return copy.texture
    }

    /// Makes a copy in the background. While a window is resized, the size changes faster than copies are made; then the
    /// next drawing begins the next copy.
    private func begin(_ wanted: PixelSize, _ changed: @escaping @MainActor () -> Void) {
        guard !isReducing else { return }
        isReducing = true
        Self.queue.async { [weak self, texture, size] in
            let made = TextureReduction.copy(of: texture, size, to: wanted)
            MainThread.run {
                guard let self else { return }
                // If cairo cannot make the copy, the texture itself is drawn, and the copy is not tried again.
                guard let made else { return }
                self.isReducing = false
                self.copy = (made, wanted)
                changed()
            }
        }
    }

    private typealias AppendScaled =
        @convention(c) (OpaquePointer, OpaquePointer, UInt32, UnsafePointer<graphene_rect_t>) -> Void
    /// `gtk_snapshot_append_scaled_texture`, which GTK has since 4.10.
    private static let appendScaled = dlsym(nil, "gtk_snapshot_append_scaled_texture").map {
        unsafeBitCast($0, to: AppendScaled.self)
    }
    /// `GSK_SCALING_FILTER_TRILINEAR`.
    private static let trilinear: UInt32 = 2
}

/// Makes small copies of textures. Safe on any thread.
enum TextureReduction {
    /// The longest side that cairo can draw.
    private static let longestSide = 32767
    /// cairo weights all pixels of a picture that it draws at 1/16 of its size or more. A larger reduction needs several
    /// steps.
    private static let longestStep = 12

    /// Returns a copy of a texture in another size; nil if cairo cannot handle the size or memory is short.
    static func copy(of texture: Texture, _ size: PixelSize, to target: PixelSize) -> Texture? {
        guard max(size.width, size.height) <= longestSide,
            var pixels = try? PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        else { return nil }
        pixels.withUnsafeMutableBytes { bytes in
            texture.withPointer {
                gdk_texture_download(
                    $0, bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), gsize(pixels.bytesPerRow))
            }
        }
        while pixels.width != target.width || pixels.height != target.height {
            let step = PixelSize(
                width: max(target.width, pixels.width / longestStep),
                height: max(target.height, pixels.height / longestStep))
            guard let next = scaled(pixels, to: step) else { return nil }
            pixels = next
        }
        return Texture(sharing: pixels)
    }

    private static func scaled(_ source: PixelBuffer, to size: PixelSize) -> PixelBuffer? {
        guard let target = try? PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied),
            let picture = source.cairoSurface(CAIRO_FORMAT_ARGB32),
            let canvas = target.cairoSurface(CAIRO_FORMAT_ARGB32)
        else { return nil }
        defer {
            cairo_surface_destroy(picture)
            cairo_surface_destroy(canvas)
        }
        let context = cairo_create(canvas)
        defer { cairo_destroy(context) }
        cairo_scale(
            context, Double(size.width) / Double(source.width), Double(size.height) / Double(source.height))
        cairo_set_operator(context, CAIRO_OPERATOR_SOURCE)
        cairo_set_source_surface(context, picture, 0, 0)
        // Without this, the edges would be mixed with transparent pixels.
        cairo_pattern_set_extend(cairo_get_source(context), CAIRO_EXTEND_PAD)
        cairo_pattern_set_filter(cairo_get_source(context), CAIRO_FILTER_GOOD)
        cairo_paint(context)
        cairo_surface_flush(canvas)
        return cairo_status(context) == CAIRO_STATUS_SUCCESS ? target : nil
    }
}
