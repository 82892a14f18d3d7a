import CWebImageCodecShim
import WebImageCore
import WebImageGraphics

/// Decodes the still or the poster frame of a PNG or APNG file. The caller has already scanned the chunks of the file.
struct PNGDecoding {
    let chunks: PNGChunks
    let orientation: ImageOrientation
    let options: DecodingOptions
    let deadline: DecodeDeadline

    /// Decodes the first picture. For an animation, this is the first frame, drawn on the canvas of the animation. For
    /// a still image, this is the default image.
    func firstPicture(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> DecodedPicture {
        if let frame = chunks.animation?.frames.first, !frame.isDefaultImage, frame.isInside(chunks.header.size) {
            do throws(WebImageError) {
                return try draw(frame, of: bytes)
            } catch {
                // If the first frame is damaged, use the default image, which is meant for viewers that do not support
                // animation.
                guard error.code == .badImageData, chunks.isComplete else { throw error }
            }
        }
        return try defaultImage(bytes)
    }

    private func defaultImage(_ bytes: UnsafeRawBufferPointer) throws(WebImageError) -> DecodedPicture {
        guard chunks.isTransparencyMisplaced else {
            return try decode(bytes, x: 0, y: 0, size: chunks.header.size, isFile: true)
        }
        let reordered = try PNGFrameFile(reordering: bytes, chunks).data
        return try reordered.withFileBytes { bytes throws(WebImageError) in
            try decode(bytes, x: 0, y: 0, size: chunks.header.size)
        }
    }

    private func draw(_ frame: PNGFrame, of bytes: UnsafeRawBufferPointer) throws(WebImageError) -> DecodedPicture {
        let file = try PNGFrameFile(bytes, chunks, frame: frame).data
        return try file.withFileBytes { bytes throws(WebImageError) in
            try decode(bytes, x: frame.x, y: frame.y, size: frame.size)
        }
    }

    /// Decodes a picture of the size `size`. Draws the picture at column `x` and row `y` of the canvas. The pixels
    /// around the picture are transparent.
    ///
    /// - Parameter isFile: Whether `bytes` is the file from which `chunks` was read. False for a rebuilt file.
    private func decode(
        _ bytes: UnsafeRawBufferPointer, x: Int, y: Int, size: PixelSize, isFile: Bool = false
    ) throws(WebImageError) -> DecodedPicture {
        let reader = try PNGReader(bytes)
        try reader.readHeader(limits: options.limits)
        let profile = chunks.profile(reader, options)
        let canvas = chunks.header.size
        let hasAlpha = chunks.hasAlpha || size != canvas
        if size == canvas, let shrunk = try shrunkPicture(reader, profile: profile, hasAlpha: hasAlpha) {
            return shrunk
        }
        let plan = PNGRowLayout(
            chunks: chunks, hasAlpha: hasAlpha, orientation: orientation, profile: profile, options: options)
        if isFile, let scaled = try scaledPicture(bytes, reader, plan, profile: profile, hasAlpha: hasAlpha) {
            return scaled
        }
        let pixels = try PixelBuffer(width: canvas.width, height: canvas.height, format: plan.format)
        if size != canvas { pixels.clear() }
        let wasRead =
            try isFile
            ? chunks.drawWhole(
                bytes, reader, onto: pixels, premultiplies: plan.premultiplies, limits: options.limits,
                deadline: deadline) : false
        if !wasRead {
            let target = PNGReader.Target(pixels: pixels, layout: plan.layout, x: x, y: y, size: size)
            try reader.read(into: target, deadline: deadline) { rows in
                if plan.premultiplies { pixels.premultiplyInPlace(rows: rows) }
            }
        }
        return DecodedPicture(
            pixels: pixels, orientation: orientation, profile: profile, hasAlpha: hasAlpha, format: .png)
    }
}

/// The layout of the rows that libpng writes. The layout depends on the pixel format in the options and on the file.
struct PNGRowLayout {
    var layout: CPNGLayout
    var format: PixelFormat
    /// Whether the decoded pixels must be premultiplied. libpng writes BGRA with straight alpha, but the display format
    /// is premultiplied BGRA.
    var premultiplies = false

    init(
        chunks: PNGChunks, hasAlpha: Bool, orientation: ImageOrientation, profile: ColorProfile?,
        options: DecodingOptions
    ) {
        let size = chunks.header.size.oriented(orientation)
        self.init(
            isGray: chunks.header.isGray, hasAlpha: hasAlpha, wanted: options.pixelFormat,
            willConvertColors: profile != nil && options.colorConversion == .sRGB,
            willScale: options.targetSize(for: size) != size)
    }

    private init(isGray: Bool, hasAlpha: Bool, wanted: PixelFormat, willConvertColors: Bool, willScale: Bool) {
        switch wanted {
        // If the pixels are scaled, decode without unneeded channels, so that less data is scaled.
        case .bgra8Premultiplied where willScale && isGray && !hasAlpha && !willConvertColors:
            (layout, format) = (CPNG_GRAY8, .gray8)
        case .bgra8Premultiplied where willScale && !hasAlpha: (layout, format) = (CPNG_RGB8, .rgb8)
        case .rgba16, .rgbaHalf: (layout, format) = (CPNG_RGBA16, .rgba16)
        case .gray8 where isGray && !hasAlpha: (layout, format) = (CPNG_GRAY8, .gray8)
        case .rgb8 where !hasAlpha: (layout, format) = (CPNG_RGB8, .rgb8)
        case .bgra8Premultiplied where !(hasAlpha && willConvertColors):
            (layout, format, premultiplies) = (CPNG_BGRA8, .bgra8Premultiplied, hasAlpha)
        // A later colour conversion needs straight alpha (`rgba8`). After premultiplication, the colours of nearly
        // transparent pixels have too little precision.
        default: (layout, format) = (CPNG_RGBA8, .rgba8)
        }
    }
}
