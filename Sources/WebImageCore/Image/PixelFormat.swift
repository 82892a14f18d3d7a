/// The memory layout of one pixel.
public enum PixelFormat: Int, Sendable, Hashable, CaseIterable {
    /// Blue, green, red, alpha, 8 bits each. The colours are premultiplied by alpha. This is the display
    /// format, which Cairo uses without conversion.
    case bgra8Premultiplied
    /// Red, green, blue, alpha, 8 bits each. The colours are not premultiplied. A lossless conversion requires this
    /// layout, because premultiplication rounds the colours.
    case rgba8
    /// Red, green, blue, 8 bits each.
    case rgb8
    /// One grey channel of 8 bits.
    case gray8
    /// Red, green, blue, alpha, 16 bits each in the byte order of the host. The colours are not premultiplied.
    case rgba16
    /// Red, green, blue, alpha as half-precision numbers (IEEE 754 binary16) in the byte order of the host.
    /// The colours are not premultiplied.
    ///
    /// The value 1 corresponds to 65535 in ``rgba16``. Values outside 0…1 are kept if the decoder returns them.
    case rgbaHalf

    /// The number of bytes per pixel.
    public var bytesPerPixel: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8: 4
        case .rgb8: 3
        case .gray8: 1
        case .rgba16, .rgbaHalf: 8
        }
    }

    /// The number of channels per pixel, including alpha.
    public var channelCount: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8, .rgba16, .rgbaHalf: 4
        case .rgb8: 3
        case .gray8: 1
        }
    }

    /// The number of bits per channel.
    public var bitsPerComponent: Int { self == .rgba16 || self == .rgbaHalf ? 16 : 8 }

    /// Whether channels are floating-point numbers.
    public var isFloatingPoint: Bool { self == .rgbaHalf }

    /// Whether a pixel can be transparent.
    public var hasAlpha: Bool { channelCount == 4 }

    /// Whether the colours are premultiplied by alpha.
    public var isPremultiplied: Bool { self == .bgra8Premultiplied }
}
