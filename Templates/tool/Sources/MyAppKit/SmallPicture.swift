public import Foundation
public import WebImage

/// A picture named on the command line.
public struct Source: Sendable {
    /// The URL; for a path, the URL of the file.
    public let url: URL

    public init(_ name: String) {
        url = name.contains("://") ? URL(string: name) ?? URL(fileURLWithPath: name) : URL(fileURLWithPath: name)
    }

    /// The name of the small file.
    public func outputName(side: Int) -> String {
        "\(url.deletingPathExtension().lastPathComponent)-\(side).webp"
    }
}

public enum SmallPicture {
    /// The picture, or the first frame of an animation, as WebP within a square of `side` pixels.
    public static func data(of url: URL, side: Int) async throws(WebImageError) -> Data {
        let image = try await WebImageManager.shared.image(
            for: url, options: .decodeFirstFrameOnly,
            context: [.imageThumbnailPixelSize: CGSize(width: side, height: side)])
        var options = EncodingOptions()
        options.quality = 0.8
        return try ImageCodersManager.shared.encode(image, format: .webP, options: options)
    }
}
