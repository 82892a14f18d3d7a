public import Foundation
public import WebImage

extension Image {
    /// Decodes the first frame of a file with the built-in coders. Blocks during decoding. Returns nil if the built-in
    /// coders cannot decode the data.
    ///
    /// Registered coders are not used, so that a registered coder can call this initialiser.
    /// `UIImage.sd_image(with:)` uses the registered coders.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// Decodes the first frame of a file with the built-in coders. The image has the scale `scale`. Blocks during
    /// decoding. Returns nil if the built-in coders cannot decode the data.
    public convenience init?(data: Data, scale: CGFloat) {
        guard let image = SystemCoders.still(data, scale: scale) else { return nil }
        self.init(copying: image)
    }

    /// Reads a file and decodes its first frame with the built-in coders. Blocks during reading and decoding. Returns
    /// nil if the file cannot be read or decoded.
    ///
    /// `@2x` or `@3x` in the file name sets the scale.
    public convenience init?(contentsOfFile path: String) {
        guard
            let image = SystemCoders.still(
                FileManager.default.contents(atPath: path), scale: AnimatedImage.scale(ofFile: path))
        else { return nil }
        self.init(copying: image)
    }

    /// Finds an image by name in the bundles of ``WebImageCore/ImageResources`` and decodes the image with the built-in
    /// coders.
    ///
    /// The first call for a name blocks. The image then stays in memory until
    /// `SDAnimatedImage.removeNamedImages()` is called.
    public convenience init?(named name: String) {
        let image = AnimatedImage.namedStill(name) { data, scale in SystemCoders.still(data, scale: scale) }
        guard let image else { return nil }
        self.init(copying: image)
    }

    /// Not available: the symbols belong to Apple's systems.
    @available(*, unavailable, message: "Show an icon of the theme with gtk_image_new_from_icon_name(_:)")
    public convenience init?(systemName name: String) { nil }

    /// Not available: images have no traits.
    @available(*, unavailable, message: "Use init(named:); ImageResources lists the bundles that it searches")
    public convenience init?(named name: String, in bundle: Bundle?, compatibleWith traitCollection: Any?) { nil }

    /// How a view of UIKit colours an image.
    public enum RenderingMode: Int, Sendable {
        /// The view decides. Here: as it is.
        case automatic
        /// As it is.
        case alwaysOriginal
        /// Not available: views do not colour images.
        @available(*, unavailable, message: "Use sd_tintedImage(with:)")
        case alwaysTemplate
    }

    /// Returns the same image: views show images as they are.
    public func withRenderingMode(_ mode: RenderingMode) -> UIImage { self }

    /// Returns the image with another colour; its transparency stays.
    public func withTintColor(_ color: UIColor) -> UIImage { sd_tintedImage(with: color) ?? self }

    /// Encodes the image as PNG with the built-in encoder. Blocks during encoding.
    public func pngData() -> Data? { SystemCoders.file(of: self, format: .png) }

    /// Encodes the image as JPEG with the built-in encoder. The quality is 0…1. Blocks during encoding.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        SystemCoders.file(of: self, format: .jpeg, quality: Double(compressionQuality))
    }

    /// Creates a new object with the pixels of an image. For an animation, uses the pixels of the first frame.
    private convenience init(copying image: Image) {
        self.init(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
        countsAsDecoded = false
    }
}
