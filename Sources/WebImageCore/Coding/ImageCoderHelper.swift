public import Foundation

/// The rule that decides whether an image is converted to the layout of the display before it is shown.
public enum ImageForceDecodePolicy: Int, Sendable, Hashable {
    /// Convert if the display requires it. In this library the display never requires a conversion, because coders
    /// return images that are ready for display.
    case automatic = 0
    /// Never convert.
    case never = 1
    /// Convert every still image whose layout differs from the layout of the display, including images with high
    /// dynamic range. Vector images are not converted.
    case always = 2
}

/// SDWebImage's helper functions for coders.
///
/// Coders of this library return images that are already decoded and upright. Forced decoding, a term of SDWebImage,
/// therefore has only one task: it converts other layouts, such as grey or 16 bits, to the layout of the display.
public enum ImageCoderHelper {
    // MARK: Sizes

    /// Returns the size of an image that is scaled to fit into a box. If the aspect ratio is kept and the image does
    /// not fill one side of the box, this side of the result is rounded up.
    ///
    /// If a side of the box is not positive, returns the image's size. `imageSize` and `scaleSize` use the same unit.
    public static func scaledSize(
        withImageSize imageSize: CGSize, scaleSize: CGSize, preserveAspectRatio: Bool, shouldScaleUp: Bool
    ) -> CGSize {
        guard imageSize.width > 0, imageSize.height > 0, scaleSize.width > 0, scaleSize.height > 0 else {
            return imageSize
        }
        var size = scaleSize
        if preserveAspectRatio {
            // The products come first, as in `ImageScaling`.
            if imageSize.width * scaleSize.height > imageSize.height * scaleSize.width {
                size.height = (imageSize.height * scaleSize.width / imageSize.width).rounded(.up)
            } else {
                size.width = (imageSize.width * scaleSize.height / imageSize.height).rounded(.up)
            }
        }
        guard !shouldScaleUp else { return size }
        return CGSize(width: min(size.width, imageSize.width), height: min(size.height, imageSize.height))
    }

    /// Returns the largest size with the image's aspect ratio at which all frames together fit into `limitBytes`. The
    /// result is at least 1×1 and can be larger than the image.
    public static func scaledSize(
        withImageSize imageSize: CGSize, limitBytes: UInt, bytesPerPixel: UInt, frameCount: UInt
    ) -> CGSize {
        guard imageSize.width >= 1, imageSize.height >= 1, imageSize.width < 1e9, imageSize.height < 1e9 else {
            return CGSize(width: 1, height: 1)
        }
        let size = ImageScaling.size(
            of: PixelSize(width: Int(imageSize.width), height: Int(imageSize.height)),
            limitBytes: Int(clamping: limitBytes), bytesPerPixel: Int(clamping: bytesPerPixel),
            frameCount: Int(clamping: frameCount))
        return CGSize(width: size.width, height: size.height)
    }

    // MARK: Orientation

    /// Returns the orientation for an EXIF number. For a number outside 1…8, returns ``ImageOrientation/up``.
    public static func imageOrientation(fromEXIFOrientation number: Int) -> ImageOrientation {
        ImageOrientation(rawValue: number) ?? .up
    }

    /// Returns the EXIF number of an orientation.
    public static func exifOrientation(from orientation: ImageOrientation) -> Int { orientation.rawValue }

    // MARK: Decoding

    /// The default maximum size of a scaled-down image in bytes. Initially 60 MiB. A new value under 4 (the bytes of
    /// one pixel) is ignored.
    public static var defaultScaleDownLimitBytes: Int {
        get { ImageScaling.defaultScaleDownLimitBytes }
        set { ImageScaling.defaultScaleDownLimitBytes = newValue }
    }

    /// If `policy` is `always`, converts the image to the layout of the display. Otherwise, or if the image already has
    /// this layout, returns the same instance.
    ///
    /// Blocks the calling thread during the conversion. Animated and vector images are returned unchanged.
    public static func decodedImage(with image: Image?, policy: ImageForceDecodePolicy = .automatic) -> Image? {
        guard let image, shouldDecode(image, policy), image.pixels.format != .bgra8Premultiplied else { return image }
        let size = image.pixelSize
        return redrawn(image, size: size)
    }

    /// Scales the image down if its pixels take more than `limitBytes` at 4 bytes per pixel. A limit of 0 means
    /// ``defaultScaleDownLimitBytes``. For a smaller image, returns the result of ``decodedImage(with:policy:)``.
    ///
    /// The new size is the same as in SDWebImage: both sides are multiplied by √(allowed pixels ÷ actual pixels) and
    /// rounded down, to at least 1. If `policy` is `never`, or the image is an animation or a vector image, returns the
    /// same instance. Blocks the calling thread until the image is scaled.
    @_disfavoredOverload
    public static func decodedAndScaledDownImage(
        with image: Image?, limitBytes: Int = 0, policy: ImageForceDecodePolicy = .automatic
    ) -> Image? {
        guard let image, policy != .never, !image.isAnimated, !image.isVector else { return image }
        let limit = max(limitBytes > 0 ? limitBytes : defaultScaleDownLimitBytes, 4)
        let (allowed, size) = (limit / 4, image.pixelSize)
        guard size.pixelCount > allowed else { return decodedImage(with: image, policy: policy) }
        let ratio = (Double(allowed) / Double(size.pixelCount)).squareRoot()
        let smaller = PixelSize(
            width: max(1, Int(Double(size.width) * ratio)), height: max(1, Int(Double(size.height) * ratio)))
        return redrawn(image, size: smaller)
    }

    /// The function that redraws pixels at another size. ``WebImageDefaults`` sets this function.
    package static let redrawPixels = Locked<LockedFunction<WebImageRedraw>?>(nil)

    private static func shouldDecode(_ image: Image, _ policy: ImageForceDecodePolicy) -> Bool {
        policy == .always && !image.isAnimated && !image.isVector
    }

    private static func redrawn(_ image: Image, size: PixelSize) -> Image {
        guard let render = redrawPixels.withLock({ $0 }),
            let pixels = try? render.call(image.pixels, size, !image.hasAlpha)
        else { return image }
        let result = Image(
            pixels: pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha)
        result.copyMetadata(from: image)
        return result
    }
}

/// A function that redraws pixels at another size in the display's layout.
package typealias WebImageRedraw =
    @Sendable (_ pixels: PixelBuffer, _ size: PixelSize, _ isOpaque: Bool) throws(WebImageError) -> PixelBuffer
