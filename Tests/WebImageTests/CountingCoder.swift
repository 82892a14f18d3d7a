import Foundation
import WebImage

/// Calls the built-in coders and counts the decodes.
final class CountingCoder: ImageCoder {
    private let count = Locked(0)

    var decodeCount: Int { count.withLock { $0 } }

    func canDecode(from data: Data) -> Bool { ImageCodersManager.shared.canDecode(from: data) }

    func canEncode(to format: ImageFormat) -> Bool { ImageCodersManager.shared.canEncode(to: format) }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try ImageCodersManager.shared.imageInfo(of: data, limits: limits)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        count.withLock { $0 += 1 }
        return try ImageCodersManager.shared.decode(data, options: options)
    }

    func encode(_ image: Image, format: ImageFormat, options: EncodingOptions) throws(WebImageError) -> Data {
        try ImageCodersManager.shared.encode(image, format: format, options: options)
    }
}
