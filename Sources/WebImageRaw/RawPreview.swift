import Foundation
import WebImageCodecs
import WebImageCore
import WebImageGraphics

/// The picture that the camera put into a raw file, if it is large enough for the requested result.
struct RawPreview {
    private let data: Data
    private let options: DecodingOptions
    private let orientation: ImageOrientation

    /// Fails if the file has no JPEG picture, or if the result would be larger than the picture, or if their sides have
    /// different ratios: some cameras put bars beside the picture.
    init?(_ file: RawFile, _ options: DecodingOptions) throws(WebImageError) {
        let info = file.info
        guard options.thumbnailPixelSize != nil, options.pixelFormat.bitsPerComponent == 8, !options.decodesToHDR,
            let bytes = file.preview()
        else { return nil }
        let resampling = options.resampling(of: info.storedSize, info.orientation)
        data = Self.withoutMetadata(bytes)
        guard let preview = try? ImageJPEGCoder.shared.imageInfo(of: data, limits: options.limits).storedSize else {
            return nil
        }
        let (x, y) = (
            Double(preview.width) / Double(info.storedSize.width),
            Double(preview.height) / Double(info.storedSize.height)
        )
        let region = resampling.region.scaled(x: x, y: y)
        guard abs(x / y - 1) < 0.02, region.width >= Double(resampling.target.width),
            region.height >= Double(resampling.target.height)
        else { return nil }
        orientation = info.orientation
        var inner = options
        inner.thumbnailPixelSize = resampling.target
        inner.preserveAspectRatio = false
        inner.sourceRegion = options.sourceRegion == nil ? nil : region
        self.options = inner
    }

    func image() throws(WebImageError) -> Image {
        let image = try ImageJPEGCoder.shared.decode(data, options: options)
        let pixels = orientation == .up ? image.pixels : try image.pixels.oriented(orientation)
        let upright = Image(
            pixels: pixels, scale: options.scaleFactor, colorProfile: image.colorProfile, hasAlpha: false, format: .raw)
        return upright
    }

    /// The JPEG file without its EXIF: its orientation may differ from that of the raw file, which counts.
    private static func withoutMetadata(_ bytes: UnsafeRawBufferPointer) -> Data {
        var (place, result) = (2, Data(bytes.prefix(2)))
        while place + 4 <= bytes.count, bytes[place] == 0xFF, bytes[place + 1] != 0xDA {
            let length = 2 + Int(bytes[place + 2]) << 8 + Int(bytes[place + 3])
            if bytes[place + 1] != 0xE1 { result += bytes[place..<min(place + length, bytes.count)] }
            place += length
        }
        if place < bytes.count { result += bytes[place...] }
        return result
    }
}
