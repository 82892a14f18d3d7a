import CWebImageGTK
public import WebImageCore

/// A picture as GTK draws it, sharing the image's pixels.
///
/// Owns one reference to a `GdkTexture`. Made and released on any thread.
public final class Texture: @unchecked Sendable {
    // Unchecked is true because a GdkTexture is immutable and its reference count atomic.

    private let pointer: OpaquePointer

    init(owning pointer: OpaquePointer) {
        self.pointer = pointer
        HandleLedger.opened("GdkTexture")
    }

    /// Lends the `GdkTexture`, which is a `GdkPaintable` too; a widget given it takes a reference of its own.
    public func withPointer<Result, Failure: Error>(
        _ body: (OpaquePointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        defer { withExtendedLifetime(self) {} }
        return try body(pointer)
    }

    deinit {
        g_object_unref(UnsafeMutableRawPointer(pointer))
        HandleLedger.closed("GdkTexture")
    }

    /// Wraps pixels without copying them; GTK holds the buffer until it drops its last reference to the texture.
    ///
    /// Formats that GTK 4.8 does not know are converted first. Nil, with the reason logged, when that fails.
    package convenience init?(sharing buffer: PixelBuffer) {
        guard let format = GdkMemoryFormat(buffer.format) else {
            guard let converted = GrayConversion.displayable(buffer) else {
                WebImageLog.shared.log(
                    .error, "no texture: \(buffer.width)x\(buffer.height) grey is too large for cairo")
                return nil
            }
            self.init(sharing: converted)
            return
        }
        guard buffer.width <= Int32.max, buffer.height <= Int32.max else { return nil }
        let holder = Unmanaged.passRetained(buffer)
        HandleLedger.opened("texture pixels")
        let bytes = g_bytes_new_with_free_func(
            buffer.baseAddress, gsize(buffer.byteCount),
            { holder in
                guard let holder else { return }
                HandleLedger.closed("texture pixels")
                Unmanaged<PixelBuffer>.fromOpaque(holder).release()
            },
            holder.toOpaque())
        defer { g_bytes_unref(bytes) }
        let texture = gdk_memory_texture_new(
            gint(buffer.width), gint(buffer.height), format, bytes, gsize(buffer.bytesPerRow))
        guard let texture else { return nil }
        self.init(owning: texture)
    }
}

extension Image {
    /// The image as a texture that shares its pixels; a few microseconds whatever its size.
    ///
    /// The pixels live until GTK drops the texture. Any thread. Nil, with the reason logged, for a grey image whose
    /// sides exceed what cairo converts (32,767 px).
    public func makeTexture() -> Texture? { Texture(sharing: pixels) }
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
