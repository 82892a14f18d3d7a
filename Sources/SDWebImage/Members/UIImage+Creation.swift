public import Foundation
public import WebImage

extension Image {
    /// Decodes a file with the built-in coders alone; blocks while it decodes. Nil for data that they cannot decode.
    ///
    /// Registered coders are not used, so that they may call this; `UIImage.sd_image(with:)` uses them.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// Decodes a file at a scale with the built-in coders alone; blocks while it decodes. Nil for data that they cannot decode.
    public convenience init?(data: Data, scale: CGFloat) {
        guard let image = SystemCoders.still(data, scale: scale) else { return nil }
        self.init(copying: image)
    }

    /// Reads and decodes a file with the built-in coders alone; blocks while it does so.
    ///
    /// `@2x` or `@3x` in the name sets the scale.
    public convenience init?(contentsOfFile path: String) {
        guard
            let image = SystemCoders.still(
                FileManager.default.contents(atPath: path), scale: AnimatedImage.scale(ofFile: path))
        else { return nil }
        self.init(copying: image)
    }

    /// Finds an image by name in the bundles of ``WebImageCore/ImageResources``; uses the built-in coders alone.
    ///
    /// Blocks on the first call. The image then stays in memory until `SDAnimatedImage.removeNamedImages()`.
    public convenience init?(named name: String) {
        let image = AnimatedImage.namedStill(name) { data, scale in SystemCoders.still(data, scale: scale) }
        guard let image else { return nil }
        self.init(copying: image)
    }

    /// Encodes the image as PNG with the built-in encoder; blocks while it encodes.
    public func pngData() -> Data? { SystemCoders.file(of: self, format: .png) }

    /// Encodes the image as JPEG of quality 0…1 with the built-in encoder; blocks while it encodes.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        SystemCoders.file(of: self, format: .jpeg, quality: Double(compressionQuality))
    }

    /// Makes a new object of the same image, or of its first frame.
    private convenience init(copying image: Image) {
        self.init(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
    }
}
