import CWebImageCodecShim
import CWebImageJPEG
public import Foundation
public import WebImageCore
import WebImageGraphics

extension ImageJPEGCoder {
    /// Returns size, orientation, channels and bit depth, and whether the file has a colour profile. Reads only the
    /// markers before the first scan.
    public func imageInfo(of data: Data, limits: DecodingLimits) throws(WebImageError) -> ImageInfo {
        try limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: limits)
            try limits.checkPixels(decoder.size)
            return decoder.info
        }
    }

    /// Decodes the image. Throws an error for a truncated file, although libjpeg can fill the missing part with grey.
    public func decode(_ data: Data, options: DecodingOptions) throws(WebImageError) -> Image {
        try options.limits.checkEncodedBytes(data.count)
        return try data.withFileBytes { bytes throws(WebImageError) in
            let decoder = try JPEGDecoder(bytes, limits: options.limits)
            try options.limits.checkPixels(decoder.size)
            try options.checkMemory(for: decoder.info)
            let picture = try decoder.picture(bytes, options)
            return try picture.finished(options: options, fullSize: decoder.size)
        }
    }
}

extension JPEGDecoder {
    /// Size, orientation, channels and bit depth. These values are in the markers before the first scan.
    var info: ImageInfo {
        var info = ImageInfo(format: .jpeg, storedSize: size)
        info.orientation = orientation
        info.isGray = isGray
        info.bitDepth = bitDepth
        info.hasICCProfile = hasICCProfile
        info.workingMemory.fixedBytes = Int(clamping: header.coefficient_bytes)
        info.workingMemory.shrinksWhileReading = true
        return info
    }

    /// Returns the layout and size of the rows that libjpeg writes for these options. The picture from libjpeg is at
    /// least as wide and as high as the target size. The caller then scales the picture down to the target size.
    func plan(_ options: DecodingOptions) throws(WebImageError) -> JPEGRowLayout {
        let orientation = orientation
        let target = options.targetSize(for: size.oriented(orientation)).oriented(orientation)
        let profile = try matchingProfile()
        let staysGray = isGray && (target != size || (profile != nil && options.colorConversion == .sRGB))
        let layout = staysGray ? .gray8 : Self.layout(for: options.pixelFormat, isCMYK: isCMYK)
        let color = isCMYK ? JCS_CMYK : Self.color(of: layout)
        let eighths = Self.eighths(from: size, to: target)
        let stored = try outputSize(color: color, eighths: eighths)
        return JPEGRowLayout(
            layout: layout, size: stored, eighths: eighths, orientation: orientation, profile: profile,
            convertsInk: options.colorConversion == .sRGB)
    }

    /// Creates a picture from decompressed pixels. For a CMYK file, converts CMYK to RGB in place and thereby
    /// overwrites `pixels`.
    func picture(_ pixels: PixelBuffer, _ plan: JPEGRowLayout) throws(WebImageError) -> DecodedPicture {
        var picture = DecodedPicture(
            pixels: pixels, orientation: plan.orientation, profile: plan.profile, hasAlpha: false, format: .jpeg)
        if isCMYK {
            picture.profile = nil
            picture.pixels = try pixels.convertedFromCMYK(
                isInverted: storesInkInverted, profile: plan.convertsInk ? plan.profile : nil)
        }
        return picture
    }

    /// Decompresses a whole file: a thumbnail by ``JPEGThumbnailLoop`` if possible, otherwise by libjpeg-turbo. Both
    /// write the same pixels.
    fileprivate func picture(
        _ bytes: UnsafeRawBufferPointer, _ options: DecodingOptions
    ) throws(WebImageError) -> DecodedPicture {
        let plan = try plan(options)
        let pixels = try plan.makeBuffer()
        if plan.eighths == 1, !isCMYK, try JPEGThumbnailLoop.decode(bytes, by: self, into: pixels) {
            return try picture(pixels, plan)
        }
        try readRows(into: pixels)
        return try picture(pixels, plan)
    }

    /// Returns the file's profile if the profile is for the file's channels (grey, RGB or CMYK). A profile for other
    /// channels is an error in the file and is ignored.
    private func matchingProfile() throws(WebImageError) -> ColorProfile? {
        guard let profile = try profile() else { return nil }
        let colorSpace = isGray ? "GRAY" : isCMYK ? "CMYK" : "RGB "
        return profile.iccData.dropFirst(16).prefix(4).elementsEqual(colorSpace.utf8) ? profile : nil
    }

    private static func layout(for wanted: PixelFormat, isCMYK: Bool) -> PixelFormat {
        isCMYK || wanted.bitsPerComponent > 8 ? .rgba8 : wanted
    }

    private static func color(of layout: PixelFormat) -> J_COLOR_SPACE {
        switch layout {
        case .bgra8Premultiplied: JCS_EXT_BGRA
        case .rgba8, .rgba16, .rgbaHalf: JCS_EXT_RGBA
        case .rgb8: JCS_RGB
        case .gray8: JCS_GRAYSCALE
        }
    }

    /// Returns the smallest supported scale, in eighths, at which the scaled picture is at least as wide and as high as
    /// `target`.
    ///
    /// The supported scales are 1, 2, 4 and 8 eighths, because libjpeg-turbo has vector code only for these scales. For
    /// example, a decode at 5/8 takes twice as long as a decode at 8/8.
    private static func eighths(from size: PixelSize, to target: PixelSize) -> Int {
        [1, 2, 4].first { eighths in
            (size.width * eighths + 7) / 8 >= target.width && (size.height * eighths + 7) / 8 >= target.height
        } ?? 8
    }
}

/// Layout, size, scale and colour handling of the rows that libjpeg writes.
struct JPEGRowLayout {
    let layout: PixelFormat
    let size: PixelSize
    let eighths: Int
    let orientation: ImageOrientation
    let profile: ColorProfile?
    let convertsInk: Bool

    func makeBuffer() throws(WebImageError) -> PixelBuffer {
        try PixelBuffer(width: size.width, height: size.height, format: layout)
    }
}
