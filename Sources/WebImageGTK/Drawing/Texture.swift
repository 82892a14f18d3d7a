import CWebImageGTK
public import WebImageCore
import WebImageGraphics

/// A GTK texture that shares the pixels of an image.
///
/// This object owns one reference to a `GdkTexture`. It can be made and released on any thread.
public final class Texture: @unchecked Sendable {
    // `@unchecked Sendable` is safe: a GdkTexture is immutable and its reference count is atomic.

    private let pointer: OpaquePointer
    /// The pixels that the texture shares; nil if the texture was made by GTK.
    let shared: PixelBuffer?

    /// Whether GTK shows the texture with a high dynamic range, where the display has one.
    package let hasHighRange: Bool

    convenience init(owning pointer: OpaquePointer) { self.init(owning: pointer, sharing: nil) }

    private init(owning pointer: OpaquePointer, sharing pixels: PixelBuffer?, hasHighRange: Bool = false) {
        self.pointer = pointer
        shared = pixels
        self.hasHighRange = hasHighRange
        HandleLedger.opened("GdkTexture")
    }

    /// Passes the `GdkTexture`, which is also a `GdkPaintable`, to a closure. A widget that shows the `GdkTexture` adds
    /// its own reference.
    public func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(pointer)
    }

    /// The size of the texture in pixels.
    var pixelSize: PixelSize {
        PixelSize(width: Int(gdk_texture_get_width(pointer)), height: Int(gdk_texture_get_height(pointer)))
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
        HandleLedger.closed("GdkTexture")
    }

    /// Wraps pixels without copying them; GTK retains the buffer until the last reference to the texture is released.
    ///
    /// Formats that GTK 4.8 does not support are converted first. If the conversion fails, logs the reason and returns
    /// nil.
    package convenience init?(sharing buffer: PixelBuffer) {
        guard let format = GdkMemoryFormat(buffer.format) else {
            guard let converted = GrayConversion.displayable(buffer) else {
                WebImageLog.shared.log(
                    .error, "no texture: cairo cannot convert a grey image of \(buffer.width)x\(buffer.height) px")
                return nil
            }
            self.init(sharing: converted)
            return
        }
        guard let bytes = Self.bytes(sharing: buffer) else { return nil }
        defer { g_bytes_unref(bytes) }
        let texture = gdk_memory_texture_new(
            gint(buffer.width), gint(buffer.height), format, bytes, gsize(buffer.bytesPerRow))
        guard let texture else { return nil }
        self.init(owning: texture, sharing: buffer)
    }

    /// Wraps pixels with a high dynamic range, whose values have code points of ITU-T H.273. Nil if this version of GTK does
    /// not know what they mean.
    fileprivate convenience init?(sharing buffer: PixelBuffer, codePoints: (primaries: Int, transfer: Int)) {
        guard let states = ColorState.shared, let format = GdkMemoryFormat(buffer.format),
            let bytes = Self.bytes(sharing: buffer)
        else { return nil }
        defer { g_bytes_unref(bytes) }
        guard let texture = states.texture(of: buffer, format: format, bytes: bytes, codePoints: codePoints) else {
            return nil
        }
        // Copies of the pixels would lose their meaning, so GTK alone scales them.
        self.init(owning: texture, sharing: nil, hasHighRange: true)
    }

    /// Returns bytes that retain the buffer.
    private static func bytes(sharing buffer: PixelBuffer) -> OpaquePointer? {
        guard buffer.width <= Int32.max, buffer.height <= Int32.max else { return nil }
        let holder = Unmanaged.passRetained(buffer)
        HandleLedger.opened("texture pixels")
        return g_bytes_new_with_free_func(
            buffer.baseAddress, gsize(buffer.byteCount),
            { holder in
                guard let holder else { return }
                HandleLedger.closed("texture pixels")
                Unmanaged<PixelBuffer>.fromOpaque(holder).release()
            },
            holder.toOpaque())
    }
}

extension Image {
    /// Returns a texture that shares the image's pixels. This takes a few microseconds at any size. Exception: the
    /// pixels of a grey image are copied and converted.
    ///
    /// The pixels are retained until GTK releases the texture. This function can be called on any thread. For a grey
    /// image with a side over the limit of cairo (32,767 px), it logs the reason and returns nil.
    ///
    /// Pixels of PQ, HLG and linear light have a texture with their colour state since GTK 4.16, so that a display with a high
    /// dynamic range shows it. Earlier versions of GTK get a copy of standard dynamic range.
    public func makeTexture() -> Texture? {
        guard pixels.format.bitsPerComponent > 8, let codePoints = displayCodePoints else {
            return Texture(sharing: pixels)
        }
        if let texture = Texture(sharing: pixels, codePoints: codePoints) { return texture }
        do throws(WebImageError) {
            return Texture(sharing: try toneMappedPixels() ?? pixels)
        } catch {
            WebImageLog.shared.log(.error, "no texture: \(error)", metadata: error.logMetadata)
            return nil
        }
    }
}

extension GdkMemoryFormat {
    fileprivate init?(_ format: PixelFormat) {
        switch format {
        case .bgra8Premultiplied: self = GDK_MEMORY_B8G8R8A8_PREMULTIPLIED
        case .rgba8: self = GDK_MEMORY_R8G8B8A8
        case .rgb8: self = GDK_MEMORY_R8G8B8
        case .rgba16: self = GDK_MEMORY_R16G16B16A16
        case .rgbaHalf: self = GDK_MEMORY_R16G16B16A16_FLOAT
        case .gray8: return nil
        }
    }
}
