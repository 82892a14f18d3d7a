import CWebImageCodecShim
import CWebImageJPEG
import Foundation
import WebImageCore
import WebImageGraphics

/// The pixels, profile and metadata of one JPEG file. The file can be encoded several times with different qualities.
struct JPEGEncoding {
    let pixels: PixelBuffer
    let profile: ColorProfile?
    let isProgressive: Bool
    /// Whether colour is stored at half the width and height in a file for a score, whose quantisation is ``JPEGQuantization``; nil
    /// takes the tables of annex K, and stores colour so below a quality of 90.
    var halvesChroma: Bool?
    let metadata: JPEGMetadata?

    /// Encodes the file.
    ///
    /// - Parameter quality: The quality in libjpeg's range from 0 to 100.
    func encode(quality: Int) throws(WebImageError) -> Data {
        HandleLedger.opened("jpeg compressor")
        defer { HandleLedger.closed("jpeg compressor") }
        var settings = webimage_jpeg_settings()
        settings.width = Int32(clamping: pixels.width)
        settings.height = Int32(clamping: pixels.height)
        settings.color = Int32(Self.color(of: pixels.format).rawValue)
        settings.components = Int32(pixels.format.channelCount)
        settings.quality = Int32(quality)
        settings.halves_chroma = halvesChroma ?? (quality < 90) ? 1 : 0
        settings.is_progressive = isProgressive ? 1 : 0
        if let density = metadata?.density {
            settings.density = (Int32(density.horizontal.rounded()), Int32(density.vertical.rounded()))
        }
        settings.should_stop = WorkBudget.shouldStop
        return try (profile?.iccData ?? Data()).withFileBytes { icc throws(WebImageError) in
            try (metadata?.exif ?? Data()).withFileBytes { exif throws(WebImageError) in
                try (metadata?.xmp ?? Data()).withFileBytes { xmp throws(WebImageError) in
                    settings.icc = webimage_jpeg_bytes(icc)
                    settings.exif = webimage_jpeg_bytes(exif)
                    settings.xmp = webimage_jpeg_bytes(xmp)
                    return try encode(&settings)
                }
            }
        }
    }

    private func encode(_ settings: inout webimage_jpeg_settings) throws(WebImageError) -> Data {
        var encoded: UnsafeMutablePointer<UInt8>?
        var count = 0
        var message = [CChar](repeating: 0, count: 200)
        let table = halvesChroma == nil ? nil : JPEGQuantization.table(quality: Int(settings.quality))
        let status = pixels.withUnsafeBytes { bytes in
            (table ?? []).withUnsafeBufferPointer { steps in
                settings.table = table == nil ? nil : steps.baseAddress
                return webimage_jpeg_encode(
                    bytes.bindMemory(to: UInt8.self).baseAddress, pixels.bytesPerRow, &settings, &encoded, &count,
                    &message)
            }
        }
        guard status == WEBIMAGE_JPEG_OK, let encoded else {
            try WorkBudget.checkCurrent()
            throw .cannotEncode(
                "libjpeg", String(decoding: message.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self),
                hint: "A JPEG's sides are at most 65500 px; choose PNG or a smaller size.")
        }
        return Data(bytesNoCopy: encoded, count: count, deallocator: .free)
    }

    private static func color(of layout: PixelFormat) -> J_COLOR_SPACE {
        switch layout {
        case .bgra8Premultiplied: JCS_EXT_BGRX
        case .rgba8, .rgba16, .rgbaHalf: JCS_EXT_RGBX
        case .rgb8: JCS_RGB
        case .gray8: JCS_GRAYSCALE
        }
    }
}

extension webimage_jpeg_bytes {
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(bytes: bytes.bindMemory(to: UInt8.self).baseAddress, length: bytes.count)
    }
}
