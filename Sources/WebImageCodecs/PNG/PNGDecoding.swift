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
        let profile = chunks.profile(reader)
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
            willScale: options.targetSize(for: size) != size || options.sourceRegion != nil)
        let convertsDeep = chunks.header.bitDepth == 16 && options.colorConversion == .sRGB
        if convertsDeep, profile?.needsDepth == true { (layout, format, premultiplies) = (CPNG_RGBA16, .rgba16, false) }
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

extension PNGDecoding {
    /// Decodes a huge picture to a small size. Rows are averaged while they are read, so that the whole picture is
    /// never in memory.
    ///
    /// Returns nil if the picture is small enough to be decoded normally, or if averaging would divide its sides by
    /// less than 2. Also returns nil for an interlaced picture, because its rows become final only after all pixels
    /// were read.
    func shrunkPicture(
        _ reader: PNGReader, profile: ColorProfile?, hasAlpha: Bool
    ) throws(WebImageError) -> DecodedPicture? {
        guard let (layout, format, factor) = shrinking(hasAlpha: hasAlpha) else { return nil }
        let size = chunks.header.size
        let shrinker = try RowShrinker(size, format: format, factor: factor)
        try reader.read(layout, through: shrinker, premultiplies: hasAlpha, deadline: deadline)
        var picture = DecodedPicture(
            pixels: shrinker.result, orientation: orientation, profile: profile, hasAlpha: hasAlpha, format: .png)
        picture.reduction = .init(factor: Double(factor))
        return picture
    }

    /// Decodes and scales a picture that ``PNGInflatedRows`` supports. An inflated row is converted only when the
    /// scaler reads it. Therefore the memory contains all inflated rows but never all converted pixels. The pixels are
    /// the same as if the picture were decoded normally.
    ///
    /// Returns nil if the picture must be decoded normally.
    func scaledPicture(
        _ bytes: UnsafeRawBufferPointer, _ reader: PNGReader, _ plan: PNGRowLayout, profile: ColorProfile?,
        hasAlpha: Bool
    ) throws(WebImageError) -> DecodedPicture? {
        let size = chunks.header.size
        let resampling = options.resampling(of: size, orientation)
        guard
            plan.format.isScaledByRows(from: resampling.region, to: resampling.target, isOpaque: !hasAlpha),
            let (rows, palette) = try chunks.inflatedRows(bytes, reader, format: plan.format, limits: options.limits)
        else { return nil }
        let source = try PNGInflatedRows.Source(rows, plan, palette: palette, deadline: deadline)
        guard
            let pixels = try source.scaled(to: resampling.target, from: resampling.region, isOpaque: !hasAlpha)
        else {
            try deadline.check()
            return nil
        }
        var picture = DecodedPicture(
            pixels: pixels, orientation: orientation, profile: profile, hasAlpha: hasAlpha, format: .png)
        picture.isScaled = true
        return picture
    }

    /// Returns the layout and the factor for averaging rows while they are read. Returns nil if the picture must be
    /// decoded normally.
    func shrinking(hasAlpha: Bool) -> (layout: CPNGLayout, format: PixelFormat, factor: Int)? {
        let size = chunks.header.size
        let (layout, format) = shrinkingLayout(hasAlpha: hasAlpha)
        let (rowBytes, overflow) = size.width.multipliedReportingOverflow(by: format.bytesPerPixel)
        guard !overflow, !chunks.header.isInterlaced else { return nil }
        let (byteCount, isHuge) = rowBytes.multipliedReportingOverflow(by: size.height)
        guard isHuge || byteCount > ImageInfo.wholeByteCount else { return nil }
        return shrinkingFactor(rowBytes: rowBytes).map { (layout, format, $0) }
    }

    /// The maximum size of one band of rows that are averaged together: 8 MiB.
    private static let bandByteCount = 8 << 20

    /// Returns the factor by which averaging divides both sides of the picture, or nil if the factor would be below 2.
    /// The averaged picture has at least twice the requested size. A filter of better quality then scales the averaged
    /// picture to the requested size.
    private func shrinkingFactor(rowBytes: Int) -> Int? {
        let size = chunks.header.size
        let ratio = options.resampling(of: size, orientation).ratio
        let factor = min(Int(min(ratio / Resampling.leastRatio, 1e9)), Self.bandByteCount / max(rowBytes, 1))
        return factor >= 2 ? factor : nil
    }

    private func shrinkingLayout(hasAlpha: Bool) -> (CPNGLayout, PixelFormat) {
        if hasAlpha { return (CPNG_BGRA8, .bgra8Premultiplied) }
        return chunks.header.isGray ? (CPNG_GRAY8, .gray8) : (CPNG_RGB8, .rgb8)
    }
}

extension PNGReader {
    /// Decodes all rows in bands and passes each band to the shrinker.
    func read(
        _ layout: CPNGLayout, through shrinker: RowShrinker, premultiplies: Bool, deadline: DecodeDeadline
    ) throws(WebImageError) {
        try start(layout, fitting: shrinker.target.stride)
        while !shrinker.isDone {
            let (rows, stride) = shrinker.target
            try readRows(rows, stride: stride, count: shrinker.wantedRowCount)
            if premultiplies { shrinker.bandPixels.premultiplyInPlace(rows: 0..<shrinker.wantedRowCount) }
            shrinker.finishBand()
            try deadline.check()
        }
        try finish()
    }
}
