import CWebImageRSVG
import Dispatch
import Foundation
package import WebImageCore

/// Owns one librsvg document.
///
/// The document has no base URI, so librsvg reads only `data:` URLs. It resolves no reference to a file or a host.
final class SVGDocument {
    private let librsvg: RSVGFunctions
    private let handle: OpaquePointer
    /// The width of the document in pixels at 96 dpi. Not rounded.
    let width: Double
    let height: Double

    init(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) {
        var error: UnsafeMutablePointer<GError>?
        let base = bytes.bindMemory(to: UInt8.self).baseAddress
        librsvg = try RSVGLibrary.functions()
        guard let handle = librsvg.rsvg_handle_new_from_data(base, bytes.count, &error) else {
            throw librsvg.failure(error)
        }
        self.handle = handle
        HandleLedger.opened("rsvg_handle")
        librsvg.rsvg_handle_set_dpi(handle, 96)
        // Without a font size in the document, librsvg assumes 12 px, but CSS 16 px. The drawing would have another size than
        // the picture.
        let mentionsFont = bytes.offset(of: "font") != nil
        if !mentionsFont, librsvg.hasFontUnits(handle) {
            let css: StaticString = ":root{font-size:16px}"
            _ = librsvg.rsvg_handle_set_stylesheet(handle, css.utf8Start, css.utf8CodeUnitCount, nil)
        }
        let size = librsvg.size(of: handle, knowsFont: mentionsFont)
        width = size.width
        height = size.height
        guard width.isFinite, height.isFinite, width > 0, height > 0, max(width, height) < 1e9 else {
            throw .badData("librsvg", "the document has no size")
        }
    }

    deinit {
        librsvg.g_object_unref(UnsafeMutableRawPointer(handle))
        HandleLedger.closed("rsvg_handle")
    }

    /// Draws the document so that it fills `pixels`. Stretches the document if its aspect ratio differs. From librsvg
    /// 2.60 on, the drawing ends when the deadline has passed.
    func render(into pixels: PixelBuffer, _ deadline: DecodeDeadline) throws(WebImageError) {
        let usesTimers = SVGDrawing.usesTimers.withLock { $0 }
        let watch = usesTimers ? RSVGLibrary.cancelling.map { DrawingWatch($0, librsvg, handle, deadline) } : nil
        defer { watch?.end() }
        do throws(WebImageError) { try render(into: pixels) } catch {
            try deadline.check()
            throw error
        }
    }

    private func render(into pixels: PixelBuffer) throws(WebImageError) {
        memset(pixels.baseAddress, 0, pixels.byteCount)
        let surface = librsvg.cairo_image_surface_create_for_data(
            pixels.baseAddress.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(pixels.width),
            Int32(pixels.height), Int32(pixels.bytesPerRow))
        let context = librsvg.cairo_create(surface)
        HandleLedger.opened("cairo_context")
        defer {
            librsvg.cairo_destroy(context)
            librsvg.cairo_surface_finish(surface)
            librsvg.cairo_surface_destroy(surface)
            HandleLedger.closed("cairo_context")
        }
        librsvg.cairo_scale(context, Double(pixels.width) / width, Double(pixels.height) / height)
        var viewport = RsvgRectangle(x: 0, y: 0, width: width, height: height)
        var error: UnsafeMutablePointer<GError>?
        guard librsvg.rsvg_handle_render_document(handle, context, &viewport, &error) != 0 else {
            throw librsvg.failure(error)
        }
        guard librsvg.cairo_status(context) == CAIRO_STATUS_SUCCESS else {
            throw .badData("cairo", librsvg.words(for: librsvg.cairo_status(context)))
        }
        librsvg.cairo_surface_flush(surface)
    }
}

package enum SVGDrawing {
    /// Whether a timer may end a drawing. False in a decoder process: its system call filter has no calls for timers, and
    /// the host ends the process instead.
    package static let usesTimers = Locked(true)
}

/// Ends the drawing of a document when a deadline has passed.
private final class DrawingWatch {
    private let timer: any DispatchSourceTimer

    init(_ cancelling: RSVGCancelling, _ librsvg: RSVGFunctions, _ handle: OpaquePointer, _ deadline: DecodeDeadline) {
        let cancellable = cancelling.g_cancellable_new()
        // librsvg retains the object. The timer retains it until its cancel handler has run.
        cancelling.rsvg_handle_set_cancellable_for_rendering(handle, cancellable)
        // `nonisolated(unsafe)` is safe here: GIO's functions for this object are thread-safe, and the pointer and the
        // tables do not change.
        nonisolated(unsafe) let (object, cancel, unref) = (
            cancellable, cancelling.g_cancellable_cancel, librsvg.g_object_unref
        )
        timer = DispatchSource.makeTimerSource(queue: .global(qos: .utility))
        timer.schedule(deadline: .now() + .milliseconds(50), repeating: .milliseconds(50))
        timer.setEventHandler { if deadline.hasPassed { cancel(object) } }
        timer.setCancelHandler { unref(object.map { UnsafeMutableRawPointer($0) }) }
        timer.resume()
    }

    func end() { timer.cancel() }
}

extension RSVGFunctions {
    /// Whether the width or the height of a document is a number of font sizes.
    fileprivate func hasFontUnits(_ handle: OpaquePointer) -> Bool {
        var (hasWidth, hasHeight, hasBox): (gboolean, gboolean, gboolean) = (0, 0, 0)
        var (width, height) = (RsvgLength(), RsvgLength())
        var box = RsvgRectangle()
        rsvg_handle_get_intrinsic_dimensions(handle, &hasWidth, &width, &hasHeight, &height, &hasBox, &box)
        return [width.unit, height.unit].contains { [RSVG_UNIT_EM, RSVG_UNIT_EX].contains($0) }
    }

    /// Returns the document's own width and height. A missing value is derived from the view box. If a value is missing
    /// and there is no view box, both values are derived from the drawn area.
    fileprivate func size(of handle: OpaquePointer, knowsFont: Bool) -> (width: Double, height: Double) {
        var hasWidth: gboolean = 0
        var hasHeight: gboolean = 0
        var hasBox: gboolean = 0
        var (width, height) = (RsvgLength(), RsvgLength())
        var box = RsvgRectangle()
        rsvg_handle_get_intrinsic_dimensions(
            handle, &hasWidth, &width, &hasHeight, &height, &hasBox, &box)
        // Only librsvg knows the font size of the document.
        let units = [width.unit, height.unit]
        var exact = (width: 0.0, height: 0.0)
        if knowsFont, units.contains(where: { [RSVG_UNIT_EM, RSVG_UNIT_EX].contains($0) }),
            rsvg_handle_get_intrinsic_size_in_pixels(handle, &exact.width, &exact.height) != 0
        {
            return exact
        }
        let known = (hasWidth != 0 ? width.pixels : nil, hasHeight != 0 ? height.pixels : nil)
        let isBoxUsable = hasBox != 0 && box.width > 0 && box.height > 0
        switch known {
        case (let width?, let height?): return (width, height)
        case (let width?, nil) where isBoxUsable: return (width, width * box.height / box.width)
        case (nil, let height?) where isBoxUsable: return (height * box.width / box.height, height)
        case _ where isBoxUsable: return (box.width, box.height)
        default:
            var ink = RsvgRectangle()
            var logical = RsvgRectangle()
            var viewport = RsvgRectangle(x: 0, y: 0, width: 300, height: 150)
            guard rsvg_handle_get_geometry_for_layer(handle, nil, &viewport, &ink, &logical, nil) != 0 else {
                return (0, 0)
            }
            return (ink.x + ink.width, ink.y + ink.height)
        }
    }

    fileprivate func words(for status: cairo_status_t) -> String {
        cairo_status_to_string(status).map { String(cString: $0) } ?? "status \(status.rawValue)"
    }

    /// Converts an error of librsvg and frees the original error.
    fileprivate func failure(_ error: UnsafeMutablePointer<GError>?) -> WebImageError {
        guard let error else { return .badData("librsvg", "cannot be read") }
        defer { g_error_free(error) }
        return .badData("librsvg", String(cString: error.pointee.message))
    }
}

extension RsvgLength {
    /// The length in pixels, at 96 dpi and with a font size of 16 px. Nil for a percentage.
    fileprivate var pixels: Double? {
        let scale: Double? =
            switch unit {
            case RSVG_UNIT_PX: 1
            case RSVG_UNIT_IN: 96
            case RSVG_UNIT_CM: 96 / 2.54
            case RSVG_UNIT_MM: 96 / 25.4
            case RSVG_UNIT_PT: 96 / 72
            case RSVG_UNIT_PC: 16
            case RSVG_UNIT_EM: 16
            case RSVG_UNIT_EX: 8
            default: nil
            }
        return scale.map { length * $0 }
    }
}
