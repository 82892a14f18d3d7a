public import Foundation
public import WebImageCore
import WebImageGraphics

/// Reads the largest picture of a Windows icon or cursor. If several pictures are equally large, reads the first
/// picture with the most bits per pixel. Writes icons with one picture.
///
/// A picture is stored as a PNG file or as a bitmap with a transparency mask. The mask is used only if the bitmap has
/// no alpha. Thread-safe.
public final class ImageICOCoder: ImageCoder {
    /// The shared instance. It has no state.
    public static let shared = ImageICOCoder()

    /// Creates a coder that behaves like ``shared``.
    public init() {}

    /// The signatures of the files that this coder reads.
    public var signatures: [FileSignature]? { [.format(.ico)] }

    /// True for ICO.
    public func canEncode(to format: ImageFormat) -> Bool { format == .ico }

    /// Returns size, alpha and bit depth of the picture that ``decode(_:options:)`` returns, and whether the picture
    /// has a colour profile. Decodes no pixels. Always reports alpha for a bitmap, because the bitmap can have a
    /// transparency mask.
    ///
    /// - Throws: `.badImageData` if the file is invalid. `.limitExceeded` if the file exceeds a limit.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let entry = try Self.best(bytes)
            if entry.isPNG {
                var info = try ImagePNGCoder().imageInfo(of: data.slice(entry.payload), limits: limits)
                info.format = .ico
                return info
            }
            let header = try BMPHeader(bytes, at: entry.payload.lowerBound, pixelOffset: nil, isIcon: true)
            try limits.checkPixels(header.size)
            var info = ImageInfo(format: .ico, storedSize: header.size)
            info.hasAlpha = true
            info.bitDepth = header.bitCount <= 8 ? header.bitCount : 8
            info.hasICCProfile = header.iccProfile != nil
            return info
        }
    }

    /// Decodes the largest picture. If several pictures are equally large, decodes the first picture with the most bits
    /// per pixel.
    ///
    /// - Throws: `.badImageData` if the file is invalid or the picture is truncated. `.limitExceeded` if the file
    ///   exceeds a limit.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        let deadline = DecodeDeadline(options.limits)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let entry = try Self.best(bytes)
            if entry.isPNG {
                // Decode only the first frame: an icon is a still, even if its PNG file is an APNG.
                var options = options
                options.firstFrameOnly = true
                let image = try ImagePNGCoder().decode(data.slice(entry.payload), options: options)
                (image.imageFormat, image.omitsFrames) = (.ico, false)
                return image
            }
            return try Self.bitmap(bytes, entry, options, deadline)
        }
    }

    /// Writes an icon that contains the image as a PNG file with 8 bits per channel. Quality and maximum file size have
    /// no effect, because PNG is lossless.
    ///
    /// - Throws: `.encodingFailed` if a side of the image has more than 256 px.
    public func encode(
        _ image: Image, format: ImageFormat, options: EncodingOptions
    ) throws(WebImageError) -> Data {
        guard canEncode(to: format) else { throw .cannotEncode("ICO", "\(format) is not ICO") }
        let pixels = try image.pixelsToEncode(options).converted(
            to: .bgra8Premultiplied, isOpaque: !image.hasAlpha)
        guard max(pixels.width, pixels.height) <= 256 else {
            throw .cannotEncode(
                "ICO", "\(pixels.width)x\(pixels.height) is over 256 px a side",
                hint: "Set a maximum pixel size of 256, or choose PNG.")
        }
        var inner = EncodingOptions()
        inner.firstFrameOnly = true
        // Windows reads only pictures of 32 bits inside an ICO.
        inner.keepsPixelLayout = true
        let picture = Image(pixels: pixels, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        return ICODirectory.file(
            png: try PNGWriter.encode(picture, options: inner), size: pixels.size, hasAlpha: image.hasAlpha)
    }

    private static func best(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> ICODirectory.Entry {
        guard let entry = try ICODirectory(bytes).best else { throw .badData("ICO", "there is no picture") }
        return entry
    }

    private static func bitmap(
        _ bytes: UnsafeRawBufferPointer, _ entry: ICODirectory.Entry, _ options: DecodingOptions,
        _ deadline: DecodeDeadline
    ) throws(WebImageError) -> Image {
        var header = try BMPHeader(bytes, at: entry.payload.lowerBound, pixelOffset: nil, isIcon: true)
        try options.limits.checkPixels(header.size)
        if header.bitCount == 32, header.masks?.alpha == 0 { header.masks?.alpha = 0xFF00_0000 }
        let profile = try BMPDecoding.profile(header, bytes: bytes, limits: options.limits)
        var (pixels, hasAlpha) = try BMPPixels(header: header, bytes: bytes, deadline: deadline).decode()
        if !hasAlpha || isAllClear(pixels), header.packing == .plain {
            let mask = try ICOMask(header: header, bytes: bytes).alpha()
            hasAlpha = mask != nil
            if let mask { try PackedRows.setAlpha(of: pixels, from: mask) } else { try PackedRows.setOpaque(pixels) }
        }
        return try BMPDecoding.picture(
            pixels, hasAlpha: hasAlpha, profile: profile, options: options, format: .ico
        ).finished(options: options, fullSize: header.size)
    }

    /// Whether the fourth byte of every pixel is 0. If so, the fourth byte is unused and is not alpha. A simple loop is
    /// fast enough, because icons are small.
    private static func isAllClear(_ pixels: PixelBuffer) -> Bool {
        for row in 0..<pixels.height {
            let line = (pixels.baseAddress + row * pixels.bytesPerRow).assumingMemoryBound(to: UInt8.self)
            var x = 3
            while x < pixels.width * 4 {
                if line[x] != 0 { return false }
                x &+= 4
            }
        }
        return true
    }
}
