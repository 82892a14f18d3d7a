import Foundation
import WebImage

// snippet: guide-high-range
/// Writes a smaller JPEG that keeps the high dynamic range of a picture.
func smaller(_ data: Data) throws(WebImageError) -> Data {
    var decoding = DecodingOptions()
    decoding.dynamicRange = .keep
    decoding.thumbnailPixelSize = PixelSize(width: 800, height: 800)
    let image = try ImageCodersManager.shared.decode(data, options: decoding)
    print(image.hdr?.headroom ?? 1)
    var encoding = EncodingOptions()
    encoding.keepsHDR = true
    return try ImageCodersManager.shared.encode(image, format: .jpeg, options: encoding)
}
// end
