public import Foundation
public import WebImage

extension Image {
    /// Decodes a file with the built-in coders alone; blocks while it does. Nil for what they cannot read.
    ///
    /// Registered coders are not asked, so that they may call this; `UIImage.sd_image(with:)` asks them.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// Decodes a file at a scale with the built-in coders alone; blocks while it does. Nil for what they cannot read.
    public convenience init?(data: Data, scale: CGFloat) {
        guard let image = SystemCoders.still(data, scale: scale) else { return nil }
        self.init(copying: image)
    }

    /// Reads and decodes a file with the built-in coders alone; blocks while it does. The name's `@2x` or `@3x` is the
    /// scale.
    public convenience init?(contentsOfFile path: String) {
        guard
            let image = SystemCoders.still(
                FileManager.default.contents(atPath: path), scale: AnimatedImage.scale(ofFile: path))
        else { return nil }
        self.init(copying: image)
    }

    /// The picture of a name, from the bundles of ``WebImageCore/ImageResources``, by the built-in coders alone.
    ///
    /// Blocks the caller the first time; then the picture is kept until `SDAnimatedImage.removeNamedImages()`.
    public convenience init?(named name: String) {
        let image = AnimatedImage.namedStill(name) { data, scale in SystemCoders.still(data, scale: scale) }
        guard let image else { return nil }
        self.init(copying: image)
    }

    /// The picture as PNG, by the built-in encoder; blocks while it encodes.
    public func pngData() -> Data? { SystemCoders.file(of: self, format: .png) }

    /// The picture as JPEG of a quality 0…1, by the built-in encoder; blocks while it encodes.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        SystemCoders.file(of: self, format: .jpeg, quality: Double(compressionQuality))
    }

    /// The same picture, its first frame, in an object of its own.
    private convenience init(copying image: Image) {
        self.init(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
    }
}
