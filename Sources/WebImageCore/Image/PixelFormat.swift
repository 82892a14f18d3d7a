/// How the bytes of one pixel are laid out in memory.
public enum PixelFormat: Int, Sendable, Hashable, CaseIterable {
    /// Blue, green, red, alpha; colour already multiplied by alpha. The display format: Cairo takes it unchanged.
    case bgra8Premultiplied
    /// Red, green, blue, alpha; colour independent of alpha. What lossless conversion needs.
    case rgba8
    /// Red, green, blue.
    case rgb8
    /// One grey channel.
    case gray8
    /// Red, green, blue, alpha, 16 bits each in host order; colour independent of alpha.
    case rgba16
    /// Red, green, blue, alpha as half precision numbers (IEEE 754 binary16, host order); colour independent of alpha.
    ///
    /// 1 is what 65535 is in ``rgba16``; what a file holds beyond 0 and 1 is kept where its decoder gives it.
    case rgbaHalf

    /// Bytes from one pixel to the next in a row.
    public var bytesPerPixel: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8: 4
        case .rgb8: 3
        case .gray8: 1
        case .rgba16, .rgbaHalf: 8
        }
    }

    /// Channels per pixel, alpha included.
    public var channelCount: Int {
        switch self {
        case .bgra8Premultiplied, .rgba8, .rgba16, .rgbaHalf: 4
        case .rgb8: 3
        case .gray8: 1
        }
    }

    /// Bits of one channel.
    public var bitsPerComponent: Int { self == .rgba16 || self == .rgbaHalf ? 16 : 8 }

    /// Whether channels are floating point numbers.
    public var isFloatingPoint: Bool { self == .rgbaHalf }

    /// Whether a pixel can be transparent.
    public var hasAlpha: Bool { channelCount == 4 }

    /// Whether colour is stored multiplied by alpha.
    public var isPremultiplied: Bool { self == .bgra8Premultiplied }
}
