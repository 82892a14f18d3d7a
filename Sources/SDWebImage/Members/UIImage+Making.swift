public import Foundation
public import WebImage

extension Image {
    /// Decodes a file; blocks while it does. Nil for what is no picture.
    public convenience init?(data: Data) { self.init(data: data, scale: 1) }

    /// Decodes a file at a scale; blocks while it does. Nil for what is no picture.
    public convenience init?(data: Data, scale: CGFloat) {
        let options: ImageCoderOptions = [.decodeScaleFactor: Double(scale), .decodeFirstFrameOnly: true]
        guard let image = ImageCodersManager.shared.decodedImage(with: data, options: options) else { return nil }
        self.init(copying: image)
    }

    /// Reads and decodes a file; blocks while it does. The name's `@2x` or `@3x` is the scale.
    public convenience init?(contentsOfFile path: String) {
        guard let image = AnimatedImage(contentsOfFile: path) else { return nil }
        self.init(copying: image)
    }

    /// The picture of a name, from the bundles of ``WebImageCore/ImageResources``; blocks the first time.
    public convenience init?(named name: String) {
        guard let image = AnimatedImage.named(name) else { return nil }
        self.init(copying: image)
    }

    /// The picture as PNG; blocks while it encodes.
    public func pngData() -> Data? {
        ImageCodersManager.shared.encodedData(with: self, format: .png, options: [.encodeFirstFrameOnly: true])
    }

    /// The picture as JPEG of a quality 0…1; blocks while it encodes.
    public func jpegData(compressionQuality: CGFloat) -> Data? {
        sd_imageData(as: .jpeg, compressionQuality: Double(compressionQuality), firstFrameOnly: true)
    }

    /// The same picture, its first frame, in an object of its own.
    private convenience init(copying image: Image) {
        self.init(
            pixels: image.pixels, scale: image.scale, colorProfile: image.colorProfile, hasAlpha: image.hasAlpha,
            format: image.imageFormat)
    }
}
