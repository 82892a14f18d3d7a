// snippet: coder
import Foundation
import WebImage

/// Decodes farbfeld: a signature, width and height (32 bits each), then RGBA with 16 bits per channel, all big-endian.
struct FarbfeldCoder: ImageCoder {
    // Files that begin otherwise never reach this coder.
    var signatures: [FileSignature]? { [.start(Array("farbfeld".utf8))] }

    func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        let bytes = Array(data.prefix(16))
        guard canDecode(from: data), bytes.count == 16 else { throw damaged("the header is incomplete") }
        let sides = [8, 12].map { bytes[$0..<$0 + 4].reduce(0) { $0 << 8 | Int($1) } }
        let size = PixelSize(width: sides[0], height: sides[1])
        // The limits hold before anything is allocated.
        try limits.checkPixels(size)
        return ImageInfo(format: .undefined, storedSize: size)
    }

    func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        let size = try imageInfo(of: data, limits: options.limits).storedSize
        guard size.pixelCount <= (data.count - 16) / 8 else { throw damaged("rows are missing") }
        let bytes = Array(data)
        let pixels = try PixelBuffer(width: size.width, height: size.height, format: .rgba8)
        pixels.withUnsafeMutableBytes { rows in
            for y in 0..<size.height {
                for x in 0..<size.width * 4 {
                    rows[y * pixels.bytesPerRow + x] = bytes[16 + (y * size.width * 4 + x) * 2]
                }
            }
        }
        return Image(pixels: pixels)
    }

    private func damaged(_ reason: String) -> WebImageError {
        WebImageError(
            .badImageData, stage: .decode, underlying: .codec(library: "FarbfeldCoder", message: reason))
    }
}

func addFarbfeld() { ImageCodersManager.shared.addCoder(FarbfeldCoder()) }
// end
