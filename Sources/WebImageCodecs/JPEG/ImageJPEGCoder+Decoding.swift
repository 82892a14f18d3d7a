import CJPEG
public import Foundation
public import WebImageCore
import WebImageGraphics

extension ImageJPEGCoder {
    /// Size, orientation, channels and profile from the markers before the first scan.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: limits)
            try limits.checkPixels(decoder.size)
            var info = ImageInfo(format: .jpeg, storedSize: decoder.size)
            info.orientation = decoder.orientation
            info.isGray = decoder.isGray
            info.bitDepth = decoder.bitDepth
            info.hasICCProfile = decoder.hasICCProfile
            return info
        }
    }

    /// The image; a file that ends before its picture does is an error, never a picture with a grey rest.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: options.limits)
            try options.limits.checkPixels(decoder.size)
            let picture = try decoder.picture(options)
            return try picture.finished(options: options, fullSize: decoder.size)
        }
    }
}

extension JPEGDecoder {
    /// The stored pixels, no smaller than the options' target.
    fileprivate borrowing func picture(_ options: DecodingOptions) throws(WebImageError) -> DecodedPicture {
        let orientation = orientation
        let target = options.targetSize(for: size.oriented(orientation)).oriented(orientation)
        let profile = try matchingProfile()
        let staysGray = isGray && (target != size || (profile != nil && options.colorConversion == .sRGB))
        let layout = staysGray ? .gray8 : Self.layout(for: options.pixelFormat, isCMYK: isCMYK)
        let color = isCMYK ? JCS_CMYK : Self.color(of: layout)
        let stored = try outputSize(color: color, eighths: Self.eighths(from: size, to: target))
        let pixels = try PixelBuffer(width: stored.width, height: stored.height, format: layout)
        try readRows(into: pixels)

        var picture = DecodedPicture(
            pixels: pixels, orientation: orientation, profile: profile, hasAlpha: false, format: .jpeg)
        if isCMYK {
            picture.profile = nil
            picture.pixels = try pixels.convertedFromCMYK(
                isInverted: storesInkInverted, profile: options.colorConversion == .sRGB ? profile : nil)
        }
        return picture
    }

    /// The profile if it describes such channels; another one is a mistake of whoever wrote the file.
    private borrowing func matchingProfile() throws(WebImageError) -> ColorProfile? {
        guard let profile = try profile() else { return nil }
        let colorSpace = isGray ? "GRAY" : isCMYK ? "CMYK" : "RGB "
        return profile.iccData.dropFirst(16).prefix(4).elementsEqual(colorSpace.utf8) ? profile : nil
    }

    private static func layout(for wanted: PixelFormat, isCMYK: Bool) -> PixelFormat {
        isCMYK || wanted == .rgba16 ? .rgba8 : wanted
    }

    private static func color(of layout: PixelFormat) -> J_COLOR_SPACE {
        switch layout {
        case .bgra8Premultiplied: JCS_EXT_BGRA
        case .rgba8, .rgba16: JCS_EXT_RGBA
        case .rgb8: JCS_RGB
        case .gray8: JCS_GRAYSCALE
        }
    }

    /// The fewest eighths that leave no side below the target's.
    private static func eighths(from size: PixelSize, to target: PixelSize) -> Int {
        (1..<8).first { eighths in
            (size.width * eighths + 7) / 8 >= target.width && (size.height * eighths + 7) / 8 >= target.height
        } ?? 8
    }
}
