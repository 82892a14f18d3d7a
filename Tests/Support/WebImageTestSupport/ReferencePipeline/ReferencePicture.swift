package import Foundation
package import WebImageCore
import WebImageTesting

/// The properties that identify a delivered image: resource, version, user, transformers and size.
///
/// Each image of the origin has one colour. The colour encodes all these properties except the size. Scaling, encoding
/// and caches do not change the colour enough to affect the encoded values.
package struct ReferencePicture: Hashable, Sendable, CustomStringConvertible {
    /// The number of the resource at the origin, 0 to 4.
    package var resource: Int
    /// The number of the user, 1 or 2; 0 without credentials.
    package var user: Int
    /// The version of the resource, modulo 16.
    package var version: Int
    /// The numbers of the applied transformers in order: at most two, each 1 to 3.
    package var transformers: [Int] = []
    /// The size in pixels.
    package var size: PixelSize
    /// The expected value of ``WebImageCore/Image/isTransformed``.
    package var isTransformed = false
    /// Whether the transparency that transformer 3 makes is missing. A picture of the origin never lacks it.
    package var lacksTransparency = false

    /// The size in pixels of every image at the origin.
    package static let fullSize = PixelSize(width: 24, height: 16)

    /// Makes a picture as the origin sends it, without transformers.
    package init(resource: Int, user: Int, version: Int, size: PixelSize = fullSize) {
        (self.resource, self.user, self.version, self.size) = (resource, user, version % 16, size)
    }

    /// Reads the properties of an image from its first pixel and its size. Nil for an image in another pixel format
    /// than `bgra8Premultiplied`.
    package init?(_ image: Image) {
        guard image.pixels.format == .bgra8Premultiplied else { return nil }
        let last = (image.pixels.height - 1) * image.pixels.bytesPerRow + 4 * image.pixels.width - 1
        let (pixel, lastAlpha) = image.pixels.withUnsafeBytes { ([$0[0], $0[1], $0[2]], $0[last]) }
        let owner = Int(pixel[2]) / 16
        self.init(resource: owner / 3, user: owner % 3, version: Int(pixel[1]) / 16, size: image.pixelSize)
        var code = Int(pixel[0]) / 16
        while code > 0 {
            transformers.insert((code - 1) % 3 + 1, at: 0)
            code = (code - 1) / 3
        }
        isTransformed = image.isTransformed
        lacksTransparency = (lastAlpha < 128) != transformers.contains(3)
    }

    /// Returns an image whose colour encodes this picture.
    ///
    /// - Throws: `WebImageError` if memory is exhausted.
    package func image() throws(WebImageError) -> Image {
        let code = transformers.reduce(0) { $0 * 3 + $1 }
        let image = try TestImages.solid(
            width: size.width, height: size.height, blue: UInt8(code * 16 + 8), green: UInt8(version * 16 + 8),
            red: UInt8((resource * 3 + user) * 16 + 8))
        guard transformers.contains(3) else { return image }
        // The lower right quarter is transparent.
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .bgra8Premultiplied)
        pixels.withUnsafeMutableBytes { target in
            image.pixels.withUnsafeBytes { source in
                for row in 0..<size.height {
                    for column in 0..<(4 * size.width) {
                        let isClear = 2 * row >= size.height && column >= 2 * size.width
                        target[row * pixels.bytesPerRow + column] =
                            isClear ? 0 : source[row * image.pixels.bytesPerRow + column]
                    }
                }
            }
        }
        return Image(pixels: pixels)
    }

    /// Returns the image as a file: a JPEG for resource 1, which has no transparency, and otherwise a PNG. The coders must be
    /// registered before this call.
    ///
    /// - Throws: `WebImageError` if no coder is registered.
    package func file() throws(WebImageError) -> Data {
        try ImageCodersManager.shared.encode(
            try image(), format: resource == 1 ? .jpeg : .png, options: EncodingOptions())
    }

    /// A text for messages.
    package var description: String {
        let steps = transformers.isEmpty ? "" : " transformed by \(transformers)"
        let flag = isTransformed == !transformers.isEmpty ? "" : " (isTransformed \(isTransformed))"
        let loss = lacksTransparency ? " without its transparency" : ""
        let owner = user == 0 ? "" : " of user \(user)"
        return "/\(resource) version \(version)\(owner), \(size.width)x\(size.height)\(steps)\(flag)\(loss)"
    }
}

/// A transformer that adds its number to the colour of a ``ReferencePicture``. Number 3 also makes a part transparent.
package struct ReferenceTransformer: ImageTransformer {
    /// The number of the transformer, 1 to 3.
    package let number: Int
    /// Makes the transformer with a number.
    package init(_ number: Int) { self.number = number }
    /// The key, such as `Reference(1)`.
    package var transformerKey: String { "Reference(\(number))" }
    /// Returns the image with this number added after the numbers of earlier transformers.
    package func transformedImage(with image: Image, forKey key: String) -> Image? {
        guard var picture = ReferencePicture(image) else { return nil }
        picture.transformers.append(number)
        return try? picture.image()
    }
}

/// A sequence of ``ReferenceTransformer``s.
package struct ReferenceTransformerSequence: ImageTransformerSequence {
    /// The transformers, in the order in which they run.
    package let transformers: [any ImageTransformer]
    /// The keys of the transformers, joined by hyphens.
    package var transformerKey: String { transformers.map(\.transformerKey).joined(separator: "-") }
    /// Makes a sequence of the transformers with these numbers.
    package init(_ numbers: [Int]) { transformers = numbers.map { ReferenceTransformer($0) } }
    /// Returns the image after all transformers.
    package func transformedImage(with image: Image, forKey key: String) -> Image? {
        transformers.reduce(image) { $1.transformedImage(with: $0, forKey: key) ?? $0 }
    }
}
